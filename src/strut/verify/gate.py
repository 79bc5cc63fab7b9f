"""The gate: how much of a feeling a body can show without breaking a limit.

Limits need not break one after the other as a feeling grows, so the search starts at what was asked and comes down: the
first intensity that keeps every limit is bracketed coarsely and then closely. Nothing above it was found to keep them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from strut.verify.audit import Shortfall

COARSE = 0.1
CLOSE = 0.02

A = TypeVar("A")


@dataclass(frozen=True, slots=True, eq=False)
class Attempt(Generic[A]):
    """A candidate at an intensity and the limits it breaks; none means it passes."""

    intensity: float
    candidate: A
    shortfalls: tuple[Shortfall, ...]

    @property
    def passes(self) -> bool:
        """Whether every limit is kept."""
        return not self.shortfalls


@dataclass(frozen=True, slots=True, eq=False)
class Kept(Generic[A]):
    """The strongest attempt that passes, or none, and the one just above it that does not."""

    attempt: Attempt[A] | None
    stopped_by: tuple[Shortfall, ...]


def strongest_proved(
    asked: float, search: Callable[[float], Attempt[A]], prove: Callable[[Attempt[A]], Attempt[A]]
) -> Kept[A]:
    """Return the strongest expression that a quick search finds and a full proof confirms.

    Args:
        asked: Largest intensity wanted.
        search: A quick attempt at an intensity.
        prove: The same attempt in full.
    """
    ceiling = asked
    stopped_by: tuple[Shortfall, ...] = ()
    while True:
        kept = strongest(ceiling, search)
        stopped_by = stopped_by or kept.stopped_by
        if kept.attempt is None:
            return Kept(None, kept.stopped_by)
        full = prove(kept.attempt)
        if full.passes:
            return Kept(full, stopped_by)
        if full.intensity == 0.0:
            return Kept(None, full.shortfalls)
        ceiling, stopped_by = max(0.0, full.intensity - CLOSE), full.shortfalls


def strongest(asked: float, attempt: Callable[[float], Attempt[A]]) -> Kept[A]:
    """Return the strongest expression up to `asked` that keeps every limit.

    Args:
        asked: Largest intensity wanted, at least 0.
        attempt: Builds and measures the candidate at an intensity; at 0 it is neutral.
    """
    above = attempt(asked)
    if above.passes:
        return Kept(above, ())
    below = above
    while not below.passes:
        if below.intensity == 0.0:
            return Kept(None, below.shortfalls)
        above = below
        below = attempt(max(0.0, round(below.intensity - COARSE, 9)))
    while above.intensity - below.intensity > CLOSE:
        middle = attempt((above.intensity + below.intensity) / 2.0)
        above, below = (above, middle) if middle.passes else (middle, below)
    return Kept(below, above.shortfalls)
