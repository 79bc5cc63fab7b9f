"""Gait store: the gaits of a robot in one SQLite file, feasible or failed, each written as soon as it is computed."""

from __future__ import annotations

import io
import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from strut.arrays import Array
from strut.errors import LibraryError
from strut.pilot.gait_library.gait_library import GaitLibrary, GaitParameter, GridIndex, PeriodicGait
from strut.plumbing.sqlite_store import StoreKind, open_store
from strut.robot import Robot
from strut.schemas.gait_library import GaitGrid

GaitStatus = Literal["ok", "failed"]
_KIND = StoreKind(
    "gait library",
    0x67616974,  # "gait"
    1,
    (
        "CREATE TABLE library (robot TEXT NOT NULL, fingerprint TEXT NOT NULL, grid TEXT NOT NULL)",
        "CREATE TABLE gait (forward INTEGER, left INTEGER, height INTEGER, status TEXT NOT NULL, reason TEXT NOT NULL,"
        " figures TEXT NOT NULL, body BLOB, start BLOB, PRIMARY KEY (forward, left, height))",
    ),
    "`strut library build ROBOT`",
)


@dataclass(frozen=True, slots=True, eq=False)
class GaitRecord:
    """The result at one point of the grid.

    Args:
        index: Index on the grid.
        status: Whether the gait is feasible.
        reason: Why it is not, in a sentence.
        figures: Measurements of solver, audit and simulated walk.
        gait: The gait; None if the solver failed.
        start: Solver variables as an initial guess for neighbours; None for a mirror image. Shape (n,).
    """

    index: GridIndex
    status: GaitStatus
    reason: str
    figures: Mapping[str, Any]
    gait: PeriodicGait | None
    start: Array | None = None


OnGait = Callable[[GaitRecord, int, int], None]  # called with each record, the number of finished points, and the total


def gait_home(robot: str) -> Path:
    """Return the user's own gait library of a robot: in the folder STRUT_GAITS, else in ~/.strut/gaits."""
    return Path(os.environ.get("STRUT_GAITS") or "~/.strut/gaits").expanduser() / f"{Path(robot).name}.db"


class GaitStore:
    """The gaits of one robot on one grid. The first build creates the file.

    Raises LibraryError for a file that is damaged, or belongs to another robot, body, grid or version.
    """

    def __init__(self, path: Path, robot: Robot, grid: GaitGrid | None = None) -> None:
        self.path = path
        self._robot = robot
        with self._open(make=grid is not None) as store:
            rows = store.execute("SELECT robot, fingerprint, grid FROM library").fetchall()
            if not rows and grid is not None:
                text = msgspec.json.encode(grid).decode()
                rows = [(robot.name, robot.fingerprint, text)]
                store.execute("INSERT INTO library VALUES (?, ?, ?)", rows[0])
                store.commit()
            self.grid = self._checked(rows, grid)

    def _checked(self, rows: list[tuple[str, str, str]], grid: GaitGrid | None) -> GaitGrid:
        if len(rows) != 1:
            raise LibraryError(self.path, "does not name its robot; build another.")
        name, fingerprint, text = rows[0]
        check_owner(self.path, self._robot, name, fingerprint)
        stored_grid = GaitGrid.from_json(text)
        if grid is not None and stored_grid != grid:
            shape = "×".join(str(count) for count in stored_grid.shape)
            raise LibraryError(self.path, f"has another grid ({shape}); choose another file or that grid.")
        return stored_grid

    def put(self, *records: GaitRecord) -> None:
        """Write all records or none, in one transaction; older records of their points are replaced."""
        rows = [_row(record) for record in records]
        with self._open() as store:
            store.executemany("INSERT OR REPLACE INTO gait VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
            store.commit()

    def records(self) -> Iterator[GaitRecord]:
        """Yield all records."""
        with self._open() as store:
            for i, j, k, status, reason, figures, body, start in store.execute("SELECT * FROM gait ORDER BY 1, 2, 3"):
                variables = None if start is None else np.frombuffer(start, dtype=np.float32).astype(float)
                gait = None if body is None else _unpacked(self.path, self.parameter((i, j, k)), body)
                yield GaitRecord((i, j, k), status, reason, json.loads(figures), gait, variables)

    def parameter(self, index: GridIndex) -> GaitParameter:
        """Return forward speed, lateral speed and height at an index of the grid."""
        grid = self.grid
        i, j, k = index
        return grid.forward_m_s.values[i], grid.left_m_s.values[j], grid.height_m.values[k]

    def library(self) -> GaitLibrary:
        """Return the library of all feasible gaits."""
        gaits = {record.index: record.gait for record in self.records() if record.status == "ok" and record.gait}
        return GaitLibrary(self._robot.name, self._robot.fingerprint, self.grid, gaits)

    def _open(self, *, make: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        return open_store(self.path, _KIND, make=make)


def check_owner(path: Path, robot: Robot, name: str, fingerprint: str) -> None:
    """Raise LibraryError unless a file's robot name and body fingerprint are those of the robot."""
    if name != robot.name:
        raise LibraryError(path, f"holds gaits of {name}, not of {robot.name}; choose another file.")
    if fingerprint != robot.fingerprint:
        raise LibraryError(path, f"was built for another version of {name}'s body; build it again.")


def _row(record: GaitRecord) -> tuple[Any, ...]:
    gait = record.gait
    body = None if gait is None else _packed(step_s=gait.step_s, base=gait.base, motors=gait.motors)
    start = None if record.start is None else record.start.astype(np.float32).tobytes()
    return (*record.index, record.status, record.reason, json.dumps(dict(record.figures)), body, start)


def _packed(**arrays: Any) -> bytes:
    text = io.BytesIO()
    np.savez(text, allow_pickle=False, **arrays)
    return text.getvalue()


def _unpacked(path: Path, parameter: tuple[float, float, float], body: bytes) -> PeriodicGait:
    try:
        with np.load(io.BytesIO(body), allow_pickle=False) as arrays:
            return PeriodicGait(parameter, float(arrays["step_s"]), arrays["base"], arrays["motors"])
    except (ValueError, KeyError, OSError) as error:
        raise LibraryError(path, "is damaged: a gait in it cannot be read; build it again.") from error
