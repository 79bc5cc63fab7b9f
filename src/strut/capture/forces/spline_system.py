"""Spline system: least squares over the coefficients of B-splines, all coordinates and frames at once, banded.

Unknowns are ordered by time, so the matrix has a band of (degree + 1) times the number of coordinates and is solved in
a time that grows with the length of the trial only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.interpolate import BSpline
from scipy.linalg import cho_solve_banded, cholesky_banded
from scipy.linalg.lapack import dtbtrs

from strut.arrays import Array

DEGREE = 4
ORDER = DEGREE + 1
_PER_SPAN = 4  # points of the quadrature of roughness, between two knots


@dataclass(frozen=True, slots=True, eq=False)
class SplineBasis:
    """B-splines over a trial, at its frames.

    Args:
        first: The first spline that is not zero in each frame. Shape (T,).
        values: Of the five splines that are not zero there, their first and their second derivatives. Shape (3, T, 5).
        roughness: Integral of products of third derivatives of spline b and b + k. Shape (n, 5).
    """

    first: npt.NDArray[np.intp]
    values: Array
    roughness: Array

    @property
    def count(self) -> int:
        """Number of splines."""
        return len(self.roughness)

    def at_frames(self, coefficients: Array, derivative: int = 0) -> Array:
        """Return a curve or its derivative at the frames. Shape (n, m) in, (T, m) out."""
        index = self.first[:, None] + np.arange(ORDER)
        return np.asarray(np.einsum("ta,tam->tm", self.values[derivative], coefficients[index]))

    def fitted(self, values: Array) -> Array:
        """Return coefficients of the curve nearest to values at the frames. Shape (T, m) in, (n, m) out."""
        system = SplineSystem(self, values.shape[1])
        weight = np.broadcast_to(np.eye(values.shape[1]), (len(values), values.shape[1], values.shape[1]))
        system.add_precision(weight, values)
        system.add_roughness(np.full(values.shape[1], 1e-12))
        return system.solved().mean


def spline_basis(time_s: Array, spacing_s: float) -> SplineBasis:
    """Return splines of degree four with evenly spaced knots. Shape (T,)."""
    spans = max(round((time_s[-1] - time_s[0]) / spacing_s), 1)
    inner = np.linspace(time_s[0], time_s[-1], spans + 1)
    step = inner[1] - inner[0]
    knots = np.concatenate([inner[0] - step * np.arange(DEGREE, 0, -1), inner, inner[-1] + step * np.arange(1, ORDER)])
    first = np.clip(((time_s - time_s[0]) / step).astype(np.intp), 0, spans - 1)
    unit = BSpline(knots, np.eye(spans + DEGREE), DEGREE)
    index = first[:, None] + np.arange(ORDER)
    values = np.stack([np.take_along_axis(unit(time_s, nu), index, axis=1) for nu in range(3)])
    points = inner[0] + step * (np.arange(spans * _PER_SPAN) + 0.5) / _PER_SPAN
    third = unit(points, 3)
    roughness = np.zeros((spans + DEGREE, ORDER))
    for lag in range(ORDER):
        own = (third[:, : third.shape[1] - lag] * third[:, lag:]).sum(axis=0) * step / _PER_SPAN
        roughness[: len(own), lag] = own
    return SplineBasis(first, values, roughness)


@dataclass(frozen=True, slots=True, eq=False)
class SplineSolution:
    """Coefficients (n, m) and the factor of their precision, in banded form."""

    mean: Array
    factor: Array

    def draws(self, count: int, rng: np.random.Generator) -> Array:
        """Return coefficients drawn around the mean as uncertain as they are, minus the mean. Shape (count, n, m)."""
        noise = rng.normal(size=(self.mean.size, count))
        drawn, _ = dtbtrs(self.factor, noise, uplo="L", trans="T")
        return np.asarray(drawn.T.reshape(count, *self.mean.shape))


class SplineSystem:
    """Normal equations in blocks: of spline b and b + k, for all pairs of coordinates."""

    def __init__(self, basis: SplineBasis, width: int) -> None:
        self.basis = basis
        self.width = width
        self._blocks = np.zeros((basis.count, ORDER, width, width))  # rows: coordinates of the later spline
        self._right = np.zeros((basis.count, width))

    def add_precision(self, precision: Array, target: Array) -> None:
        """Add squares of the distance from a target at the frames. Shapes (T, m, m) and (T, m)."""
        values = self.basis.values[0]
        first = self.basis.first
        pull = np.einsum("tij,tj->ti", precision, target)
        for a in range(ORDER):
            np.add.at(self._right, first + a, values[:, a, None] * pull)
            for b in range(a, ORDER):
                np.add.at(self._blocks[:, b - a], first + a, (values[:, a] * values[:, b])[:, None, None] * precision)

    def add_rows(self, rows: Array, target: Array) -> None:
        """Add squares of rows times coordinates, rates, accelerations minus a target. Shapes (3, T, r, m), (T, r)."""
        values = self.basis.values
        first = self.basis.first
        own = np.einsum("dta,dtrm->atrm", values, rows)
        for a in range(ORDER):
            np.add.at(self._right, first + a, np.einsum("trm,tr->tm", own[a], target))
            for b in range(a, ORDER):
                np.add.at(self._blocks[:, b - a], first + a, np.swapaxes(own[b], 1, 2) @ own[a])

    def add_roughness(self, weight: Array) -> None:
        """Add integrals of squared third derivatives. Shape (m,)."""
        diagonal = np.arange(self.width)
        for lag in range(ORDER):
            self._blocks[:, lag, diagonal, diagonal] += self.basis.roughness[:, lag, None] * weight

    def solved(self) -> SplineSolution:
        """Return the coefficients with the least sum of squares."""
        count = self.basis.count
        width = self.width
        band = np.zeros((ORDER * width, count * width))
        for lag in range(ORDER):
            for row in range(width):
                for column in range(width if lag else row + 1):
                    band[lag * width + row - column, column::width] += self._blocks[:, lag, row, column]
        factor = cholesky_banded(band, lower=True, check_finite=False)
        mean = cho_solve_banded((factor, True), self._right.ravel(), check_finite=False)
        return SplineSolution(mean.reshape(count, width), factor)
