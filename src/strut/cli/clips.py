"""Clips: motions in files of other programs, which leave open what two options of a verb say."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from strut.formats.motion_file import load_motion
from strut.motion import Motion

CLIP_VERBS = ("check", "export", "repair", "simulate")  # they take `ClipRobot` and `ReadOptions`
ClipRobot = Annotated[
    str | None,
    typer.Option("--robot", help="The robot that moves, for a file of another program; see `strut robots`."),
]
ReadOptions = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        help="What such a file leaves open: rate_hz=50, joints=breadth-first, quaternions=wxyz, floor_m=0.03.",
    ),
]


def load_clip(file: Path, robot: str | None, read: Sequence[str] | None) -> Motion:
    """Return the motion in a file of strut or of another program."""
    return load_motion(file, **clip_options(robot, read))


def clip_words(robot: str | None, read: Sequence[str] | None) -> tuple[str, ...]:
    """Return what a following command needs to read the same clip, as it is typed."""
    options = () if robot is None else ("--robot", robot)
    return options + tuple(word for text in read or () for word in ("--read", text))


def clip_options(robot: str | None, read: Sequence[str] | None) -> dict[str, object]:
    """Return the options of a reader that were typed."""
    options: dict[str, object] = {} if robot is None else {"robot": robot}
    for text in read or ():
        name, separator, value = text.partition("=")
        if not (separator and name and value):
            raise typer.BadParameter(f"--read is '{text}'; write NAME=VALUE, for instance rate_hz=50.")
        options[name] = value
        with suppress(ValueError):
            options[name] = float(value)
    return options
