"""Gait library build: every point of a grid as one periodic gait, from neighbour to neighbour, on many workers.

A gait starts from a neighbour that is done. What is found is written at once, so that whoever is killed, a worker, the
scheduler or the builder, costs only what was being computed. Gaits to the right are mirror images of those to the left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import LibraryError, OutOfRangeError
from strut.models.catalogue import as_robot, load_robot
from strut.pilot.gait_library.gait_audit import gait_audit, gait_shortfall
from strut.pilot.gait_library.gait_library import GaitParameter, GridIndex, PeriodicGait
from strut.pilot.gait_library.gait_optimization import GaitProgram, gait_library_table
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore, OnGait, gait_home
from strut.pilot.gait_library.task_farm import TaskFarm, check_reachable
from strut.robot import Robot
from strut.schemas.gait_library import GaitGrid

FIGURES = ("solve_s", "iterations", "off_line_mm", "slip_mm", "clearance_mm", "height_off_mm", "joint_speed_use")
LEAST_IS_WORST = ("clearance_mm",)
MOST_STARTS = 4  # neighbours that a gait is tried from before it counts as failed; the last start is a stand


def grid_of(robot: Robot, counts: tuple[int, int, int] | None = None) -> GaitGrid:
    """Return a robot's grid, or one with other numbers of values over the same ranges."""
    grid = gait_library_table(robot).grid
    if counts is None:
        return grid
    for count in counts:
        if not 1 <= count <= 101:
            raise OutOfRangeError(f"A grid of {count} values is impossible; choose 1 to 101 for each axis.")
    axes = (grid.forward_m_s, grid.left_m_s, grid.height_m)
    made = [_with_count(axis, count) for axis, count in zip(axes, counts, strict=True)]
    return GaitGrid(*made)


def _with_count(axis: Any, count: int) -> Any:
    return type(axis)(axis.least, axis.most, count)


def build_gait_library(
    robot: Robot | str,
    store: Path | str | None = None,
    *,
    counts: tuple[int, int, int] | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_gait: OnGait | None = None,
) -> GaitStore:
    """Find the gaits of a robot on a grid; what a store holds already is not computed again.

    Args:
        robot: Whose, or its name.
        store: File to write to; the user's own if None.
        counts: How many values of speed forward, speed left and height; the published numbers if None.
        workers: Processes on this machine, as many as it has cores if None.
        scheduler: Address of a Dask scheduler whose workers are used instead.
        on_gait: Told every record, how many are done, and how many there are.

    Raises:
        SchedulerError: If the scheduler cannot be reached, or was lost; what is finished is kept.
        LibraryError: If the store is damaged, or of another robot, grid or version.

    Example:
        >>> len(strut.build_gait_library("cassie", "gaits.db", counts=(5, 5, 5)).library())
    """
    robot = as_robot(robot)
    grid = grid_of(robot, counts)
    check_reachable(scheduler)  # before a store is made that would stay empty
    into = GaitStore(gait_home(robot.name) if store is None else Path(store), robot, grid)
    frontier = _Frontier(into.grid)
    for record in into.records():
        frontier.take(record)
    if frontier.open:
        with TaskFarm(workers=workers, scheduler=scheduler) as farm:
            _spread(farm, frontier, robot, into, on_gait)
    return into


def _spread(farm: TaskFarm, frontier: _Frontier, robot: Robot, into: GaitStore, on_gait: OnGait | None) -> None:
    """Submit what has a neighbour to start from, take results, and go on from there."""

    def send() -> None:
        for index, start, attempt in frontier.ready():
            body = (robot.name, robot.fingerprint)
            mirror = frontier.mirrored(index) != index
            farm.submit((index, attempt), found_gait, *body, frontier.parameter(index), start, mirror)

    farm.prepare(prepared, robot.name)
    send()
    for (index, attempt), found in farm.results():
        if found[0].status == "ok" or attempt >= MOST_STARTS:
            places = (index, frontier.mirrored(index))
            records = [replace(record, index=place) for record, place in zip(found, places, strict=False)]
            into.put(*records)  # a gait and its mirror image, or neither
            _take(records, frontier, on_gait)
        else:
            frontier.again(index)
        send()


def _take(records: list[GaitRecord], frontier: _Frontier, on_gait: OnGait | None) -> None:
    for record in records:
        frontier.take(record)
        if on_gait is not None:
            on_gait(record, frontier.done, frontier.total)


def _mirrored(record: GaitRecord, robot: Robot) -> GaitRecord:
    """Return the record of the mirror image, measured anew."""
    if record.gait is None:
        return replace(record, start=None)
    return judged_gait(robot, record.gait.mirrored(), record.figures)


@dataclass(slots=True, eq=False)
class _Try:
    """An open point: how often it was tried, and whether somebody tries it now."""

    attempts: int = 0
    running: bool = False


class _Frontier:
    """Which points of a grid are done, which could be started, and from where; one side of the mirror is solved."""

    def __init__(self, grid: GaitGrid) -> None:
        self.shape = grid.shape
        self._axes = [axis.values for axis in (grid.forward_m_s, grid.left_m_s, grid.height_m)]
        forward, left, height = (range(count) for count in self.shape)
        self.total = self.shape[0] * self.shape[1] * self.shape[2]
        self.done = 0
        self.open: dict[GridIndex, _Try] = {
            index: _Try() for index in product(forward, left, height) if self.is_solved(index)
        }
        self._near = {index: self._neighbours(index) for index in self.open}  # asked for at every result
        self._start: dict[GridIndex, Array] = {}
        self._seen: set[GridIndex] = set()

    def is_solved(self, index: GridIndex) -> bool:
        """Return whether a point is solved; others are mirror images."""
        return 2 * index[1] >= self.shape[1] - 1

    def mirrored(self, index: GridIndex) -> GridIndex:
        """Return the point on the other side of the mirror; itself on the middle line."""
        i, j, k = index
        return i, self.shape[1] - 1 - j, k

    def parameter(self, index: GridIndex) -> GaitParameter:
        forward, left, height = (axis[number] for axis, number in zip(self._axes, index, strict=True))
        return forward, left, height

    def take(self, record: GaitRecord) -> None:
        """Count a record as done; a gait with variables starts its neighbours."""
        self.done += record.index not in self._seen
        self._seen.add(record.index)
        self.open.pop(record.index, None)
        if record.status == "ok" and record.start is not None:
            self._start[record.index] = record.start

    def again(self, index: GridIndex) -> None:
        """Let a point that failed be tried from elsewhere."""
        self.open[index].running = False

    def ready(self) -> Iterator[tuple[GridIndex, Array | None, int]]:
        """Yield the points that can be tried now, from where, and the number of the attempt; they count as running.

        A point is tried from one neighbour after the other, at last from a stand. Without any gait, the middle begins.
        """
        if not self._start and not self._running:
            middle = min(self.open, key=self._from_middle, default=None)
            yield from [] if middle is None else [self._begun(middle, None)]
            return
        for index in [index for index, attempt in self.open.items() if not attempt.running]:
            yield from self._next_try(index)
        if not self._running:  # points that wait for each other
            yield from [self._begun(index, None) for index in self.open]

    def _next_try(self, index: GridIndex) -> Iterator[tuple[GridIndex, Array | None, int]]:
        """Yield the next attempt at a point, if there is a neighbour to try from or none to wait for."""
        neighbours = self._near[index]
        attempts = self.open[index].attempts
        beside = [near for near in neighbours if near in self._start]
        if attempts < min(len(beside), MOST_STARTS - 1):
            yield self._begun(index, self._start[beside[attempts]])
        elif not any(near in self.open for near in neighbours):
            yield self._begun(index, None)

    @property
    def _running(self) -> bool:
        return any(attempt.running for attempt in self.open.values())

    def _begun(self, index: GridIndex, start: Array | None) -> tuple[GridIndex, Array | None, int]:
        """Return an attempt; one from a stand is the last."""
        attempt = self.open[index]
        attempt.attempts = MOST_STARTS if start is None else attempt.attempts + 1
        attempt.running = True
        return index, start, attempt.attempts

    def _from_middle(self, index: GridIndex) -> float:
        return sum(abs(number - (count - 1) / 2.0) for number, count in zip(index, self.shape, strict=True))

    def _neighbours(self, index: GridIndex) -> list[GridIndex]:
        found = []
        for axis, step in product(range(3), (-1, 1)):
            near = list(index)
            near[axis] += step
            if 0 <= near[axis] < self.shape[axis] and self.is_solved((near[0], near[1], near[2])):
                found.append((near[0], near[1], near[2]))
        return sorted(found, key=self._from_middle)


@lru_cache(maxsize=2)
def _program(robot: str) -> GaitProgram:
    return GaitProgram(load_robot(robot))


def prepared(robot: str) -> None:
    """Make what every gait of a robot is found with, which takes a worker as long as several gaits."""
    _program(robot)


def found_gait(
    robot: str, fingerprint: str, parameter: GaitParameter, start: Array | None, mirror: bool
) -> tuple[GaitRecord, ...]:
    """Find and judge one gait, and its mirror image if asked: the task of a worker. Who asked knows their indices."""
    program = _program(robot)
    if program.robot.fingerprint != fingerprint:
        raise LibraryError(robot, "a worker has another version of this robot; install the same strut everywhere.")
    began_s = process_time()
    found = program.solve(parameter, program.cold_start(parameter) if start is None else start, warm=start is not None)
    figures = {
        "iterations": found.iterations,
        "warm": start is not None,
        "solve_s": round(process_time() - began_s, 3),
    }
    record = GaitRecord((0, 0, 0), "failed", f"{found.status}.", figures, None)
    if found.gait is not None:
        record = replace(judged_gait(program.robot, found.gait, figures), start=found.variables)
    return (record, _mirrored(record, program.robot)) if mirror else (record,)


def judged_gait(robot: Robot, gait: PeriodicGait, figures: Any) -> GaitRecord:
    """Return the record of a gait, measured by another engine than the one that found it."""
    audit = gait_audit(robot, gait)
    table = gait_library_table(robot)
    violation = gait_shortfall(audit, gait.step_s, table.step_range_s(gait.parameter[2]), table)
    return GaitRecord((0, 0, 0), "failed" if violation else "ok", violation, {**figures, **audit.as_dict()}, gait)


@dataclass(frozen=True, slots=True)
class GaitSummary:
    """What a store holds: how many points are done and found, figures as median and worst, and why some are missing."""

    total: int
    done: int
    found: int
    figures: dict[str, tuple[float, float]]
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON would hold it."""
        return asdict(self)


def gait_summary(store: GaitStore) -> GaitSummary:
    """Return what a store holds."""
    records = list(store.records())
    found = [record for record in records if record.status == "ok"]
    reasons = [
        f"({', '.join(f'{value:g}' for value in store.parameter(record.index))}): {record.reason}"
        for record in records
        if record.status != "ok"
    ]
    return GaitSummary(
        total=store.grid.shape[0] * store.grid.shape[1] * store.grid.shape[2],
        done=len(records),
        found=len(found),
        figures={name: _median_and_worst(name, [float(r.figures[name]) for r in found]) for name in FIGURES if found},
        reasons=tuple(reasons),
    )


def _median_and_worst(name: str, values: list[float]) -> tuple[float, float]:
    return float(np.median(values)), min(values) if name in LEAST_IS_WORST else max(values)
