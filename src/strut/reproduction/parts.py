"""Parts: what a system's published numbers are made of, computed one after the other with progress told."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from strut.models.catalogue import load_robot
from strut.reproduction.comparison import Comparison
from strut.robot import Robot

Progress = Callable[[str, int, int], None]
Parts = Mapping[str, Callable[[Robot], list[Comparison]]]


def rows_of(robot_name: str, parts: Parts, on_progress: Progress | None) -> tuple[Comparison, ...]:
    """Return the rows of all parts.

    Args:
        robot_name: Whose numbers they are.
        parts: What computes them, by what people call it.
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    robot = load_robot(robot_name)
    rows: list[Comparison] = []
    for done, (part, compute) in enumerate(parts.items()):
        if on_progress:
            on_progress(part, done, len(parts))
        rows += compute(robot)
    return tuple(rows)
