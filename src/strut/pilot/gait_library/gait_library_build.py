"""Gait library build: one periodic gait for every point of a grid, computed by many workers.

A finished gait is the initial guess of its neighbours. Every result is stored at once, so that a crash of a worker, the
scheduler or the builder loses only the gaits in progress. Gaits to the right are mirror images of gaits to the left.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import LibraryError, OutOfRangeError
from strut.models.catalogue import as_robot, load_robot
from strut.pilot.gait_library.gait_audit import audit_gait, gait_violation
from strut.pilot.gait_library.gait_frontier import MAX_ATTEMPTS, GaitFrontier
from strut.pilot.gait_library.gait_library import GaitParameter, PeriodicGait
from strut.pilot.gait_library.gait_optimization import GaitProgram, gait_library_table
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore, OnGait, gait_home
from strut.plumbing.task_farm import TaskFarm, check_reachable
from strut.robot import Robot
from strut.schemas.gait_library import GaitGrid, GridAxis

FIGURES = ("solve_s", "iterations", "off_line_mm", "slip_mm", "clearance_mm", "height_off_mm", "joint_speed_use")
MINIMUM_IS_WORST = ("clearance_mm",)


def gait_grid(robot: Robot, counts: tuple[int, int, int] | None = None) -> GaitGrid:
    """Return a robot's grid, or one with other numbers of values over the same ranges."""
    grid = gait_library_table(robot).grid
    if counts is None:
        return grid
    for count in counts:
        if not 1 <= count <= 101:
            raise OutOfRangeError(f"An axis of {count} values is not possible; choose 1 to 101 values for each axis.")
    axes = (grid.forward_m_s, grid.left_m_s, grid.height_m)
    return GaitGrid(*(GridAxis(axis.min, axis.max, count) for axis, count in zip(axes, counts, strict=True)))


def build_gait_library(
    robot: Robot | str,
    store: Path | str | None = None,
    *,
    counts: tuple[int, int, int] | None = None,
    workers: int | None = None,
    scheduler: str | None = None,
    on_gait: OnGait | None = None,
) -> GaitStore:
    """Compute the gaits of a robot on a grid; points that a store already holds are not computed again.

    Args:
        robot: The robot or its name.
        store: File to write; the user's own if None.
        counts: Numbers of values of forward speed, lateral speed and height; the published numbers if None.
        workers: Processes on this machine; one per core if None.
        scheduler: Address of a Dask scheduler whose workers are used instead.
        on_gait: Called with every record, the number of finished points, and their total.

    Raises:
        SchedulerError: If the scheduler cannot be reached, or was lost; finished gaits are kept.
        LibraryError: If the store is damaged, or of another robot, grid or version.

    Example:
        >>> len(strut.pilot.build_gait_library("cassie", "gaits.db", counts=(5, 5, 5)).library())
    """
    robot = as_robot(robot)
    grid = gait_grid(robot, counts)
    check_reachable(scheduler)  # before the store is created
    into = GaitStore(gait_home(robot.name) if store is None else Path(store), robot, grid)
    frontier = GaitFrontier(into.grid)
    for record in into.records():
        frontier.take(record)
    if frontier.open:
        with TaskFarm(workers=workers, scheduler=scheduler) as farm:
            _spread(farm, frontier, robot, into, on_gait)
    return into


def _spread(farm: TaskFarm, frontier: GaitFrontier, robot: Robot, into: GaitStore, on_gait: OnGait | None) -> None:
    """Submit points with a finished neighbour, store the results, and continue from them."""

    def send() -> None:
        for index, start, attempt in frontier.ready():
            body = (robot.name, robot.fingerprint)
            mirror = frontier.mirrored(index) != index
            farm.submit((index, attempt), find_gait, *body, frontier.parameter(index), start, mirror)

    farm.prepare(prepare_worker, robot.name)
    send()
    for (index, attempt), results in farm.results():
        if results[0].status == "ok" or attempt >= MAX_ATTEMPTS:
            indices = (index, frontier.mirrored(index))
            records = [replace(record, index=place) for record, place in zip(results, indices, strict=False)]
            into.put(*records)  # a gait and its mirror image, or neither
            for record in records:
                frontier.take(record)
                if on_gait is not None:
                    on_gait(record, frontier.done, frontier.total)
        else:
            frontier.again(index)
        send()


@lru_cache(maxsize=2)
def _program(robot: str) -> GaitProgram:
    return GaitProgram(load_robot(robot))


def prepare_worker(robot: str) -> None:
    """Build the optimisation problem of a robot in a worker's cache, which takes as long as several gaits."""
    _program(robot)


def find_gait(
    robot: str, fingerprint: str, parameter: GaitParameter, start: Array | None, mirror: bool
) -> tuple[GaitRecord, ...]:
    """Compute and audit one gait, and its mirror image if `mirror`; the caller sets their indices."""
    program = _program(robot)
    if program.robot.fingerprint != fingerprint:
        raise LibraryError(robot, "a worker has another version of this robot; install the same strut everywhere.")
    began_s = process_time()
    guess = program.initial_guess(parameter) if start is None else start
    solution = program.solve(parameter, guess, warm=start is not None)
    figures = {
        "iterations": solution.iterations,
        "warm": start is not None,
        "solve_s": round(process_time() - began_s, 3),
    }
    record = GaitRecord((0, 0, 0), "failed", f"{solution.status}.", figures, None)
    if solution.gait is not None:
        record = replace(judge_gait(program.robot, solution.gait, figures), start=solution.variables)
    return (record, mirror_record(record, program.robot)) if mirror else (record,)


def mirror_record(record: GaitRecord, robot: Robot) -> GaitRecord:
    """Return the record of the mirror image, with an audit of its own."""
    if record.gait is None:
        return replace(record, start=None)
    return judge_gait(robot, record.gait.mirror(gait_library_table(robot).motor_mirror), record.figures)


def judge_gait(robot: Robot, gait: PeriodicGait, figures: Any) -> GaitRecord:
    """Return the record of a gait with its audit."""
    audit = audit_gait(robot, gait)
    table = gait_library_table(robot)
    violation = gait_violation(audit, gait.step_s, table.step_range_s(gait.parameter[2]), table)
    return GaitRecord((0, 0, 0), "failed" if violation else "ok", violation, {**figures, **audit.as_dict()}, gait)


@dataclass(frozen=True, slots=True)
class GaitSummary:
    """Counts of finished and feasible points, figures as median and worst value, and reasons of infeasible points."""

    total: int
    done: int
    found: int
    figures: dict[str, tuple[float, float]]
    reasons: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as JSON."""
        return asdict(self)


def gait_summary(store: GaitStore) -> GaitSummary:
    """Return the summary of a store."""
    records = list(store.records())
    feasible = [record for record in records if record.status == "ok"]
    reasons = [
        f"({', '.join(f'{value:g}' for value in store.parameter(record.index))}): {record.reason}"
        for record in records
        if record.status != "ok"
    ]
    return GaitSummary(
        total=store.grid.shape[0] * store.grid.shape[1] * store.grid.shape[2],
        done=len(records),
        found=len(feasible),
        figures={
            name: _median_and_worst(name, [float(record.figures[name]) for record in feasible])
            for name in FIGURES
            if feasible
        },
        reasons=tuple(reasons),
    )


def _median_and_worst(name: str, values: list[float]) -> tuple[float, float]:
    return float(np.median(values)), min(values) if name in MINIMUM_IS_WORST else max(values)
