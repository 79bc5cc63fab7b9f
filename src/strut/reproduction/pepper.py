"""Pepper: every published number that strut can compute again, in the order of the paper."""

from __future__ import annotations

from collections.abc import Callable

from strut.reproduction.comparison import Comparison
from strut.reproduction.pepper_body import body_rows, erratum_rows, feature_rows
from strut.reproduction.pepper_priority import priority_rows
from strut.reproduction.pepper_ratings import correlation_rows, rating_rows, recognition_rows
from strut.robot import Robot
from strut.robots.catalogue import load_robot

_PARTS: dict[str, Callable[[Robot], list[Comparison]]] = {
    "body": body_rows,
    "features": feature_rows,
    "errata of the body": erratum_rows,
    "priorities": priority_rows,
    "recognition": recognition_rows,
    "ratings": rating_rows,
    "correlations": correlation_rows,
}


def reproduce_pepper(on_progress: Callable[[str, int, int], None] | None = None) -> tuple[Comparison, ...]:
    """Return Pepper's published numbers beside ours; the answers of single people were never published.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    robot = load_robot("pepper")
    rows: list[Comparison] = []
    for done, (part, compute) in enumerate(_PARTS.items()):
        if on_progress:
            on_progress(part, done, len(_PARTS))
        rows += compute(robot)
    return tuple(rows)
