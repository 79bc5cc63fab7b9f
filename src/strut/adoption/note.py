"""Note: one thing that a reader of a model must be told, as a sentence, and how much it matters."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a note matters: something is wrong in the file, something was assumed, or something was found."""

    FAULT = "fault"
    ASSUMED = "assumed"
    FOUND = "found"


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about a model: what is there, and what follows from it."""

    severity: Severity
    sentence: str


def fault(sentence: str) -> Note:
    """Return a note about what is wrong in the file and was repaired."""
    return Note(Severity.FAULT, sentence)


def assumed(sentence: str) -> Note:
    """Return a note about what the file does not say."""
    return Note(Severity.ASSUMED, sentence)


def found(sentence: str) -> Note:
    """Return a note about what was found."""
    return Note(Severity.FOUND, sentence)


def in_a_row(names: list[str] | tuple[str, ...], most: int = 4) -> str:
    """Return names in a row, the rest counted."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
