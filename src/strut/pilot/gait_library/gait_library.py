"""Gait library: periodic walks over speed forward, speed left and height, coded as Bézier curves and looked up between.

A gait is two steps that repeat, first on the left foot, then on the right one. Lookup is trilinear in the coefficients
and the step time; it is exact at the grid and continuous between, and clamps to the grid outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt
from scipy.special import comb

from strut.arrays import Array, frozen_array
from strut.errors import OutOfRangeError
from strut.robot import BASE
from strut.schemas.gait_library import GaitGrid

DEGREE = 7  # of the curves: with 5 they are up to 8 mrad off what the solver finds, with 7 up to 2 mrad
STANCES = 2
GridIndex = tuple[int, int, int]
GaitParameter = tuple[float, float, float]
BASE_MIRROR = (1.0, -1.0, 1.0, 1.0, -1.0, -1.0)  # forward, left, up from the standing sole; pitch, roll, yaw
MOTOR_MIRROR = (-1.0, -1.0, 1.0, 1.0, 1.0)  # abduction, yaw, pitch, knee, foot: legs turn out in the mirror as here


@dataclass(frozen=True, slots=True, eq=False)
class PeriodicGait:
    """Two steps that repeat.

    Args:
        parameter: Mean speed forward and left, and height of the base.
        step_s: Of each step.
        base: Coefficients of the base's coordinates from the sole of the standing foot. Shape (2, 6, degree + 1).
        motors: Coefficients of the motors' angles, left leg first. Shape (2, n_motors, degree + 1).
    """

    parameter: GaitParameter
    step_s: float
    base: Array
    motors: Array

    def __post_init__(self) -> None:
        for name in ("base", "motors"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    def at(self, stance: int, share: Array | float, order: int = 0) -> tuple[Array, Array]:
        """Return base (..., 6) and motors (..., n_motors), or their derivatives in time, at shares of a step."""
        basis = bezier_basis(self.base.shape[-1] - 1, share, order) / self.step_s**order
        return basis @ self.base[stance].T, basis @ self.motors[stance].T

    def mirrored(self) -> PeriodicGait:
        """Return the gait seen in a mirror: left and right, and so the speed to the left, exchanged."""
        forward, left, height = self.parameter
        half = self.motors.shape[1] // 2
        base = self.base[::-1] * np.array(BASE_MIRROR)[:, None]
        legs = self.motors[::-1] * np.tile(MOTOR_MIRROR, 2)[:, None]
        return PeriodicGait((forward, -left, height), self.step_s, base, np.roll(legs, half, axis=1))


def bezier_basis(degree: int, share: Array | float, order: int = 0) -> Array:
    """Return the Bernstein polynomials at shares from 0 to 1, or derivatives. Shape (...) in, (..., degree + 1) out."""
    differences = _differences(degree, order)
    at = np.asarray(share, dtype=float)[..., None]
    left = degree - order
    k = np.arange(left + 1)
    return np.asarray(comb(left, k) * at**k * (1.0 - at) ** (left - k) @ differences)


@lru_cache(maxsize=64)
def _differences(degree: int, order: int) -> Array:
    """Return the map from coefficients to those of a derivative. Shape (degree + 1 - order, degree + 1)."""
    matrix = np.eye(degree + 1)
    for lower in range(order):
        matrix = (degree - lower) * np.diff(matrix, axis=0)
    return matrix


def bezier_fit(share: Array, values: Array) -> Array:
    """Return the coefficients of the nearest curves, exact at the ends. Shapes (T,), (T, n) in, (n, DEGREE + 1) out."""
    basis = bezier_basis(DEGREE, share)
    ends = values[[0, -1]]
    inner = np.linalg.lstsq(basis[:, 1:-1], values - basis[:, [0, -1]] @ ends, rcond=None)[0]
    return np.asarray(np.concatenate([ends[:1], inner, ends[1:]]).T)


class GaitLibrary:
    """Gaits on a grid.

    Args:
        robot: Whose.
        fingerprint: Of its body.
        grid: Where the gaits lie.
        gaits: By index on the grid; what is missing could not be found.
    """

    def __init__(self, robot: str, fingerprint: str, grid: GaitGrid, gaits: Mapping[GridIndex, PeriodicGait]) -> None:
        if not gaits:
            raise OutOfRangeError(
                f"The gait library of {robot} holds no gait; `strut library build {robot}` makes them."
            )
        self.robot = robot
        self.fingerprint = fingerprint
        self.grid = grid
        self.axes = tuple(np.array(axis.values) for axis in (grid.forward_m_s, grid.left_m_s, grid.height_m))
        shape = tuple(len(axis) for axis in self.axes)
        first = next(iter(gaits.values()))
        rows = BASE + first.motors.shape[1]
        self._values = np.zeros((*shape, 1 + STANCES * rows * first.base.shape[-1]))
        self._form = (STANCES, rows, first.base.shape[-1])
        self.present: npt.NDArray[np.bool_] = np.zeros(shape, dtype=bool)
        for index, gait in gaits.items():
            both = np.concatenate([gait.base, gait.motors], axis=1)
            self._values[index] = np.append(gait.step_s, both.ravel())
            self.present[index] = True

    def __len__(self) -> int:
        return int(self.present.sum())

    def __iter__(self) -> Iterator[tuple[GridIndex, PeriodicGait]]:
        for i, j, k in np.argwhere(self.present).tolist():
            yield (i, j, k), self.gait(i, j, k)

    def gait(self, forward: int, left: int, height: int) -> PeriodicGait:
        """Return the gait at a point of the grid."""
        axes = self.axes
        return self._made(
            (float(axes[0][forward]), float(axes[1][left]), float(axes[2][height])), self._values[forward, left, height]
        )

    def lookup(self, forward_m_s: float, left_m_s: float, height_m: float, *, beyond: float = 0.0) -> PeriodicGait:
        """Return the gait between the nearest eight; outside the grid, that of its border.

        With `beyond`, gaits of the border are continued outwards by so many cells of the grid. Raises OutOfRangeError
        where one of the eight is missing.
        """
        asked = (forward_m_s, left_m_s, height_m)
        inside = []
        low = []
        share = []
        for axis, value in zip(self.axes, asked, strict=True):
            below = min(max(int(np.searchsorted(axis, value, side="right")) - 1, 0), max(len(axis) - 2, 0))
            width = float(axis[below + 1] - axis[below]) if len(axis) > 1 else 0.0
            held = min(max(value, float(axis[0]) - beyond * width), float(axis[-1]) + beyond * width)
            inside.append(held)
            low.append(below)
            share.append((held - float(axis[below])) / (width or 1.0))
        total = np.zeros(self._values.shape[-1])
        for corner in product((0, 1), repeat=3):
            weight = float(np.prod([s if up else 1.0 - s for up, s in zip(corner, share, strict=True)]))
            if weight != 0.0:
                index = tuple(below + up for below, up in zip(low, corner, strict=True))
                if not self.present[index]:
                    raise OutOfRangeError(
                        f"{self.robot} has no gait at {forward_m_s:g} and {left_m_s:g} m/s, {height_m:g} m high; "
                        f"`strut library map {self.robot}` shows where it has some."
                    )
                total += weight * self._values[index]
        return self._made((inside[0], inside[1], inside[2]), total)

    def _made(self, parameter: GaitParameter, values: Array) -> PeriodicGait:
        both = values[1:].reshape(self._form)
        return PeriodicGait(parameter, float(values[0]), both[:, :BASE], both[:, BASE:])
