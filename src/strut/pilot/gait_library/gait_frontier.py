"""Gait frontier: which points of a grid of gaits are computed next, and from which initial guess.

Computation spreads from the middle of the grid: a finished gait is the initial guess of its neighbours.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from strut.arrays import Array
from strut.pilot.gait_library.gait_library import GaitParameter, GridIndex
from strut.pilot.gait_library.gait_store import GaitRecord
from strut.schemas.gait_library import GaitGrid

MAX_ATTEMPTS = 4  # initial guesses per gait: up to three neighbours, at last a stand


@dataclass(slots=True, eq=False)
class _OpenPoint:
    """An open point: number of attempts, and whether one is running."""

    attempts: int = 0
    running: bool = False


class GaitFrontier:
    """The open points of a grid and the initial guesses for them; one side of the mirror plane is solved."""

    def __init__(self, grid: GaitGrid) -> None:
        self.shape = grid.shape
        self._axes = [axis.values for axis in (grid.forward_m_s, grid.left_m_s, grid.height_m)]
        forward, left, height = (range(count) for count in self.shape)
        self.total = self.shape[0] * self.shape[1] * self.shape[2]
        self.done = 0
        self.open: dict[GridIndex, _OpenPoint] = {
            index: _OpenPoint() for index in product(forward, left, height) if self.is_solved(index)
        }
        self._near = {index: self.neighbours(index) for index in self.open}  # computed once, used at every result
        self._start: dict[GridIndex, Array] = {}
        self._seen: set[GridIndex] = set()

    def is_solved(self, index: GridIndex) -> bool:
        """Return whether a point is solved; the other points are mirror images."""
        return 2 * index[1] >= self.shape[1] - 1

    def mirrored(self, index: GridIndex) -> GridIndex:
        """Return the mirror image of a point; on the middle line, the point itself."""
        i, j, k = index
        return i, self.shape[1] - 1 - j, k

    def parameter(self, index: GridIndex) -> GaitParameter:
        """Return forward speed, lateral speed and height of a point."""
        forward, left, height = (axis[number] for axis, number in zip(self._axes, index, strict=True))
        return forward, left, height

    def take(self, record: GaitRecord) -> None:
        """Count a record as done; the solver variables of a feasible gait are an initial guess for its neighbours."""
        self.done += record.index not in self._seen
        self._seen.add(record.index)
        self.open.pop(record.index, None)
        if record.status == "ok" and record.start is not None:
            self._start[record.index] = record.start

    def again(self, index: GridIndex) -> None:
        """Mark a failed point as ready for another initial guess."""
        self.open[index].running = False

    def ready(self) -> Iterator[tuple[GridIndex, Array | None, int]]:
        """Yield the points that can be attempted now, with initial guess and number of the attempt.

        The initial guesses are one neighbour after the other, at last a stand. Without any gait, the middle of the grid
        is first. Yielded points count as running.
        """
        if not self._start and not self._running:
            middle = min(self.open, key=self.distance_from_middle, default=None)
            yield from [] if middle is None else [self._begun(middle, None)]
            return
        for index in [index for index, attempt in self.open.items() if not attempt.running]:
            yield from self._next_try(index)
        if not self._running:  # the remaining points wait for each other
            yield from [self._begun(index, None) for index in self.open]

    def _next_try(self, index: GridIndex) -> Iterator[tuple[GridIndex, Array | None, int]]:
        """Yield the next attempt at a point, if a neighbour gives an initial guess or no open neighbour could."""
        neighbours = self._near[index]
        attempts = self.open[index].attempts
        beside = [near for near in neighbours if near in self._start]
        if attempts < min(len(beside), MAX_ATTEMPTS - 1):
            yield self._begun(index, self._start[beside[attempts]])
        elif not any(near in self.open for near in neighbours):
            yield self._begun(index, None)

    @property
    def _running(self) -> bool:
        return any(attempt.running for attempt in self.open.values())

    def _begun(self, index: GridIndex, start: Array | None) -> tuple[GridIndex, Array | None, int]:
        """Return an attempt, marked as running; a stand is the last initial guess."""
        attempt = self.open[index]
        attempt.attempts = MAX_ATTEMPTS if start is None else attempt.attempts + 1
        attempt.running = True
        return index, start, attempt.attempts

    def distance_from_middle(self, index: GridIndex) -> float:
        """Return the number of grid steps from the middle of the grid."""
        return sum(abs(number - (count - 1) / 2.0) for number, count in zip(index, self.shape, strict=True))

    def neighbours(self, index: GridIndex) -> list[GridIndex]:
        """Return the solved points one grid step away, those nearest to the middle of the grid first."""
        neighbours = []
        for axis, step in product(range(3), (-1, 1)):
            near = list(index)
            near[axis] += step
            if 0 <= near[axis] < self.shape[axis] and self.is_solved((near[0], near[1], near[2])):
                neighbours.append((near[0], near[1], near[2]))
        return sorted(neighbours, key=self.distance_from_middle)
