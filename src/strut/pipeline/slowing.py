"""Slowing: where even neutral cannot keep its limits at the robot's usual speed, the walk is planned more slowly."""

from __future__ import annotations

from strut.draft import StrongestCandidate
from strut.pipeline.alternatives import slower_requests
from strut.pipeline.candidates import Candidates
from strut.pipeline.weakening import strongest_expression
from strut.plumbing.number_text import format_speed
from strut.receipt import Reason, ReasonKind


def strongest_at_feasible_speed(candidates: Candidates) -> tuple[StrongestCandidate, Candidates, list[Reason]]:
    """Return the strongest expression at the usual speed, else at the fastest feasible one, with why it is slower.

    If no speed is feasible, return what breaks at the usual one. The candidates are those of the speed.
    """
    usual = strongest_expression(candidates)
    if usual.candidate is not None:
        return usual, candidates, []
    for speed_m_s, slower in slower_requests(candidates):
        strongest = strongest_expression(slower)
        if strongest.candidate is not None:
            return strongest, slower, [slower_than_usual(speed_m_s, str(usual.binding_limits[0].reason))]
    return usual, candidates, []


def slower_than_usual(speed_m_s: float, why: str) -> Reason:
    """Return that a robot walks more slowly than usual, and why."""
    text = f"walks at {format_speed(speed_m_s)} in neutral, because its usual speed would break a limit ({why})"
    return Reason(ReasonKind.SLOWED, None, text)
