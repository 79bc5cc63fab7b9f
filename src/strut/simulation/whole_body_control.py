"""Whole-body control: feedback that keeps a planned walk upright by leg torques from a quadratic program per tick.

The capture point xi = c + v / omega (Pratt et al., 2006) is compared with the planned one, shifted by the position
error of the feet in stance. The required ground force makes this error decay, and swing feet land beyond their planned
places by the error predicted for the landing. Arms, trunk and head keep their position servos.
"""

from __future__ import annotations

import math

import numpy as np

from strut.arrays import Array, Index, Mask
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.motion import Motion
from strut.robot import BASE, Robot
from strut.simulation.attitude import rotation_between
from strut.simulation.planned_walk import PlannedInstant, PlannedWalk
from strut.simulation.sensing import Estimator, Sensing
from strut.simulation.step_adjustment import StepShift
from strut.simulation.walking_state import WalkingDynamics
from strut.simulation.whole_body_program import Footing, Task, WholeBodyProgram

CAPTURE_GAIN = 2.5  # shift of the centre of pressure over the capture point's error; below 1 the error grows
# Servo gains: stiffness [1/s2] and damping [1/s] of each task's acceleration
HEIGHT = (100.0, 20.0)  # of the centre of mass
ATTITUDE = (150.0, 25.0)  # of the base
PLACE = (600.0, 45.0)  # positions of swing feet
FLAT = (400.0, 35.0)  # orientations of swing feet
POSTURE = (80.0, 16.0)  # leg joints
STILL = 30.0  # damping of the velocity of stance feet [1/s]
# Weights of the tasks' squared accelerations
PUSH_WEIGHT = np.array([10.0, 10.0, 10.0])
ATTITUDE_WEIGHT = 5.0
STANCE_WEIGHT = 30.0
SWING_WEIGHT = 10.0
POSTURE_WEIGHT = 0.05
INSIDE = 0.9  # share of the sole that the centre of pressure may use
LANDS_EARLY = 2.0 / 3.0  # share of a swing after which contact with the ground counts as landing
TOUCHES = 0.003  # in heights of the centre of mass: a swing foot below it has landed
HOVERS = 0.012  # in heights of the centre of mass: a stance foot above it is in the air
SINKING_M_S = 0.3  # downward velocity of a stance foot in the air, at a centre of mass 1 m high


class WholeBodyControl:
    """Torques for one playback of a walk; `correction` is called at every tick, in order.

    Attributes:
        torque_driven: Joints that have no servo and get the torques alone. Shape (n_legs,).
    """

    def __init__(self, robot: Robot, motion: Motion, sensing: Sensing | None = None) -> None:
        self._plan = PlannedWalk(robot, motion)
        self._state = WalkingDynamics(robot)
        self._estimator = Estimator(sensing)
        self._program = WholeBodyProgram(robot, robot.friction)
        self._joints = len(robot.joint_names)
        self.torque_driven: Index = self._program.legs
        self._others = np.setdiff1d(np.arange(self._joints), self.torque_driven)
        corners = [INSIDE * np.array([(x, y, 0.0) for x, y in foot.outline_m]) for foot in robot.feet]
        self._corners = corners
        self._radius = np.array([foot.radius_m for foot in robot.feet])
        self._turns = robot.foot_turns
        self._steps = StepShift(robot, self._plan)
        self._posture = np.zeros((len(self.torque_driven), robot.model.nv))
        self._posture[np.arange(len(self.torque_driven)), BASE + self.torque_driven] = 1.0
        self._attitude = np.zeros((3, robot.model.nv))
        self._attitude[:, 3:BASE] = np.eye(3)

    def correction(self, time_s: float, qpos: Array, qvel: Array) -> Array:
        """Return the leg torques, 0 for other joints. Shapes (nq,), (nv,) in, (n_joints,) out."""
        state = self._state
        plan = self._plan.at(time_s)
        seen_qpos, seen_qvel = self._estimator.estimate(time_s, qpos, qvel)
        state.move(seen_qpos, seen_qvel)
        corners = [corner @ turn.T for corner, turn in zip(self._corners, state.foot_rotation, strict=True)]
        stands = self._stands(plan, corners)
        load = np.where(stands, np.maximum(plan.load, 1e-3), 0.0)
        load = load / load.sum() if load.any() else plan.load
        carried_m = load @ (state.foot_m - plan.foot_m[0])[:, :2]
        push, error_m = self._push(plan, carried_m)
        feet = self._feet(plan, stands, carried_m, error_m)
        tasks = [self._upright(plan, seen_qvel), self._held(plan, seen_qpos, seen_qvel), feet]
        footings = [Footing(foot, corners[foot], float(load[foot])) for foot in np.flatnonzero(stands).tolist()]
        torque = np.zeros(self._joints)
        torque[self.torque_driven] = self._program.torque(
            state, tasks, push, PUSH_WEIGHT, footings, plan.joint_rad[2, self._others]
        )
        return torque

    def _stands(self, plan: PlannedInstant, corners: list[Array]) -> Mask:
        """Return the feet in contact: planned stance feet that are not in the air, and early landings. Shape (n,)."""
        lowest = np.array([min(points[:, 2].tolist()) for points in corners])
        above_m = (self._state.foot_m[:, 2] + lowest - self._radius) / self._plan.height_m
        early = (plan.progress > LANDS_EARLY) & (above_m < TOUCHES)
        return np.asarray(np.where(plan.down, above_m < HOVERS, early))

    def _push(self, plan: PlannedInstant, carried_m: Array) -> tuple[Array, Array]:
        """Return the required ground force per kilogram (3,), and the error of the capture point (2,)."""
        state = self._state
        omega = self._plan.omega
        away = state.com_m - plan.com_m[0]
        away[:2] -= carried_m
        faster = state.com_velocity_m_s - plan.com_m[1]
        error_m = away[:2] + faster[:2] / omega
        push = plan.com_m[2].copy()
        push[:2] += omega**2 * (away[:2] - CAPTURE_GAIN * error_m)
        push[2] += GRAVITY_M_S2 - HEIGHT[0] * away[2] - HEIGHT[1] * faster[2]
        return push, error_m

    def _upright(self, plan: PlannedInstant, qvel: Array) -> Task:
        turn = self._state.base_rotation
        error = turn.T @ rotation_between(turn, plan.base_rotation)
        wanted = plan.base_turn[1] + ATTITUDE[0] * error + ATTITUDE[1] * (plan.base_turn[0] - qvel[3:BASE])
        return Task(self._attitude, wanted, ATTITUDE_WEIGHT * self._plan.height_m**2)

    def _held(self, plan: PlannedInstant, qpos: Array, qvel: Array) -> Task:
        legs = self.torque_driven
        angle, speed, acceleration = plan.joint_rad[:, legs]
        wanted = acceleration + POSTURE[0] * (angle - qpos[7 + legs]) + POSTURE[1] * (speed - qvel[BASE + legs])
        return Task(self._posture, wanted, POSTURE_WEIGHT * self._plan.height_m**2)

    def _feet(self, plan: PlannedInstant, stands: Mask, carried_m: Array, error_m: Array) -> Task:
        """Return the task of the feet: stance feet rest, swing feet move to their targets and orientations."""
        state = self._state
        height_m = self._plan.height_m
        places = self._steps.foot_targets(plan, state, stands, carried_m, error_m)
        wanted = -STILL * state.foot_velocity
        for foot in np.flatnonzero(~stands).tolist():
            velocity = state.foot_velocity[foot]
            turn = state.foot_rotation[foot]
            wanted[foot, :3] = plan.foot_m[2, foot] + PLACE[0] * (places[foot] - state.foot_m[foot])
            wanted[foot, :3] += PLACE[1] * (plan.foot_m[1, foot] - velocity[:3])
            if plan.down[foot]:
                wanted[foot, 2] = PLACE[1] * (-SINKING_M_S * math.sqrt(height_m) - velocity[2])
            error = rotation_between(turn, plan.foot_rotation[foot])
            wanted[foot, 3:] = plan.foot_turn[1, foot] + FLAT[0] * error
            wanted[foot, 3:] += FLAT[1] * (plan.foot_turn[0, foot] - velocity[3:])
        weight = np.empty(wanted.shape)
        weight[:] = np.where(stands, STANCE_WEIGHT, SWING_WEIGHT)[:, None]
        weight[:, 3:] *= height_m**2 * (state.foot_rotation**2 @ self._turns[..., None])[..., 0]
        jacobian = state.foot_jacobian.reshape(wanted.size, -1)
        return Task(jacobian, (wanted - state.foot_drift).ravel(), weight.ravel())
