"""Gait library file: a library packed into one small `.npz`, as robots ship it; and where libraries are found."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import msgspec
import numpy as np

from strut.errors import LibraryError
from strut.models.catalogue import HOME, robot_home
from strut.pilot.gait_library.gait_library import GaitLibrary, PeriodicGait
from strut.pilot.gait_library.gait_store import GaitStore, check_owner, gait_home
from strut.plumbing.atomic_files import write_atomically
from strut.plumbing.regular_file import check_regular
from strut.robot import BASE, Robot
from strut.schemas.gait_library import GaitGrid

VERSION = 1
SHIPPED = "gaits.npz"


def pack_gait_library(library: GaitLibrary, path: Path | str, *, force: bool = False) -> None:
    """Write a library into one file, in single precision, which is exact to microradians."""
    points, gaits = zip(*library, strict=True)
    both = [np.concatenate([gait.base, gait.motors], axis=1) for gait in gaits]
    text = io.BytesIO()
    np.savez_compressed(
        text,
        allow_pickle=False,
        version=VERSION,
        robot=library.robot,
        fingerprint=library.fingerprint,
        grid=msgspec.json.encode(library.grid).decode(),
        index=np.array(points, dtype=np.int16),
        step_s=np.array([gait.step_s for gait in gaits], dtype=np.float32),
        curves=np.array(both, dtype=np.float32),
    )
    write_atomically(Path(path), text.getvalue(), force=force)


def load_gait_library(robot: Robot, path: Path | str | None = None) -> GaitLibrary:
    """Return the gait library of a robot: of a store or packed file, else the user's own, else the shipped one.

    Raises LibraryError for a file that is damaged, or belongs to another robot, body or version.

    Example:
        >>> strut.pilot.load_gait_library(strut.load_robot("cassie")).lookup(0.4, 0.0, 0.86).step_s
    """
    if path is None:
        own = gait_home(robot.name)
        homes = (HOME / robot.name / SHIPPED, robot_home() / robot.name / SHIPPED, Path(robot.name) / SHIPPED)
        path = own if own.is_file() else next((home for home in homes if home.is_file()), own)
    path = Path(path)
    return _unpack(robot, path) if path.suffix == ".npz" else GaitStore(path, robot).library()


def _unpack(robot: Robot, path: Path) -> GaitLibrary:
    try:
        check_regular(path)
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            held = {name: file[name] for name in file.files}
        version = int(held["version"])
        name = str(held["robot"])
        fingerprint = str(held["fingerprint"])
        grid = GaitGrid.from_json(str(held["grid"]))
        index, step_s, curves = (held[name] for name in ("index", "step_s", "curves"))
    except FileNotFoundError as error:
        raise LibraryError(path, "there is no such file.") from error
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, msgspec.MsgspecError) as error:
        raise LibraryError(path, "is damaged or no gait library; restore it from a copy.") from error
    if version != VERSION:
        raise LibraryError(path, f"is a gait library of version {version}; this strut reads {VERSION}.")
    check_owner(path, robot, name, fingerprint)
    axes = [axis.values for axis in (grid.forward_m_s, grid.left_m_s, grid.height_m)]
    gaits = {}
    for (i, j, k), time_s, both in zip(index.tolist(), step_s.tolist(), curves.astype(float), strict=True):
        gaits[i, j, k] = PeriodicGait((axes[0][i], axes[1][j], axes[2][k]), time_s, both[:, :BASE], both[:, BASE:])
    return GaitLibrary(robot.name, robot.fingerprint, grid, gaits)
