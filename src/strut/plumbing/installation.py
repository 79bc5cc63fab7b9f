"""Installation: which libraries and programs strut finds on this machine, and what each is for."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

LIBRARIES = {  # what each is for, and how to install it; the first ones come with strut
    "mujoco": ("rigid bodies and simulation", ""),
    "casadi": ("optimal control", ""),
    "daqp": ("quadratic programs of controllers", ""),
    "viser": ("the live viewer", ""),
    "fastapi": ("studies", "pip install 'strut[study]'"),
    "statsmodels": ("statistics of studies", "pip install 'strut[study]'"),
    "psycopg": ("studies on PostgreSQL", "pip install 'strut[study]'"),
    "distributed": ("gait libraries and checks of clips on several machines", "pip install 'strut[cluster]'"),
    "mcap-ros2-support": ("recordings of ROS 2 (MCAP)", "pip install 'strut[exchange]'"),
    "pyarrow": ("datasets of LeRobot", "pip install 'strut[exchange]'"),
    "usd-core": ("scenes as USD", "pip install 'strut[exchange]'"),
    "example-robot-data": ("robots to adopt by name", "pip install example-robot-data"),
}
PROGRAMS = {  # the commands that may be its name, what it is for, and where to get it
    "browser": (
        ("chromium", "chromium-browser", "google-chrome", "firefox"),
        "pages and the live viewer",
        "any browser",
    ),
    "blender": (("blender",), "drawing animations", "https://www.blender.org"),
}


@dataclass(frozen=True, slots=True)
class InstalledPart:
    """A library or program.

    Args:
        name: Its name.
        found: Its version, or where it is; None if it is missing.
        purpose: What strut uses it for.
        install: How to get it if it is missing; empty if it comes with strut.
    """

    name: str
    found: str | None
    purpose: str
    install: str


def doctor() -> list[InstalledPart]:
    """Return which libraries and programs strut finds on this machine.

    Example:
        >>> [part.name for part in strut.doctor() if part.found is None]
    """
    return list(_parts())


def _parts() -> Iterator[InstalledPart]:
    yield InstalledPart("strut", version("strut"), "this program", "")
    system = f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield InstalledPart("python", system, f"runs strut, from {sys.executable}", "")
    for name, (purpose, install) in LIBRARIES.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            found = None
        yield InstalledPart(name, found, purpose, install or "pip install --force-reinstall strut")
    yield InstalledPart("ffmpeg", _find_ffmpeg(), "MP4 films", "install ffmpeg, or pip install imageio-ffmpeg")
    for name, (commands, purpose, install) in PROGRAMS.items():
        found = next(filter(None, map(shutil.which, commands)), None)
        yield InstalledPart(name, found, purpose, install)


def _find_ffmpeg() -> str | None:
    """Return the first line that ffmpeg prints about itself; None if there is none or if it does not run."""
    import imageio_ffmpeg  # noqa: PLC0415 -- slow to load, and only films need it

    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
        done = subprocess.run([program, "-version"], capture_output=True, text=True, check=True, timeout=10.0)
    except (RuntimeError, OSError, subprocess.SubprocessError):
        return None
    return " ".join(done.stdout.split()[:3])
