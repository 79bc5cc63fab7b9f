"""The numeric leg: damped Gauss-Newton for any number of joints, all samples at once.

A leg of six joints or more takes the foot's position and orientation, a shorter one its position alone; joints to spare
stay near the middle of their ranges (null space).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.kinematics.leg_chain import ChainLeg, LegPlacement
from strut.maths.rotation import rotation_vector

ITERATIONS = 60
TOLERANCE_M = 1e-6
_DAMPING = 1e-4  # not 0: a straight leg's Jacobian loses rank, and the step would explode
_LARGEST_STEP_RAD = 0.5
_REST = 0.02  # share of the way to the middle that spare joints go per iteration, fading out
_STARTS = 12


@dataclass(frozen=True, slots=True, eq=False)
class NumericLeg(ChainLeg):
    """A leg of any build."""

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest span from the first hinge to the foot, if nothing else were in the way."""
        return 0.0, self.chain.length_m

    def place_foot(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> LegPlacement:  # noqa: ARG002
        """Return the joint angles; a foot counts as reached within a tolerance. Shapes (..., 3), (..., 3, 3), (...)."""
        joints = self._joints(foot_in_body, foot_to_body)
        missed = np.linalg.norm(self.chain.forward(joints)[0] - foot_in_body, axis=-1)
        span_m = np.asarray(np.linalg.norm(foot_in_body - self.chain.offset_m[0], axis=-1))
        return LegPlacement(joints, span_m, np.asarray(missed - TOLERANCE_M))

    def _joints(self, foot_in_body: Array, foot_to_body: Array) -> Array:
        """Return the joint angles. Shapes (..., 3), (..., 3, 3) in, (..., n) out.

        The first sample is solved from several starts; all others start from its solution, so that they follow it, and
        where that fails from the other starts, too.
        """
        shape = np.shape(foot_in_body)[:-1]
        place = np.reshape(foot_in_body, (-1, 3))
        turn = np.broadcast_to(foot_to_body, (*shape, 3, 3)).reshape(-1, 3, 3)
        rng = np.random.default_rng(0)
        middle = self._middle
        starts = rng.uniform(self.chain.lower_rad, self.chain.upper_rad, (_STARTS, len(middle)))
        starts = np.concatenate([middle[None], middle + np.clip(starts - middle, -np.pi / 2.0, np.pi / 2.0)])
        tried = self._solved(starts, place[:1], turn[:1])
        off = np.linalg.norm(self._miss(tried, place[:1], turn[:1])[0], axis=1)
        first = tried[np.argmin(np.round(off, 9) + 1e-9 * np.abs(tried - middle).sum(axis=1))]
        joints = self._solved(np.tile(first, (len(place), 1)), place, turn)
        for start in starts:
            failed = np.linalg.norm(self._miss(joints, place, turn)[0], axis=1) > TOLERANCE_M
            if not failed.any():
                break
            again = self._solved(np.tile(start, (int(failed.sum()), 1)), place[failed], turn[failed])
            off, before = (
                np.linalg.norm(self._miss(one, place[failed], turn[failed])[0], axis=1)
                for one in (again, joints[failed])
            )
            joints[failed] = np.where((off < before)[:, None], again, joints[failed])
        return joints.reshape((*shape, len(middle)))

    @property
    def _middle(self) -> Array:
        return np.asarray((self.chain.lower_rad + self.chain.upper_rad) / 2.0)

    def _miss(self, joints: Array, place: Array, turn: Array) -> tuple[Array, Array]:
        """Return what is missed (T, m), position first, and its Jacobian (T, m, n)."""
        foot, foot_turn, places, axes = self.chain.forward(joints)
        jacobian = np.moveaxis(np.cross(axes, foot[:, None] - places), 1, 2)
        missed = place - foot
        if joints.shape[1] < 6:
            return missed, jacobian
        turned = rotation_vector(turn @ np.swapaxes(foot_turn, 1, 2))
        return np.concatenate([missed, turned], axis=1), np.concatenate([jacobian, np.moveaxis(axes, 1, 2)], axis=1)

    def _solved(self, joints: Array, place: Array, turn: Array) -> Array:
        """Return joints (T, n) after all iterations, kept within their limits."""
        lower = self.chain.lower_rad
        upper = self.chain.upper_rad
        middle = self._middle
        for iteration in range(ITERATIONS):
            missed, jacobian = self._miss(joints, place, turn)
            if np.abs(missed).max() < 1e-12:
                break
            square = jacobian @ np.swapaxes(jacobian, 1, 2)
            damping = _DAMPING * np.minimum(np.square(missed).sum(axis=1), 1.0)[:, None, None] + 1e-12
            inverse = np.swapaxes(jacobian, 1, 2) @ np.linalg.inv(square + damping * np.eye(square.shape[1]))
            step = (inverse @ missed[..., None])[..., 0]
            rest = _REST * (1.0 - iteration / ITERATIONS) * (middle - joints)
            step += rest - (inverse @ (jacobian @ rest[..., None]))[..., 0]
            step *= np.minimum(1.0, _LARGEST_STEP_RAD / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
            joints = np.clip(joints + step, lower, upper)
        return joints
