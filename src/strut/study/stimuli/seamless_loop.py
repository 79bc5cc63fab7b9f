"""Seamless loop: one cycle of a gait, repeated for as long as wanted without a jump."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import pdist, squareform

from strut.arrays import Array
from strut.errors import StudyError
from strut.maths.sampling import columns_at

_RATE_HZ = 60.0  # at which a cycle is looked for
_MOST_SAMPLES = 1200  # of the middle of a long motion
_SHORTEST_S = 0.2
_ALIKE = 0.02  # of the largest squared difference: that little is the same posture and velocity again
_AWAY = 0.25  # of the largest squared difference: so far a cycle goes before it comes back
_VELOCITY_S = 0.1  # a velocity counts as the way in this time


@dataclass(frozen=True, slots=True, eq=False)
class Cycle:
    """One cycle: when it begins and ends, its points about the base and the base's way. Shapes (T, n, 3), (T, 3)."""

    time_s: Array
    points: Array
    base: Array

    def at(self, time_s: Array) -> tuple[Array, Array]:
        """Return points and base at instants of the endless repetition. Shapes (S, n, 3) and (S, 3)."""
        period = self.time_s[-1] - self.time_s[0]
        turns, phase = np.divmod(time_s - self.time_s[0], period)
        share = (phase / period)[:, None]
        gap = (self.points[-1] - self.points[0]).ravel()  # what is left between the ends is spread over the cycle
        at_s = phase + self.time_s[0]
        points = self.points.reshape(len(self.points), -1)
        posture = columns_at(at_s, self.time_s, points) - share * gap
        way = columns_at(at_s, self.time_s, self.base)
        way = way + turns[:, None] * (self.base[-1] - self.base[0])
        return posture.reshape(len(time_s), -1, 3), way


def find_cycle(name: str, time_s: Array, points: Array, base: Array) -> Cycle:
    """Return the shortest cycle of a motion; raises StudyError where no posture comes again.

    Points are about the base, base is its way. Shapes (T,), (T, n, 3) and (T, 3).
    """
    even = np.arange(time_s[0], time_s[-1] + 1e-9, 1.0 / _RATE_HZ)
    spare = max(0, len(even) - _MOST_SAMPLES) // 2
    even = even[spare : len(even) - spare]
    postures = columns_at(even, time_s, points.reshape(len(points), -1))
    state = np.hstack([postures, _VELOCITY_S * np.gradient(postures, 1.0 / _RATE_HZ, axis=0)])
    apart = squareform(pdist(state, "sqeuclidean"))
    ends = _shortest_cycle(apart / max(float(apart.max()), 1e-12))
    if ends is None:
        raise StudyError(f"Stimulus {name} holds no whole cycle; plan more cycles or write loop = false.")
    own = even[ends[0] : ends[1] + 1]
    return Cycle(own, postures[ends[0] : ends[1] + 1].reshape(len(own), -1, 3), columns_at(own, time_s, base))


def _shortest_cycle(apart: Array) -> tuple[int, int] | None:
    """Return where a state comes again after it went far away: the shortest such way, and of those the closest ends.

    `apart` are squared differences of all samples with each other as shares of the largest. Shape (T, T).
    """
    farthest = np.maximum.accumulate(np.triu(apart), axis=1)  # how far a state has been gone from, by each later one
    first, last = np.nonzero(np.triu((apart < _ALIKE) & (farthest >= _AWAY), k=round(_SHORTEST_S * _RATE_HZ)))
    if not len(first):
        return None
    length = last - first
    near = np.flatnonzero(length <= 1.05 * length.min())
    best = near[np.argmin(apart[first[near], last[near]])]
    return int(first[best]), int(last[best])
