"""Step adjustment: swing feet land where the capture point requires, not where the plan had them.

A swing foot tracks its planned position in the world, shifted by the position error of the stance feet and by a share
of the capture point's error, so that it lands flat and on time when the body tilts. The offset of the leg's posture
fades out in the next stance, which brings the body back over its feet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.linalg.lapack import dgesv

from strut.arrays import Array, Index
from strut.engines.task_jacobians import task_jacobians
from strut.maths.easing import smooth_step_scalar
from strut.robot import BASE, Robot
from strut.simulation.attitude import rotation_between
from strut.simulation.planned_walk import PlannedInstant, PlannedWalk
from strut.simulation.walking_state import WalkingState

GAIN = 0.6  # shift of ball feet over the capture point's error
SOLE_GAIN = 0.3  # the same for soles, which also shift the centre of pressure
SHIFT_GAIN = 0.6  # shift of feet over the capture point's predicted error at landing, in whole-body control
FARTHEST_SHIFT = (0.22, 0.16)  # maximum forward and sideways, in heights of the centre of mass
FARTHEST = 0.25  # maximum offset of a foot in the body, in heights of the centre of mass
DAMPING = 1e-4  # of the legs' damped least squares, in squared heights: a straight leg has no inverse


@dataclass(slots=True)
class _Leg:
    """One leg: its columns of the velocity coordinates, rows of its foot's Jacobian, gain, and what it adds."""

    columns: Index
    rows: int
    gain: float
    added: Array
    begun: Array


class StepAdjustment:
    """Offsets of the legs' joints from the plan, updated tick by tick."""

    def __init__(self, robot: Robot, plan: PlannedWalk) -> None:
        self._height_m = plan.height_m
        self._legs = [_leg(robot, index) for index in range(len(robot.feet))]
        self._was_down = np.ones(len(robot.feet), dtype=bool)

    def joint_offsets(
        self, plan: PlannedInstant, state: WalkingState, qpos: Array, carried_m: Array, error_m: Array
    ) -> Array:
        """Return the offsets of the joint angles.

        Args:
            plan: Current plan.
            state: Current state of the robot.
            qpos: Current configuration. Shape (nq,).
            carried_m: Position error of the stance feet. Shape (2,).
            error_m: Error of the capture point. Shape (2,).

        Returns:
            Shape (n_joints,).
        """
        added = np.zeros(state.foot_turning.shape[-1] - BASE)
        turn = state.base_rotation
        tilt = turn.T @ rotation_between(turn, plan.base_rotation)
        for index, leg in enumerate(self._legs):
            down = bool(plan.down[index])
            progress = float(plan.progress[index])
            if down != self._was_down[index]:
                leg.begun = leg.added
                self._was_down[index] = down
            if down:
                leg.added = leg.begun * (1.0 - smooth_step_scalar(progress))
            else:
                place_m = plan.foot_m[0, index].copy()
                place_m[:2] += carried_m + progress * leg.gain * error_m
                away_m = turn.T @ (place_m - qpos[:3]) - plan.base_rotation.T @ (plan.foot_m[0, index] - plan.base_m)
                wanted = np.concatenate([away_m * min(1.0, self._most(away_m)), tilt])[: leg.rows]
                share = smooth_step_scalar(2.0 * progress)
                leg.added = (1.0 - share) * leg.begun + share * wanted
            if leg.added.any():
                added[leg.columns - BASE] += self._solved(leg, index, state, turn)
        return added

    def _most(self, away_m: Array) -> float:
        return FARTHEST * self._height_m / max(float(np.linalg.norm(away_m)), 1e-9)

    def _solved(self, leg: _Leg, index: int, state: WalkingState, turn: Array) -> Array:
        """Return the change of a leg's joints that moves its foot as `added` says."""
        chosen = np.empty((leg.rows, len(leg.columns)))
        aim = leg.added.copy()
        chosen[:3] = turn.T @ state.foot_moving[index][:, leg.columns]
        if leg.rows > 3:
            chosen[3:] = self._height_m * turn.T @ state.foot_turning[index][:, leg.columns]
            aim[3:] *= self._height_m
        damped = chosen @ chosen.T
        damped.ravel()[:: leg.rows + 1] += DAMPING * self._height_m**2
        return np.asarray(chosen.T @ dgesv(damped, aim)[2])


def _leg(robot: Robot, index: int) -> _Leg:
    foot = robot.feet[index]
    leg = next(leg for leg in robot.legs if foot.name in leg.feet)
    columns = np.array([BASE + robot.joint_names.index(joint) for joint in leg.joints])
    rows = 6 if len(foot.points) > 2 and len(columns) >= 6 else 3
    gain = GAIN if len(foot.points) == 1 else SOLE_GAIN  # soles also move the pressure
    return _Leg(columns, rows, gain, np.zeros(rows), np.zeros(rows))


class StepShift:
    """Targets of swing feet, updated tick by tick: planned places plus shifts for the capture point.

    A foot starts where it left the ground. Its landing is shifted by a share of the predicted error e^(omega t) xi, but
    never across the other foot of a biped.
    """

    def __init__(self, robot: Robot, plan: PlannedWalk) -> None:
        feet = len(robot.feet)
        self._plan = plan
        self._left_m = np.zeros((feet, 2))
        self._stood = np.ones(feet, dtype=bool)
        self._apart_m = _least_apart_m(robot) if feet == 2 else None

    def foot_targets(
        self,
        plan: PlannedInstant,
        state: WalkingState,
        stands: npt.NDArray[np.bool_],
        carried_m: Array,
        error_m: Array,
    ) -> Array:
        """Return the current targets of the feet; those of stance feet are their planned places. Shape (n, 3).

        Args:
            plan: Current plan.
            state: Current state of the robot.
            stands: Feet in stance. Shape (n,).
            carried_m: Position error of the stance feet. Shape (2,).
            error_m: Error of the capture point. Shape (2,).
        """
        places = plan.foot_m[0].copy()
        height_m = self._plan.height_m
        for foot in np.flatnonzero(~stands).tolist():
            if self._stood[foot]:
                self._left_m[foot] = (state.foot_m[foot] - plan.foot_m[0, foot])[:2]
            shift = SHIFT_GAIN * error_m * math.exp(self._plan.omega * float(plan.left_s[foot]))
            forwards = state.base_rotation[:2, 0] / max(float(np.linalg.norm(state.base_rotation[:2, 0])), 1e-6)
            axes = np.array([forwards, (-forwards[1], forwards[0])])
            limit = height_m * np.array(FARTHEST_SHIFT)
            shift = axes.T @ np.clip(axes @ shift, -limit, limit)
            share = 1.0 if plan.down[foot] else smooth_step_scalar(float(plan.progress[foot]))
            places[foot, :2] += (1.0 - share) * self._left_m[foot] + share * (carried_m + shift)
            if self._apart_m is not None:
                places[foot, :2] += axes[1] * self._too_near(
                    axes[1] @ (places[foot] - state.foot_m[1 - foot])[:2], foot
                )
        self._stood = stands.copy()
        return np.asarray(places)

    def _too_near(self, left_m: float, foot: int) -> float:
        """Return the shift to the left that keeps a foot from crossing the other."""
        assert self._apart_m is not None
        side = math.copysign(1.0, self._apart_m[foot])
        return side * max(0.0, abs(float(self._apart_m[foot])) - side * left_m)


def _least_apart_m(robot: Robot) -> Array:
    """Return the minimum distance of each foot of a biped to the left of the other. Shape (2,)."""
    stance = task_jacobians(robot, robot.standing_qpos[None]).foot_in_world[0]
    apart = float(stance[0, 1] - stance[1, 1])
    width = max(float(np.ptp(np.array(foot.outline_m)[:, 1])) for foot in robot.feet)
    least = math.copysign(min(abs(apart), width + 0.3 * abs(apart)), apart)
    return np.array([least, -least])
