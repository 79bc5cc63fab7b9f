"""Marker labels: unique names of markers without the name of the subject."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

MIN_LABELS_OF_PERSON = 8  # with the same prefix; fewer are a rigid body, for instance a ball


def without_prefix(label: str) -> str:
    """Return a label without the name of the subject before a colon: `Ann:LASI` becomes `LASI`."""
    return label.rpartition(":")[2].strip()


def people_of(labels: Sequence[str]) -> list[str]:
    """Return the names of the people in a file, in its order: prefixes that many labels have."""
    counts = Counter(label.rpartition(":")[0] for label in labels if ":" in label)
    return [name for name, count in counts.items() if count >= MIN_LABELS_OF_PERSON]


def own_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return unique labels without prefix; other people than the first keep theirs, so that no two people are mixed."""
    others = tuple(f"{name}:" for name in people_of(labels)[1:])
    return unique_labels([label if label.startswith(others) else without_prefix(label) for label in labels])


def unique_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels in which a repeated name has its count behind it: RANK, RANK#2."""
    counts: dict[str, int] = {}
    unique = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        unique.append(label if counts[label] == 1 else f"{label}#{counts[label]}")
    return tuple(unique)
