"""Note: one sentence about an imported robot for its user, and how much it matters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How much a note matters; the order in which notes are printed."""

    FAULT = "fault"  # something is wrong
    ASSUMED = "assumed"  # the file does not say it
    FOUND = "found"


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence about an imported robot: the value, the cause, and what follows from it."""

    severity: Severity
    sentence: str

    @classmethod
    def fault(cls, sentence: str) -> Note:
        """Return a note about something wrong in the file, which was repaired if possible."""
        return cls(Severity.FAULT, sentence)

    @classmethod
    def assumption(cls, sentence: str) -> Note:
        """Return a note about something that the file does not say."""
        return cls(Severity.ASSUMED, sentence)

    @classmethod
    def finding(cls, sentence: str) -> Note:
        """Return a note about something that was found in the file."""
        return cls(Severity.FOUND, sentence)


def sentences_of(notes: Iterable[Note], severity: Severity | str) -> list[str]:
    """Return the sentences of the notes of one severity."""
    return [note.sentence for note in notes if note.severity == severity]


def list_names(names: Sequence[str], max_count: int = 4) -> str:
    """Return the first names with commas, and how many more there are."""
    more = len(names) - max_count
    return ", ".join(names[:max_count]) + (f" and {more} more" if more > 0 else "")
