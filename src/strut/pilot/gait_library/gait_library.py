"""Gait library: periodic gaits as Bézier curves on a grid of forward speed, lateral speed and height.

A gait is two steps that repeat, first on the left foot, then on the right foot. Lookup interpolates coefficients and
step time trilinearly: it is exact on the grid, continuous in between, and clamped outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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

DEGREE = 7  # curves of degree 5 deviate from the solver's trajectory by up to 8 mrad, of degree 7 by up to 2 mrad
STANCES = 2
GridIndex = tuple[int, int, int]
GaitParameter = tuple[float, float, float]
BASE_MIRROR = (1.0, -1.0, 1.0, 1.0, -1.0, -1.0)  # forward, left, up from the stance sole; pitch, roll, yaw


@dataclass(frozen=True, slots=True, eq=False)
class PeriodicGait:
    """A gait of two steps that repeat.

    Args:
        parameter: Mean speed forward and left [m/s], and height of the base [m].
        step_s: Duration of each step.
        base: Coefficients of the base's coordinates, relative to the stance sole. Shape (2, 6, degree + 1).
        motors: Coefficients of the motor angles, left leg first. Shape (2, n_motors, degree + 1).
    """

    parameter: GaitParameter
    step_s: float
    base: Array
    motors: Array

    def __post_init__(self) -> None:
        for name in ("base", "motors"):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    def at(self, stance: int, share: Array | float, order: int = 0) -> tuple[Array, Array]:
        """Return base (..., 6) and motors (..., n_motors), or their time derivatives, at shares of a step."""
        basis = bezier_basis(self.base.shape[-1] - 1, share, order) / self.step_s**order
        return basis @ self.base[stance].T, basis @ self.motors[stance].T

    def mirror(self, motor_mirror: Sequence[float]) -> PeriodicGait:
        """Return the mirror image, with left and right exchanged; its lateral speed is opposite.

        Args:
            motor_mirror: Sign of each motor of a leg, as gait_library.toml has it. Shape (n_motors / 2,).
        """
        forward, left, height = self.parameter
        half = self.motors.shape[1] // 2
        base = self.base[::-1] * np.array(BASE_MIRROR)[:, None]
        legs = self.motors[::-1] * np.tile(motor_mirror, 2)[:, None]
        return PeriodicGait((forward, -left, height), self.step_s, base, np.roll(legs, half, axis=1))


def bezier_basis(degree: int, share: Array | float, order: int = 0) -> Array:
    """Return the Bernstein polynomials at shares, or a derivative. Shape (...) in, (..., degree + 1) out."""
    differences = _differences(degree, order)
    at = np.asarray(share, dtype=float)[..., None]
    left = degree - order
    k = np.arange(left + 1)
    return np.asarray(comb(left, k) * at**k * (1.0 - at) ** (left - k) @ differences)


@lru_cache(maxsize=64)
def _differences(degree: int, order: int) -> Array:
    """Return the map from coefficients to the coefficients of a derivative. Shape (degree + 1 - order, degree + 1)."""
    matrix = np.eye(degree + 1)
    for lower in range(order):
        matrix = (degree - lower) * np.diff(matrix, axis=0)
    return matrix


def bezier_fit(share: Array, values: Array) -> Array:
    """Return the least-squares fit of curves, exact at the ends. Shapes (T,), (T, n) in, (n, DEGREE + 1) out."""
    basis = bezier_basis(DEGREE, share)
    ends = values[[0, -1]]
    inner = np.linalg.lstsq(basis[:, 1:-1], values - basis[:, [0, -1]] @ ends, rcond=None)[0]
    return np.asarray(np.concatenate([ends[:1], inner, ends[1:]]).T)


class GaitLibrary:
    """Gaits on a grid.

    Args:
        robot: Name of the robot.
        fingerprint: Fingerprint of its body.
        grid: Grid of speeds and heights.
        gaits: Gaits by index on the grid; infeasible points are missing.
    """

    def __init__(self, robot: str, fingerprint: str, grid: GaitGrid, gaits: Mapping[GridIndex, PeriodicGait]) -> None:
        if not gaits:
            raise OutOfRangeError(
                f"The gait library of {robot} holds no gait; `strut library build {robot}` computes them."
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
        """Return the gait at an index of the grid."""
        axes = self.axes
        parameter = (float(axes[0][forward]), float(axes[1][left]), float(axes[2][height]))
        return self._decode(parameter, self._values[forward, left, height])

    def lookup(self, forward_m_s: float, left_m_s: float, height_m: float, *, beyond: float = 0.0) -> PeriodicGait:
        """Return the gait interpolated between the eight grid points around; outside the grid, at its border.

        `beyond` extrapolates by so many cells before clamping. Raises OutOfRangeError if one of the eight points has no
        gait.
        """
        parameter = (forward_m_s, left_m_s, height_m)
        clamped = []
        low = []
        share = []
        for axis, value in zip(self.axes, parameter, strict=True):
            below = min(max(int(np.searchsorted(axis, value, side="right")) - 1, 0), max(len(axis) - 2, 0))
            width = float(axis[below + 1] - axis[below]) if len(axis) > 1 else 0.0
            clamped_value = min(max(value, float(axis[0]) - beyond * width), float(axis[-1]) + beyond * width)
            clamped.append(clamped_value)
            low.append(below)
            share.append((clamped_value - float(axis[below])) / (width or 1.0))
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
        return self._decode((clamped[0], clamped[1], clamped[2]), total)

    def _decode(self, parameter: GaitParameter, values: Array) -> PeriodicGait:
        both = values[1:].reshape(self._form)
        return PeriodicGait(parameter, float(values[0]), both[:, :BASE], both[:, BASE:])
