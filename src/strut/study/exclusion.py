"""Exclusion: which answers are kept but enter no test, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

FASTEST_MS = 250  # nobody sees a movement, chooses and moves a hand in less
NOT_SHOWN, TOO_FAST = "not shown to its end", "too fast"


def exclusion_mark(row: Mapping[str, Any]) -> str:
    """Return why an answer of `Database.rows` enters no test, or nothing; what was not measured is not judged."""
    if not row.get("detail"):
        return ""
    if not row["showings"]:
        return NOT_SHOWN
    response_ms = row["response_ms"]
    return TOO_FAST if response_ms is not None and response_ms < FASTEST_MS else ""


def excluded_words(marks: Iterable[str]) -> tuple[str, ...]:
    """Return one sentence about how many answers were excluded and why; none if all are blank."""
    counts = Counter(mark for mark in marks if mark)
    if not counts:
        return ()
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    total = counts.total()
    return (f"{total} {'answer was' if total == 1 else 'answers were'} excluded from all tests: {reasons}.",)
