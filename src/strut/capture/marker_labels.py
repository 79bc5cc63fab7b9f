"""Marker labels: names of markers without a subject's prefix, and unique."""

from __future__ import annotations

from collections.abc import Sequence


def without_prefix(label: str) -> str:
    """Return a label without the subject's name before a colon: `Ann:LASI` is `LASI`."""
    return label.rpartition(":")[2].strip()


def unique_labels(labels: Sequence[str]) -> tuple[str, ...]:
    """Return labels in which a name that comes again has its number behind it: RANK, RANK#2."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        found.append(label if seen[label] == 1 else f"{label}#{seen[label]}")
    return tuple(found)
