"""The gate: the strongest intensity at which a body keeps every limit.

Limits need not break one after the other as the intensity grows, so the search starts at what was asked and comes
down: the first intensity that keeps every limit is bracketed coarsely and then finely.
"""

from __future__ import annotations

from collections.abc import Callable

from strut.draft import Candidate, StrongestCandidate, Violation
from strut.maths.bisection import bisect

COARSE_STEP = 0.1  # of the intensity, while it comes down
RESOLUTION = 0.02  # of the intensity: smaller differences are not visible


def strongest_proved(
    asked: float,
    search: Callable[[float], Candidate],
    prove: Callable[[Candidate], Candidate] | None,
    *,
    coarse: float = COARSE_STEP,
    close: float = RESOLUTION,
) -> StrongestCandidate:
    """Return the strongest candidate that a quick search finds and a full proof confirms.

    Args:
        asked: Largest intensity.
        search: Returns a quick candidate at an intensity.
        prove: Returns the same candidate in full; None where the search already does.
        coarse: Step by which the intensity comes down.
        close: Resolution of the strongest intensity.
    """
    upper = asked
    binding_limits: tuple[Violation, ...] = ()
    while True:
        found = strongest(upper, search, coarse=coarse, close=close)
        binding_limits = binding_limits or found.binding_limits
        if found.candidate is None:
            return StrongestCandidate(None, found.binding_limits)
        full = found.candidate if prove is None else prove(found.candidate)
        if full.passes:
            return StrongestCandidate(full, binding_limits)
        if full.neutral:
            return StrongestCandidate(None, full.violations)
        upper = max(0.0, full.intensity - close)
        binding_limits = full.violations


def strongest(
    asked: float,
    candidate: Callable[[float], Candidate],
    *,
    coarse: float = COARSE_STEP,
    close: float = RESOLUTION,
) -> StrongestCandidate:
    """Return the strongest candidate up to `asked` that keeps every limit: as `strongest_proved`, without a proof."""
    above = candidate(asked)
    if above.passes:
        return StrongestCandidate(above, ())
    below = above
    while not below.passes:
        if below.neutral:
            return StrongestCandidate(None, below.violations)
        above = below
        below = candidate(max(0.0, round(below.intensity - coarse, 9)))
    tried = {above.intensity: above, below.intensity: below}

    def passes(intensity: float) -> bool:
        tried[intensity] = candidate(intensity)
        return tried[intensity].passes

    good, bad = bisect(passes, below.intensity, above.intensity, resolution=close)
    return StrongestCandidate(tried[good], tried[bad].violations)
