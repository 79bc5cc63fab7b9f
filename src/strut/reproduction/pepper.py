"""Pepper: every published number that strut can compute again, in the order of the paper."""

from __future__ import annotations

from strut.reproduction.comparison import Comparison
from strut.reproduction.parts import Parts, Progress, rows_of
from strut.reproduction.pepper_body import body_rows, erratum_rows, feature_rows
from strut.reproduction.pepper_priority import priority_rows
from strut.reproduction.pepper_ratings import correlation_rows, rating_rows, recognition_rows

_PARTS: Parts = {
    "body": body_rows,
    "features": feature_rows,
    "errata of the body": erratum_rows,
    "priorities": priority_rows,
    "recognition": recognition_rows,
    "ratings": rating_rows,
    "correlations": correlation_rows,
}


def reproduce_pepper(on_progress: Progress | None = None) -> tuple[Comparison, ...]:
    """Return Pepper's published numbers beside ours; the answers of single people were never published.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    return rows_of("pepper", _PARTS, on_progress)
