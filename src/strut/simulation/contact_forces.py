"""Contact forces: distribution of a wrench among contact points within friction pyramids, by least squares."""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dgesv
from scipy.optimize import nnls

from strut.arrays import Array


def pyramid_edges(friction: float) -> Array:
    """Return the edges of the pyramid inscribed in the friction cone, with vertical force 1. Shape (4, 3)."""
    slope = friction / math.sqrt(2.0)
    return np.array([(slope, slope, 1.0), (slope, -slope, 1.0), (-slope, slope, 1.0), (-slope, -slope, 1.0)])


class ForceDistribution:
    """Non-negative least squares over the pyramid edges of a fixed number of points.

    Minimises |F - sum f|^2 + w |M - sum r x f|^2 + k^2 |edge forces|^2, with a minimum vertical force at every point.

    Args:
        points: Number of contact points.
        friction: Coefficient of the friction cones.
        moment_weight: w^0.5 [1/m].
        regularisation: k.
        min_force_n: Minimum vertical force of every point.
    """

    def __init__(
        self, points: int, *, friction: float, moment_weight: float, regularisation: float, min_force_n: float
    ) -> None:
        self._edges = pyramid_edges(friction)
        self._weight = moment_weight
        self._points = points
        columns = 4 * points
        self._matrix = np.zeros((6 + columns, columns))
        self._target = np.zeros(6 + columns)
        self._matrix[:3] = np.tile(self._edges.T, points)
        self._matrix[6:] = regularisation * np.eye(columns)
        self._x, self._y, self._z = self._matrix[:3]
        self._point = np.repeat(np.arange(points), 4)
        self._ones = np.ones(points)
        self._dual = np.zeros((6, 6))
        self._damping = regularisation**2
        self._least = np.full((points, 3), (0.0, 0.0, min_force_n))

    def share(self, places: Array, force_n: Array, moment_nm: Array) -> Array:
        """Return the forces on the points.

        Args:
            places: Points from the origin of the moment, in world axes. Shape (n, 3).
            force_n: Total force to apply, in world axes. Shape (3,).
            moment_nm: Total moment to apply about the origin. Shape (3,).

        Returns:
            Shape (n, 3).
        """
        weight = self._weight
        least = self._least
        px, py, pz = places.T[:, self._point]
        matrix = self._matrix
        target = self._target
        matrix[3] = weight * (py * self._z - pz * self._y)
        matrix[4] = weight * (pz * self._x - px * self._z)
        matrix[5] = weight * (px * self._y - py * self._x)
        up = least[0, 2]
        sum_x, sum_y, _ = (self._ones @ places).tolist()
        fx, fy, fz = force_n.tolist()
        mx, my, mz = moment_nm.tolist()
        target[:6] = (
            fx,
            fy,
            fz - self._points * up,
            weight * (mx - up * sum_y),
            weight * (my + up * sum_x),
            weight * mz,
        )
        amounts = self._all_edges()
        if amounts.min() < 0.0:
            amounts, _ = nnls(matrix, target)
        return np.asarray(amounts.reshape(-1, 4) @ self._edges + least)

    def _all_edges(self) -> Array:
        """Return the least-squares edge forces without sign constraints, by the dual system of six rows."""
        wrench = self._matrix[:6]
        np.matmul(wrench, wrench.T, out=self._dual)
        self._dual.ravel()[::7] += self._damping
        _, _, multiplier, singular = dgesv(self._dual, self._target[:6])
        assert singular == 0, "regularisation keeps the dual regular"
        return np.asarray(multiplier @ wrench)
