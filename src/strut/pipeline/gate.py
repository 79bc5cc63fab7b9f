"""The gate: how much of a feeling a body can show without breaking a limit.

Limits need not break one after the other as a feeling grows, so the search starts at what was asked and comes down: the
first intensity that keeps every limit is bracketed coarsely and then closely. Nothing above it was found to keep them.
"""

from __future__ import annotations

from collections.abc import Callable

from strut.draft import Attempt, StrongestCandidate, Violation
from strut.maths.bisection import bisect

COARSE = 0.1
CLOSE = 0.02


def strongest_proved(
    asked: float,
    search: Callable[[float], Attempt],
    prove: Callable[[Attempt], Attempt] | None,
    *,
    coarse: float = COARSE,
    close: float = CLOSE,
) -> StrongestCandidate:
    """Return the strongest expression that a quick search finds and a full proof confirms.

    Args:
        asked: Largest intensity wanted.
        search: A quick attempt at an intensity.
        prove: The same attempt in full; None where the search makes nothing less.
        coarse: How far down the next intensity is tried.
        close: How closely the strongest is searched.
    """
    ceiling = asked
    binding_limits: tuple[Violation, ...] = ()
    while True:
        kept = strongest(ceiling, search, coarse=coarse, close=close)
        binding_limits = binding_limits or kept.binding_limits
        if kept.attempt is None:
            return StrongestCandidate(None, kept.binding_limits)
        full = kept.attempt if prove is None else prove(kept.attempt)
        if full.passes:
            return StrongestCandidate(full, binding_limits)
        if full.neutral:
            return StrongestCandidate(None, full.violations)
        ceiling = max(0.0, full.intensity - close)
        binding_limits = full.violations


def strongest(
    asked: float, attempt: Callable[[float], Attempt], *, coarse: float = COARSE, close: float = CLOSE
) -> StrongestCandidate:
    """Return the strongest expression up to `asked` that keeps every limit: as `strongest_proved`, without a proof."""
    above = attempt(asked)
    if above.passes:
        return StrongestCandidate(above, ())
    below = above
    while not below.passes:
        if below.neutral:
            return StrongestCandidate(None, below.violations)
        above = below
        below = attempt(max(0.0, round(below.intensity - coarse, 9)))
    tried = {above.intensity: above, below.intensity: below}

    def passes(intensity: float) -> bool:
        tried[intensity] = attempt(intensity)
        return tried[intensity].passes

    good, bad = bisect(passes, below.intensity, above.intensity, close=close)
    return StrongestCandidate(tried[good], tried[bad].violations)
