"""Seamless loop: one gait cycle, repeated without a jump for as long as wanted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from strut.arrays import Array
from strut.errors import StudyError
from strut.maths.sampling import interpolate_columns

_RATE_HZ = 60.0  # sampling rate of the search; finer than that of the page (30 Hz)
_MAX_SAMPLES = 1200  # of a long motion the middle 20 s are searched: the matrix of differences is square
_MIN_CYCLE_S = 0.2  # shorter than a stride of any robot
_SAME = 0.02  # share of the largest squared difference below which posture and velocity repeat
_DIFFERENT = 0.25  # share of the largest squared difference that a cycle must reach before it repeats
_VELOCITY_S = 0.1  # converts velocities to distances, to compare them with postures


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """One cycle: its instants (T,), its points relative to the base (T, n, 3) and the path of the base (T, 3)."""

    time_s: Array
    points: Array
    base: Array

    def at(self, time_s: Array) -> tuple[Array, Array]:
        """Return points and base at instants of the endless repetition. Shapes (S,) in, (S, n, 3) and (S, 3) out."""
        period = self.time_s[-1] - self.time_s[0]
        turns, phase = np.divmod(time_s - self.time_s[0], period)
        share = (phase / period)[:, None]
        gap = (self.points[-1] - self.points[0]).ravel()  # the rest between the ends is spread over the cycle
        at_s = phase + self.time_s[0]
        points = self.points.reshape(len(self.points), -1)
        posture = interpolate_columns(at_s, self.time_s, points) - share * gap
        path = interpolate_columns(at_s, self.time_s, self.base)
        path = path + turns[:, None] * (self.base[-1] - self.base[0])
        return posture.reshape(len(time_s), -1, 3), path


def find_cycle(name: str, time_s: Array, points: Array, base: Array) -> Cycle:
    """Return the shortest cycle of a motion; raise StudyError if no posture repeats.

    Points are relative to the base, `base` is its path. Shapes (T,), (T, n, 3) and (T, 3).
    """
    even = np.arange(time_s[0], time_s[-1] + 1e-9, 1.0 / _RATE_HZ)
    spare = max(0, len(even) - _MAX_SAMPLES) // 2
    even = even[spare : len(even) - spare]
    postures = interpolate_columns(even, time_s, points.reshape(len(points), -1))
    state = np.hstack([postures, _VELOCITY_S * np.gradient(postures, 1.0 / _RATE_HZ, axis=0)])
    difference = squareform(pdist(state, "sqeuclidean"))
    ends = _shortest_cycle(difference / max(float(difference.max()), 1e-12))
    if ends is None:
        raise StudyError(f"Stimulus {name} holds no whole cycle; plan more cycles or write loop = false.")
    cycle_s = even[ends[0] : ends[1] + 1]
    posture = postures[ends[0] : ends[1] + 1].reshape(len(cycle_s), -1, 3)
    return Cycle(cycle_s, posture, interpolate_columns(cycle_s, time_s, base))


def _shortest_cycle(difference: Array) -> tuple[int, int] | None:
    """Return first and last sample of the shortest cycle; of several as short, the one with the closest ends.

    `difference` are squared differences of all pairs of samples as shares of the largest. Shape (T, T).
    """
    largest = np.maximum.accumulate(np.triu(difference), axis=1)  # since the first sample of each row
    first, last = np.nonzero(np.triu((difference < _SAME) & (largest >= _DIFFERENT), k=round(_MIN_CYCLE_S * _RATE_HZ)))
    if not len(first):
        return None
    length = last - first
    near = np.flatnonzero(length <= 1.05 * length.min())
    best = near[np.argmin(difference[first[near], last[near]])]
    return int(first[best]), int(last[best])
