"""Systems: the published systems that strut computes again, by name."""

from __future__ import annotations

from collections.abc import Callable

from strut.errors import UnknownNameError
from strut.reproduction.alice import reproduce_alice
from strut.reproduction.comparison import Comparison
from strut.reproduction.human import reproduce_human
from strut.reproduction.mrpete import reproduce_mrpete
from strut.reproduction.parts import Progress
from strut.reproduction.pepper import reproduce_pepper
from strut.reproduction.studies import reproduce_studies

SYSTEMS: dict[str, Callable[[Progress | None], tuple[Comparison, ...]]] = {
    "mrpete": reproduce_mrpete,
    "human": reproduce_human,
    "pepper": reproduce_pepper,
    "studies": reproduce_studies,
    "alice": reproduce_alice,
}


def reproduce(system: str, on_progress: Progress | None = None) -> tuple[Comparison, ...]:
    """Return the published numbers of a system beside ours.

    Args:
        system: One of `SYSTEMS`.
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    if system not in SYSTEMS:
        raise UnknownNameError("system", system, tuple(SYSTEMS), "`strut reproduce --help`")
    return SYSTEMS[system](on_progress)
