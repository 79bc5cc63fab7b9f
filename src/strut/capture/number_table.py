"""Number table: rows of numbers in a text file, with the line of the first that is wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.robot import Array

MOST_LINES = 5_000_000


class TableDamageError(ValueError):
    """What is wrong with a text file of numbers, in words that fit after its name."""


def parsed_rows(lines: Sequence[str], columns: int, first_line: int, separator: str | None = None) -> Array:
    """Return the numbers of some lines; empty fields are NaN, empty lines are left out. Shape (T, columns).

    Args:
        lines: To read.
        columns: How many numbers each line must have.
        first_line: Number of the first of them in the file, for errors.
        separator: Between numbers; None for any white space.
    """
    rows = []
    for offset, line in enumerate(lines):
        if not line.strip():
            continue
        fields = line.split() if separator is None else line.rstrip("\r\n").split(separator)
        if separator is not None:
            fields = (fields + [""] * columns)[: max(columns, len([f for f in fields if f.strip()]))]
        if len(fields) != columns:
            raise TableDamageError(f"has {len(fields)} numbers in line {first_line + offset}, not {columns}.")
        try:
            rows.append([float(field) if field.strip() else np.nan for field in fields])
        except ValueError as error:
            raise TableDamageError(f"has no number in line {first_line + offset}: {error}.") from error
    if not rows:
        raise TableDamageError("holds no frames.")
    return np.array(rows, dtype=np.float64)


def frame_rate(time_s: Array) -> float:
    """Return the rate of evenly spaced samples; raises TableDamageError. Shape (T,)."""
    steps = np.diff(time_s)
    if not len(steps) or not np.isfinite(steps).all() or (steps <= 0.0).any():
        raise TableDamageError("has times that do not increase.")
    if np.ptp(steps) > 0.02 * np.median(steps) + 2e-5:
        raise TableDamageError("has frames that are not evenly spaced in time.")
    return float((len(time_s) - 1) / (time_s[-1] - time_s[0]))
