"""Step adjustment: swinging feet are put down where the body needs them, not where the plan had them.

A foot in the air is led to its planned place in the world, carried along with the feet that stand, and beyond it by the
error of the capture point; so it also lands flat and on time when the body tilts. What that adds to the leg's posture
goes out again while the foot stands, which brings the body back over its feet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from strut.balance.support import runs
from strut.easing import smooth_step
from strut.engines.task_jacobians import task_jacobians
from strut.engines.walking_state import WalkingState
from strut.motion import Motion
from strut.robot import Array, Index, Robot

GAIN, SOLE_GAIN = 0.6, 0.3  # of the capture point's error by which balls and soles are put down beyond their places
FARTHEST = 0.25  # that a foot is moved from its place in the body, in heights of the centre of mass
DAMPING = 1e-4  # of the legs' inverse kinematics, in square heights: a stretched leg has no inverse


@dataclass(slots=True)
class _Leg:
    """One leg: its columns of the velocity coordinates, rows of its foot's Jacobian, gain, and what it adds."""

    columns: Index
    rows: int
    gain: float
    added: Array
    begun: Array


class StepAdjustment:
    """What the legs add to their planned postures, tick after tick."""

    def __init__(self, robot: Robot, motion: Motion) -> None:
        planned = task_jacobians(robot, motion.qpos)
        self._foot_m, self._base_m, self._base = planned.foot_in_world, motion.qpos[:, :3], planned.base_rotation
        self._height_m = float(planned.com_in_world[:, 2].mean())
        self._progress = np.stack([_progress(down) for down in motion.contact.T], axis=1)
        self._down = motion.contact
        self._legs = [_leg(robot, index) for index in range(len(robot.feet))]
        self._was_down = np.ones(len(robot.feet), dtype=bool)

    def joints(self, sample: int, state: WalkingState, qpos: Array, carried_m: Array, error_m: Array) -> Array:
        """Return what to add to the joint angles.

        Args:
            sample: Of the plan.
            state: The robot now.
            qpos: Likewise. Shape (nq,).
            carried_m: How far the standing feet are from where the plan has them. Shape (2,).
            error_m: Of the capture point. Shape (2,).

        Returns:
            Shape (n_joints,).
        """
        added = np.zeros(state.foot_turning.shape[-1] - 6)
        turn = state.base_rotation
        tilt = Rotation.from_matrix(turn.T @ self._base[sample]).as_rotvec()
        for index, leg in enumerate(self._legs):
            down, progress = bool(self._down[sample, index]), float(self._progress[sample, index])
            if down != self._was_down[index]:
                leg.begun, self._was_down[index] = leg.added, down
            if down:
                leg.added = leg.begun * (1.0 - float(smooth_step(np.array(progress))))
            else:
                place_m = self._foot_m[sample, index].copy()
                place_m[:2] += carried_m + progress * leg.gain * error_m
                away_m = turn.T @ (place_m - qpos[:3]) - self._in_base(sample, index)
                wanted = np.concatenate([away_m * min(1.0, self._most(away_m)), tilt])[: leg.rows]
                share = float(smooth_step(np.array(2.0 * progress)))
                leg.added = (1.0 - share) * leg.begun + share * wanted
            if leg.added.any():
                added[leg.columns - 6] += self._solved(leg, index, state, turn)
        return added

    def _most(self, away_m: Array) -> float:
        return FARTHEST * self._height_m / max(float(np.linalg.norm(away_m)), 1e-9)

    def _in_base(self, sample: int, index: int) -> Array:
        """Return where the plan has a foot in its base. Shape (3,)."""
        return np.asarray(self._base[sample].T @ (self._foot_m[sample, index] - self._base_m[sample]))

    def _solved(self, leg: _Leg, index: int, state: WalkingState, turn: Array) -> Array:
        """Return the change of a leg's joints that moves its foot as `added` says."""
        jacobian = np.concatenate([turn.T @ state.foot_moving[index], turn.T @ state.foot_turning[index]])
        chosen = jacobian[: leg.rows, leg.columns]
        chosen[3:] *= self._height_m
        aim = leg.added.copy()
        aim[3:] *= self._height_m
        damped = chosen @ chosen.T + DAMPING * self._height_m**2 * np.eye(leg.rows)
        return np.asarray(chosen.T @ np.linalg.solve(damped, aim))


def _leg(robot: Robot, index: int) -> _Leg:
    foot = robot.feet[index]
    leg = next(leg for leg in robot.legs if foot.name in leg.feet)
    columns = np.array([6 + robot.joint_names.index(joint) for joint in leg.joints])
    rows = 6 if len(foot.points) > 2 and len(columns) >= 6 else 3
    gain = GAIN if len(foot.points) == 1 else SOLE_GAIN  # soles also move the pressure
    return _Leg(columns, rows, gain, np.zeros(rows), np.zeros(rows))


def _progress(down: npt.NDArray[np.bool_]) -> Array:
    """Return how far each stance and each swing is, from 0 to 1. Shape (T,) in and out."""
    progress = np.ones(len(down))
    for mask in (down, ~down):
        for rows in runs(mask):
            progress[rows] = (np.arange(rows.start, rows.stop) - rows.start + 1) / (rows.stop - rows.start + 1)
    return progress
