"""Phase clock: the cycles that a walk has done by a time, where its pace changes on the way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.interpolate import CubicSpline

from strut.arrays import Array

CLOCK_HZ = 1000.0  # samples of the clock; between them, walks are straight within a micrometre


@dataclass(frozen=True, slots=True, eq=False)
class PhaseClock:
    """The clock of a walk. All shapes (m,).

    Args:
        time_s: Instants, evenly spaced.
        phase: Cycles since the first step, below 0 before it; increasing.
        rate: Cycles per second.
    """

    time_s: Array
    phase: Array
    rate: Array

    @classmethod
    def of_rate(cls, time_s: Array, rate: Array, start_s: float) -> Self:
        """Return the clock that runs at given rates and is at 0 at a time. Instants of `clock_times`. Shapes (m,)."""
        usual = rate[0]
        gained = CubicSpline(time_s, rate - usual).antiderivative()(time_s)
        gained -= np.interp(start_s, time_s, gained)
        return cls(time_s, (time_s - start_s) * usual + gained, rate)

    def phase_at(self, time_s: Array) -> Array:
        """Return the phase at times. Shape (...) in and out."""
        return np.asarray(np.interp(time_s, self.time_s, self.phase))

    def time_at(self, phase: Array) -> Array:
        """Return the time of phases [s]. Shape (...) in and out."""
        return np.asarray(np.interp(phase, self.phase, self.time_s))

    def whole_cycles(self, end_s: float, fewest: int) -> int:
        """Return the number of whole cycles with which the walk ends closest to a time."""
        return max(fewest, round(float(self.phase_at(np.array(end_s)))))


def clock_times(duration_s: float) -> Array:
    """Return the instants of a clock, from 0. Shape (m,)."""
    return np.arange(round(duration_s * CLOCK_HZ) + 1) / CLOCK_HZ


def clock_integral(values: Array) -> Array:
    """Return the integral of samples of a clock over time, from 0. Shape (m,) in and out."""
    return np.concatenate([[0.0], np.cumsum((values[1:] + values[:-1]) / (2.0 * CLOCK_HZ))])
