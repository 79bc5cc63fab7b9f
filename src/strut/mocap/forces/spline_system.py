"""Spline system: least squares over B-spline coefficients, all coordinates and frames at once, as a banded system.

Unknowns are ordered by time, so the matrix has a band of (degree + 1) times the number of coordinates, and the time to
solve it grows linearly with the length of the trial.
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
_PER_SPAN = 4  # quadrature points of the roughness between two knots


@dataclass(frozen=True, slots=True, eq=False)
class SplineBasis:
    """B-splines over a trial, evaluated at its frames.

    Args:
        first: First spline that is not zero in each frame. Shape (T,).
        values: Of the five splines that are not zero there, and of their first two derivatives. Shape (3, T, 5).
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

    def fit(self, values: Array) -> Array:
        """Return coefficients of the curve nearest to values at the frames. Shape (T, m) in, (n, m) out."""
        system = SplineSystem(self, values.shape[1])
        identity = np.broadcast_to(np.eye(values.shape[1]), (len(values), values.shape[1], values.shape[1]))
        system.add_precision(identity, values)
        system.add_roughness(np.full(values.shape[1], 1e-12))  # splines between frames would be undetermined
        return system.solve().mean


def spline_basis(time_s: Array, spacing_s: float) -> SplineBasis:
    """Return splines of degree four with evenly spaced knots. Shape (T,)."""
    spans = max(round((time_s[-1] - time_s[0]) / spacing_s), 1)
    inner = np.linspace(time_s[0], time_s[-1], spans + 1)
    step = inner[1] - inner[0]
    knots = np.concatenate([inner[0] - step * np.arange(DEGREE, 0, -1), inner, inner[-1] + step * np.arange(1, ORDER)])
    first = np.clip(((time_s - time_s[0]) / step).astype(np.intp), 0, spans - 1)
    unit = BSpline(knots, np.eye(spans + DEGREE), DEGREE)
    index = first[:, None] + np.arange(ORDER)
    values = np.stack([np.take_along_axis(unit(time_s, derivative), index, axis=1) for derivative in range(3)])
    points = inner[0] + step * (np.arange(spans * _PER_SPAN) + 0.5) / _PER_SPAN
    third = unit(points, 3)
    roughness = np.zeros((spans + DEGREE, ORDER))
    for lag in range(ORDER):
        products = (third[:, : third.shape[1] - lag] * third[:, lag:]).sum(axis=0) * step / _PER_SPAN
        roughness[: len(products), lag] = products
    return SplineBasis(first, values, roughness)


@dataclass(frozen=True, slots=True, eq=False)
class SplineSolution:
    """Mean coefficients (n, m), and the Cholesky factor of their precision in banded form."""

    mean: Array
    factor: Array

    def sample(self, count: int, rng: np.random.Generator) -> Array:
        """Return normal samples of the coefficients minus their mean. Shape (count, n, m)."""
        noise = rng.normal(size=(self.mean.size, count))
        samples, _ = dtbtrs(self.factor, noise, uplo="L", trans="T")
        return np.asarray(samples.T.reshape(count, *self.mean.shape))


class SplineSystem:
    """Normal equations in blocks: of spline b and b + k, for all pairs of coordinates."""

    def __init__(self, basis: SplineBasis, width: int) -> None:
        self.basis = basis
        self.width = width  # number of coordinates
        self._blocks = np.zeros((basis.count, ORDER, width, width))  # rows: coordinates of the later spline
        self._right = np.zeros((basis.count, width))

    def add_precision(self, precision: Array, target: Array) -> None:
        """Add squared distances from a target at the frames. Shapes (T, m, m) and (T, m)."""
        values = self.basis.values[0]
        first = self.basis.first
        weighted = np.einsum("tij,tj->ti", precision, target)
        for a in range(ORDER):
            np.add.at(self._right, first + a, values[:, a, None] * weighted)
            for b in range(a, ORDER):
                np.add.at(self._blocks[:, b - a], first + a, (values[:, a] * values[:, b])[:, None, None] * precision)

    def add_rows(self, rows: Array, target: Array) -> None:
        """Add squares of rows times coordinates and derivatives minus a target. Shapes (3, T, r, m), (T, r)."""
        values = self.basis.values
        first = self.basis.first
        by_spline = np.einsum("dta,dtrm->atrm", values, rows)
        for a in range(ORDER):
            np.add.at(self._right, first + a, np.einsum("trm,tr->tm", by_spline[a], target))
            for b in range(a, ORDER):
                np.add.at(self._blocks[:, b - a], first + a, np.swapaxes(by_spline[b], 1, 2) @ by_spline[a])

    def add_roughness(self, weight: Array) -> None:
        """Add integrals of squared third derivatives. Shape (m,)."""
        diagonal = np.arange(self.width)
        for lag in range(ORDER):
            self._blocks[:, lag, diagonal, diagonal] += self.basis.roughness[:, lag, None] * weight

    def solve(self) -> SplineSolution:
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
