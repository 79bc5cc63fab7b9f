"""Conditions: arguments such as `sad=walk.npz` as files by condition."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from strut.errors import BadMotionError


def trial_of(word: str) -> tuple[str | None, Path]:
    """Return condition and file of an argument; an existing file may have `=` in its name."""
    condition, mark, path = word.partition("=")
    if not mark or Path(word).exists():
        return None, Path(word)
    if not (condition.strip() and path):
        raise BadMotionError(f"'{word}' lacks a condition or a file; write for instance sad=walk.npz.")
    return condition.strip(), Path(path)


def condition_of(trials: Sequence[tuple[str | None, Path]]) -> dict[Path, str] | None:
    """Return the condition of every file; None if no file has one. Raises BadMotionError if only some have."""
    named: dict[Path, str | None] = {}
    for condition, path in trials:
        if named.setdefault(path, condition) != condition:
            raise BadMotionError(f"{path} is given under two conditions; a trial belongs to one.")
    if not any(named.values()):
        return None
    if bare := [str(path) for path, condition in named.items() if condition is None]:
        raise BadMotionError(f"{bare[0]} has no condition while others have one; write CONDITION={bare[0]}.")
    return {path: str(condition) for path, condition in named.items()}
