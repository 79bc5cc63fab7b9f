"""Studies: every published count, percentage, test, interval and correlation of three studies, computed again."""

from __future__ import annotations

from collections.abc import Callable

from strut.errors import MissingExtraError
from strut.reproduction.comparison import Comparison


def reproduce_studies(on_progress: Callable[[str, int, int], None] | None = None) -> tuple[Comparison, ...]:
    """Return the published statistics of the quadruped, Pepper and slider studies beside ours.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    try:  # here and not above, so that other systems need no statistics packages
        from strut.reproduction.studies_correlation import correlation_rows  # noqa: PLC0415
        from strut.reproduction.studies_pepper import choice_rows, rating_rows  # noqa: PLC0415
        from strut.reproduction.studies_quadruped import quadruped_rows  # noqa: PLC0415
        from strut.reproduction.studies_slider import slider_rows  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingExtraError("study", error.name or "statsmodels") from error
    parts: dict[str, Callable[[], list[Comparison]]] = {
        "quadruped, choices": quadruped_rows,
        "Pepper, choices": choice_rows,
        "Pepper, ratings": rating_rows,
        "Pepper, correlations": correlation_rows,
        "human gait, slider": slider_rows,
    }
    rows: list[Comparison] = []
    for done, (part, compute) in enumerate(parts.items()):
        if on_progress:
            on_progress(part, done, len(parts))
        rows += compute()
    return tuple(rows)
