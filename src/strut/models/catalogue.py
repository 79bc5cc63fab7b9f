"""Catalogue: find robots by name or by the path of a folder that holds a `robot.toml`."""

from __future__ import annotations

import os
import unicodedata
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np

from strut.errors import BadMotionError, FileError, UnknownNameError
from strut.models.dh_chains import chain_robot
from strut.models.imported_robot import imported_robot
from strut.models.limb_robot import limb_robot
from strut.models.subject import person_of, subject_robot
from strut.models.table_files import read_tables, table_file
from strut.motion import Motion
from strut.registry import find, names
from strut.robot import Robot
from strut.schemas.body import ChainBody, LimbBody
from strut.schemas.imported import ImportedBody
from strut.schemas.segments import SegmentBody
from strut.schemas.toml_file import WrongFieldError

HOME = Path(__file__).parent.parent / "robots"


def robot_home() -> Path:
    """Return the folder of the user's robots: the environment variable STRUT_ROBOTS, else ~/.strut/robots."""
    home = Path(os.environ.get("STRUT_ROBOTS") or "~/.strut/robots").expanduser()
    if home.exists() and not home.is_dir():
        raise FileError(home, "is not a folder; set STRUT_ROBOTS to the folder of your robots.")
    return home


def robots() -> tuple[str, ...]:
    """Return the names of all robots: those of strut, of the user's folder and of installed packages.

    Example:
        >>> strut.robots()[:4]
        ('alice', 'cassie', 'heiman', 'mrpete')
    """
    return tuple(dict.fromkeys((*names_in(HOME), *names_in(robot_home()), *names("strut.robots"))))


def hidden_robots() -> tuple[str, ...]:
    """Return the names of the user's robots that strut has, too: such a name means the robot of strut."""
    return tuple(name for name in names_in(robot_home()) if name in names_in(HOME))


def names_in(home: Path) -> tuple[str, ...]:
    """Return the names of the robots in a folder."""
    return tuple(sorted(path.parent.name for path in home.glob("*/robot.toml")))


def first_robot_with(file: str) -> str:
    """Return the first robot of strut whose folder holds a file, such as control.toml: the default of its feature."""
    return next(name for name in names_in(HOME) if (HOME / name / file).is_file())


def load_robot(name: str) -> Robot:
    """Return a robot by its name (see `robots`) or by the path of a folder that holds its `robot.toml`.

    A robot that is loaded by path is named by that path, relative to the current folder where it lies below it, so that
    its motion files find it again on other machines. A relative path is looked for in the current folder, then in each
    folder above it, so that they find it from inside the folders of the path too.

    Example:
        >>> len(strut.load_robot("mrpete").joint_names)
        28
    """
    name = _known_spelling(name)
    if name in robots():
        folder = _folder_of_name(name)
        return _read_robot(name, folder, _file_states(folder))
    found = _folder_of_path(name)
    if found is None:
        places = f"`strut robots`, which looks for yours in {robot_home()} (STRUT_ROBOTS names another folder),"
        raise UnknownNameError("robot", name, robots(), places)
    here = Path.cwd()
    own_name = found.relative_to(here) if found.is_relative_to(here) and found != here else found
    return _read_robot(str(own_name), found.resolve(), _file_states(found))


def as_robot(robot: Robot | str) -> Robot:
    """Return a robot itself, or the robot of a name or path."""
    return load_robot(robot) if isinstance(robot, str) else robot


def _folder_of_name(name: str) -> Path:
    """Return the folder of a robot by its name: ours, the user's, or that of an installed package."""
    if name in names_in(HOME):
        return HOME / name
    return robot_home().resolve() / name if name in names_in(robot_home()) else Path(find("strut.robots", name))


def _known_spelling(name: str) -> str:
    """Return the name of a robot in its own Unicode composition; keyboards and file systems differ in theirs."""
    known = robots()
    by_composed_name = {unicodedata.normalize("NFC", other): other for other in reversed(known)}
    return name if name in known else by_composed_name.get(unicodedata.normalize("NFC", name), name)


def _folder_of_path(path: str) -> Path | None:
    """Return the folder of a robot by its path, in the Unicode composition that the file system has; None if none is.

    A relative path begins at the current folder, or else at the nearest folder above it.
    """
    here = Path.cwd()
    spellings = (path, unicodedata.normalize("NFC", path), unicodedata.normalize("NFD", path))
    folders = (Path(os.path.normpath(start / spelling)) for start in (here, *here.parents) for spelling in spellings)
    return next((folder for folder in folders if (folder / "robot.toml").is_file()), None)


def robot_of(motion: Motion, robot: Robot | None = None, *, needs_feet: bool = True) -> Robot:
    """Return the robot of a motion, or `robot` if it is given; raises BadMotionError if the motion does not fit it.

    With `needs_feet` False, a motion may lack contact columns: recordings have none.

    Example:
        >>> strut.robot_of(strut.load_motion("happy.npz")).name
        'mrpete'
    """
    if robot is None:
        robot = person_of(motion) if "subject" in motion.meta else load_robot(motion.robot)
        _check_made_for(motion, robot)
    _check_fits(motion, robot, needs_feet=needs_feet)
    return robot


def _check_fits(motion: Motion, robot: Robot, *, needs_feet: bool) -> None:
    """Raise BadMotionError if a motion's columns are not those of a robot."""
    if needs_feet and robot.foot_names and not motion.foot_names:
        raise BadMotionError("The motion has no contact columns, so which feet touch the ground is unknown.")
    feet = (robot.foot_names,) if needs_feet else (robot.foot_names, ())
    if motion.joint_names != robot.joint_names or motion.foot_names not in feet:
        raise BadMotionError(
            f"The joints or feet of the motion are not those of {robot.name}; it was made for another robot."
        )
    if motion.qpos.shape[1] != robot.base_size + len(robot.joint_names):
        raise BadMotionError(
            f"The qpos of the motion has {motion.qpos.shape[1]} columns; {robot.name} has "
            f"{robot.base_size + len(robot.joint_names)}."
        )
    if robot.floats and np.ptp([1.0, *np.linalg.norm(motion.qpos[:, 3:7], axis=1)]) > 1e-6:
        raise BadMotionError("The quaternion of the base must have length 1 in every sample.")


def _check_made_for(motion: Motion, robot: Robot) -> None:
    """Raise BadMotionError if a motion was made for another version of the robot's body."""
    made_for = motion.meta.get("robot_fingerprint", robot.fingerprint)
    if made_for != robot.fingerprint:
        versions = f"{made_for}, here {robot.fingerprint}"
        raise BadMotionError(f"The motion was made for another version of {robot.name} ({versions}); plan it again.")


def _file_states(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, size and time of change of each file of a folder; the cache reads a changed robot again."""
    states = []
    for file in chain(folder.iterdir(), (folder / "meshes").rglob("*")):
        with suppress(OSError):  # a broken link, or a file that was removed meanwhile
            state = file.stat()
            states.append((str(file.relative_to(folder)), state.st_size, state.st_mtime_ns))
    return tuple(sorted(states))


@lru_cache(maxsize=64)
def _read_robot(name: str, folder: Path, states: tuple[tuple[str, int, int], ...]) -> Robot:  # noqa: ARG001 (key of the cache)
    tables = read_tables(folder)
    try:
        match tables.robot:
            case SegmentBody():
                robot = subject_robot(name, folder, tables)
            case ChainBody() as body:
                robot = chain_robot(name, body, tables)
            case ImportedBody() as body:
                robot = imported_robot(name, folder, body, tables)
            case LimbBody() as body:
                robot = limb_robot(name, body, tables)
    except WrongFieldError as error:
        raise table_file(folder / "robot.toml").field_error(error.path, error.reason) from error
    return robot
