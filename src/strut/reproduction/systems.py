"""Systems: the published systems whose numbers strut computes again, by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from strut.errors import MissingExtraError, UnknownNameError
from strut.reproduction.comparison import Comparison, Parts

SYSTEMS = ("mrpete", "human", "pepper", "studies", "alice", "cassie")


def reproduce(system: str, on_progress: Callable[[str, int, int], None] | None = None) -> tuple[Comparison, ...]:
    """Return the published numbers of a system beside ours.

    Args:
        system: One of `SYSTEMS`; each is a module of this folder whose `parts()` compute its rows.
        on_progress: Called with the name of the next part, the number of finished parts, and the number of all parts.

    Example:
        >>> {row.verdict for row in strut.reproduce("mrpete")}
    """
    if system not in SYSTEMS:
        raise UnknownNameError("system", system, SYSTEMS, "`strut reproduce --help`")
    try:  # imported here, so that the other systems need no statistics packages
        parts: Parts = import_module(f"strut.reproduction.{system}").parts()
    except ModuleNotFoundError as error:
        raise MissingExtraError("study", error.name or "statsmodels") from error
    rows: list[Comparison] = []
    for done, (part, compute) in enumerate(parts.items()):
        if on_progress:
            on_progress(part, done, len(parts))
        rows += compute()
    return tuple(rows)
