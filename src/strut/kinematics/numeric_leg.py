"""Numeric inverse kinematics of a leg with any joints: damped least squares, all samples at once.

Each step is J' (J J' + damping)^-1 error plus the null-space projection of a pull towards the middle of the joint
ranges, cut to a maximum length and clipped to the joint limits. A leg with six joints or more tracks the foot's
position and orientation, a shorter one its position alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.kinematics.leg_chain import ChainLeg, LegPlacement
from strut.maths.rotation import rotation_vector

ITERATIONS = 60  # maximum per initial guess
TOLERANCE_M = 1e-6  # a foot nearer than this to its target counts as reached
_CONVERGED = 1e-12  # error [m, rad] after which no iteration changes the result
_DAMPING = 1e-4  # times the squared error; without it a straight leg, whose Jacobian loses rank, makes huge steps
_MAX_STEP_RAD = 0.5  # per iteration: the linearisation holds about as far
_CENTRING = 0.02  # share of the way to the middle that redundant joints move per iteration; fades to 0
_STARTS = 12  # random initial guesses besides the middle of the joint ranges


@dataclass(frozen=True, slots=True, eq=False)
class NumericLeg(ChainLeg):
    """A leg of any geometry."""

    @property
    def reach_m(self) -> tuple[float, float]:
        """Bounds of the span from the first hinge to the foot; joint limits may narrow them."""
        return 0.0, self.chain.length_m

    def place_foot(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> LegPlacement:  # noqa: ARG002
        """Return the joint angles; a foot counts as reached within a tolerance. Shapes (..., 3), (..., 3, 3), (...)."""
        joints = self._solve_from_many_starts(foot_in_body, foot_to_body)
        error_m = np.linalg.norm(self.chain.forward(joints)[0] - foot_in_body, axis=-1)
        span_m = np.asarray(np.linalg.norm(foot_in_body - self.chain.offset_m[0], axis=-1))
        return LegPlacement(joints, span_m, np.asarray(error_m - TOLERANCE_M))

    def _solve_from_many_starts(self, foot_in_body: Array, foot_to_body: Array) -> Array:
        """Return the joint angles. Shapes (..., 3), (..., 3, 3) in, (..., n) out.

        The first sample is solved from several initial guesses. All others start from its solution, so that they stay
        on its branch, and are solved again from the other guesses if they fail.
        """
        shape = np.shape(foot_in_body)[:-1]
        position = np.reshape(foot_in_body, (-1, 3))
        rotation = np.broadcast_to(foot_to_body, (*shape, 3, 3)).reshape(-1, 3, 3)
        rng = np.random.default_rng(0)
        middle = self._middle
        starts = rng.uniform(self.chain.lower_rad, self.chain.upper_rad, (_STARTS, len(middle)))
        starts = np.concatenate([middle[None], middle + np.clip(starts - middle, -np.pi / 2.0, np.pi / 2.0)])
        candidates = self._iterate(starts, position[:1], rotation[:1])
        error = self._error_norm(candidates, position[:1], rotation[:1])
        # among equally good candidates, the one nearest to the middle
        first = candidates[np.argmin(np.round(error, 9) + 1e-9 * np.abs(candidates - middle).sum(axis=1))]
        joints = self._iterate(np.tile(first, (len(position), 1)), position, rotation)
        for start in starts:
            error = self._error_norm(joints, position, rotation)
            failed = error > TOLERANCE_M
            if not failed.any():
                break
            again = self._iterate(np.tile(start, (int(failed.sum()), 1)), position[failed], rotation[failed])
            is_better = self._error_norm(again, position[failed], rotation[failed]) < error[failed]
            joints[failed] = np.where(is_better[:, None], again, joints[failed])
        return joints.reshape((*shape, len(middle)))

    @property
    def _middle(self) -> Array:
        return np.asarray((self.chain.lower_rad + self.chain.upper_rad) / 2.0)

    def _error(self, joints: Array, position: Array, rotation: Array) -> tuple[Array, Array]:
        """Return the foot's error (T, m), position before orientation, and its Jacobian (T, m, n)."""
        foot, foot_rotation, hinges, axes = self.chain.forward(joints)
        jacobian = np.moveaxis(np.cross(axes, foot[:, None] - hinges), 1, 2)
        error = position - foot
        if joints.shape[1] < 6:
            return error, jacobian
        angular = rotation_vector(rotation @ np.swapaxes(foot_rotation, 1, 2))
        return np.concatenate([error, angular], axis=1), np.concatenate([jacobian, np.moveaxis(axes, 1, 2)], axis=1)

    def _error_norm(self, joints: Array, position: Array, rotation: Array) -> Array:
        return np.asarray(np.linalg.norm(self._error(joints, position, rotation)[0], axis=1))

    def _iterate(self, joints: Array, position: Array, rotation: Array) -> Array:
        """Return joints (T, n) after all iterations, within their limits."""
        lower = self.chain.lower_rad
        upper = self.chain.upper_rad
        middle = self._middle
        for iteration in range(ITERATIONS):
            error, jacobian = self._error(joints, position, rotation)
            if np.abs(error).max() < _CONVERGED:
                break
            square = jacobian @ np.swapaxes(jacobian, 1, 2)
            damping = _DAMPING * np.minimum(np.square(error).sum(axis=1), 1.0)[:, None, None] + 1e-12
            inverse = np.swapaxes(jacobian, 1, 2) @ np.linalg.inv(square + damping * np.eye(square.shape[1]))
            step = (inverse @ error[..., None])[..., 0]
            centring = _CENTRING * (1.0 - iteration / ITERATIONS) * (middle - joints)
            step += centring - (inverse @ (jacobian @ centring[..., None]))[..., 0]  # projected into the null space
            step *= np.minimum(1.0, _MAX_STEP_RAD / np.maximum(np.abs(step).max(axis=1), 1e-12))[:, None]
            joints = np.clip(joints + step, lower, upper)
        return joints
