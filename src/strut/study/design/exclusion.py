"""Exclusion: answers that are kept in the data but left out of all tests, and the reasons."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from strut.plumbing.number_text import format_count, plural_form

FASTEST_MS = 250  # below the time to see a motion, choose an answer and move a hand
NOT_SHOWN = "not shown to its end"
TOO_FAST = "too fast"
INATTENTIVE = "of people who failed attention checks"
PASSED = "passed"
FAILED = "failed"


def exclusion_mark(
    row: Mapping[str, Any], inattentive: Container[str] = (), *, answers_during_motion: bool = False
) -> str:
    """Return why an answer of `Database.rows` is excluded; empty if it is not, or if its display was not measured.

    `inattentive` are the pseudonyms of people who failed too many attention checks. If people answer while the motion
    plays, no answer is too fast.
    """
    if row["code"] in inattentive:
        return INATTENTIVE
    if not row.get("detail"):
        return ""
    if not row["showings"]:
        return NOT_SHOWN
    is_fast = row["response_ms"] is not None and row["response_ms"] < FASTEST_MS
    return TOO_FAST if is_fast and not answers_during_motion else ""


def attention_mark(row: Mapping[str, Any]) -> str:
    """Return whether an attention check was passed or failed; empty for other rows of `Database.rows`."""
    reply = row["reply"]
    if "check" not in reply:
        return ""
    return PASSED if reply["check"] == reply["asked"] else FAILED


def inattentive_people(rows: Iterable[Mapping[str, Any]], allowed: int) -> frozenset[str]:
    """Return the pseudonyms of the participants with more failed attention checks than allowed."""
    failed = Counter(row["code"] for row in rows if attention_mark(row) == FAILED)
    return frozenset(code for code, count in failed.items() if count > allowed)


def attention_words(people: Sequence[str], marks: Sequence[str], excluded: Sequence[str]) -> tuple[str, ...]:
    """Return a sentence about attention checks, from three columns of the table of answers; none without checks."""
    checks = [mark for mark in marks if mark]
    if not checks:
        return ()
    out = len({participant for participant, why in zip(people, excluded, strict=True) if why == INATTENTIVE})
    excluded_count = format_count(out, "[participant was|participants were]") if out else "no participant was"
    failed = checks.count(FAILED)
    count = format_count(len(checks), "attention [check|checks]")
    return (f"{failed} of {count} {plural_form(failed, '[was|were]')} failed; {excluded_count} excluded for it.",)


def excluded_words(marks: Iterable[str]) -> tuple[str, ...]:
    """Return a sentence with the number of excluded answers and the reasons; none if no answer was excluded."""
    counts = Counter(mark for mark in marks if mark)
    if not counts:
        return ()
    reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))
    left_out = format_count(counts.total(), "[answer was|answers were]")
    return (f"{left_out} excluded from all tests: {reasons}.",)
