"""Marker labels: names of markers without a subject's prefix, and unique."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

FEWEST_OF_A_PERSON = 8  # labels with the same name before a colon


def without_prefix(label: str) -> str:
    """Return a label without the subject's name before a colon: `Ann:LASI` is `LASI`."""
    return label.rpartition(":")[2].strip()


def people_of(labels: Sequence[str]) -> list[str]:
    """Return the names before colons that many labels have, in the order of the file: the people in it."""
    counts = Counter(label.rpartition(":")[0] for label in labels if ":" in label)
    return [name for name, count in counts.items() if count >= FEWEST_OF_A_PERSON]


def own_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return unique labels without prefixes; a second person's keep theirs, so that nobody gets a foreign leg."""
    others = tuple(f"{name}:" for name in people_of(labels)[1:])
    return unique_labels([label if label.startswith(others) else without_prefix(label) for label in labels])


def unique_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels in which a name that comes again has its number behind it: RANK, RANK#2."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label}#{seen[label]}")
    return tuple(found)
