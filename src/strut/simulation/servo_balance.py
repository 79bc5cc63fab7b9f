"""Servo balance: feedback that keeps a planned walk upright by shifting the centre of pressure under the feet.

The capture point xi = c + v / omega (Pratt et al., 2006) is compared with the planned one, shifted by the position
error of the feet in stance. The centre of pressure of each loaded foot moves by gain x (xi - xi_plan) within its sole.
The moment m that this requires is given by the joints: tau = -J_angular' m, added to the position servos.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array, Index
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.motion import Motion
from strut.robot import BASE, Robot
from strut.simulation.planned_walk import PlannedWalk
from strut.simulation.sensing import Estimator, Sensing
from strut.simulation.step_adjustment import StepAdjustment
from strut.simulation.walking_state import WalkingState, servo_stiffness

GAIN = 3.0  # shift of the centre of pressure over the capture point's error; below 1 the error grows
INSIDE = 0.85  # share of the sole that the centre of pressure may use
UNLOADED = 0.02  # share of the weight below which a foot gets no feedback


class ServoBalance:
    """Feedback for one playback of a walk; `correction` is called at every tick, in order."""

    def __init__(self, robot: Robot, motion: Motion, sensing: Sensing | None = None) -> None:
        self._plan = PlannedWalk(robot, motion)
        self._estimator = Estimator(sensing)
        outlines = [np.array(foot.outline_m) for foot in robot.feet]
        self._least = INSIDE * np.array([outline.min(axis=0) for outline in outlines])
        self._most = INSIDE * np.array([outline.max(axis=0) for outline in outlines])
        self._state = WalkingState(robot)
        self._weight_n = robot.mass_kg * GRAVITY_M_S2
        self._steps = StepAdjustment(robot, self._plan)
        self._stiffness = servo_stiffness(robot)
        self.torque_driven: Index = np.array([], dtype=np.intp)

    def correction(self, time_s: float, qpos: Array, qvel: Array) -> Array:
        """Return the torques to add to those of the servos. Shapes (nq,), (nv,) in, (n_joints,) out."""
        state = self._state
        plan = self._plan.at(time_s)
        seen_qpos, seen_qvel = self._estimator.estimate(time_s, qpos, qvel)
        state.move(seen_qpos, seen_qvel)
        load = plan.load
        omega = self._plan.omega
        carried_m = load @ (state.foot_m - plan.foot_m[0])[:, :2]
        away_m = state.com_m - plan.com_m[0]
        faster_m_s = state.com_velocity_m_s - plan.com_m[1]
        error_m = (away_m + faster_m_s / omega)[:2] - carried_m
        torque = np.zeros(state.foot_turning.shape[-1])
        for foot in np.flatnonzero(load > UNLOADED):
            flat = state.foot_rotation[foot, :2, :2]
            shift = flat @ np.clip(flat.T @ (GAIN * error_m), self._least[foot], self._most[foot])
            pushed_n = load[foot] * self._weight_n
            moment = np.array([shift[1] * pushed_n, -shift[0] * pushed_n, 0.0])
            torque -= moment @ state.foot_turning[foot]
        return torque[BASE:] + self._stiffness * self._steps.joint_offsets(plan, state, seen_qpos, carried_m, error_m)
