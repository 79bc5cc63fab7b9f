"""Landing pieces: a motion cut at its landings; each piece is a smooth curve.

Velocities jump when a foot lands, so no derivative may span a landing. When a foot lifts, its load is already zero, and
nothing jumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.interpolate import BSpline, make_interp_spline

from strut.arrays import Array
from strut.maths.rotation import angles_from_qpos, qvel_from_angles
from strut.maths.sampling import landing_samples
from strut.robot import BASE

DEGREE = 5  # of the splines; 3 in a piece with few samples
FEWEST = 4  # samples of a cubic spline
_LAPSE_S = 1e-6  # step of the finite difference of velocities


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """The samples from `first` to before `stop`, and the curve of their coordinates with an angle base."""

    first: int
    stop: int
    curve: BSpline

    @property
    def rows(self) -> slice:
        """The samples as a slice."""
        return slice(self.first, self.stop)

    def velocity(self, time_s: Array) -> Array:
        """Return the velocities of a floating base and of the joints. Shape (T,) in, (T, nv) out."""
        return qvel_from_angles(self.curve(time_s), self.curve(time_s, 1))

    def acceleration(self, time_s: Array) -> Array:
        """Return the accelerations. Shape (T,) in, (T, nv) out."""
        change = self.velocity(time_s + _LAPSE_S) - self.velocity(time_s - _LAPSE_S)
        return np.asarray(change / (2.0 * _LAPSE_S))


def landing_pieces(time_s: Array, qpos: Array, contact: npt.NDArray[np.bool_]) -> list[Piece]:
    """Return the pieces of a motion that have enough samples for a curve. Shapes (T,), (T, nq), (T, n)."""
    angles = angles_from_qpos(qpos)
    angles[:, 3:BASE] = np.unwrap(angles[:, 3:BASE], axis=0)
    found = []
    for first, stop in pairwise([0, *landing_samples(contact).tolist(), len(contact)]):
        if stop - first >= FEWEST:
            degree = DEGREE if stop - first > DEGREE else 3
            found.append(Piece(first, stop, make_interp_spline(time_s[first:stop], angles[first:stop], k=degree)))
    return found
