"""Number table: rows of numbers in a text file, with the line of the first that is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from strut.arrays import Array

_COMMA_IN_NUMBERS = re.compile(r"^[-+.\deE ]*\d[-+.\deE ]*,[-+.,\deEnaNA ]*\r?$", re.MULTILINE)
_DECIMAL_COMMAS = re.compile(r"^ *[-+]?\d+,\d+(e[-+]?\d+)?( +[-+]?\d+(,\d+)?(e[-+]?\d+)?)+ *\r?$", re.MULTILINE | re.I)


class TableDamageError(ValueError):
    """What is wrong with a text file of numbers, in words that fit after its name."""


def refuse_unless(fine: bool, reason: str) -> None:
    """Raise TableDamageError with a reason unless something is as it should be."""
    if not fine:
        raise TableDamageError(reason)


def number(field: str, line: int) -> float:
    """Return the number of a field, NaN if it is empty; raises TableDamageError with the line."""
    if not field.strip():
        return float("nan")
    try:
        return float(field)
    except ValueError as error:
        raise TableDamageError(f"has no number in line {line}: {error}.") from error


def parsed_rows(lines: Sequence[str], columns: int, first_line: int, separator: str | None = None) -> Array:
    """Return the numbers of some lines; empty fields are NaN, empty lines are left out. Shape (T, columns).

    Args:
        lines: To read.
        columns: How many numbers each line must have; with a separator, empty ones at the end may be missing.
        first_line: Number of the first of them in the file, for errors.
        separator: Between numbers; None for any white space.
    """
    rows = [
        _row(line.rstrip("\r\n").split(separator), columns, place, separator is not None)
        for place, line in enumerate(lines, start=first_line)
        if line.strip()
    ]
    refuse_unless(len(rows) > 0, "holds no frames.")
    return np.array(rows, dtype=np.float64)


def _row(fields: list[str], columns: int, line: int, may_be_short: bool) -> list[float]:
    while len(fields) > columns and not fields[-1].strip():
        fields = fields[:-1]
    if may_be_short:
        fields = fields + [""] * (columns - len(fields))
    refuse_unless(len(fields) == columns, f"has {len(fields)} numbers in line {line}, not {columns}.")
    try:
        return [float(field) for field in fields]  # three times as quick where all fields are numbers, as in most rows
    except ValueError:
        return [number(field, line) for field in fields]


def frame_rate(time_s: Array) -> float:
    """Return the rate of evenly spaced samples; raises TableDamageError. Shape (T,)."""
    steps = np.diff(time_s)
    refuse_unless(bool(len(steps) and (steps > 0.0).all()), "has times that do not increase.")
    even = np.ptp(steps) <= 0.02 * np.median(steps) + 2e-5
    refuse_unless(bool(even), "has frames that are not evenly spaced in time.")
    return float((len(time_s) - 1) / (time_s[-1] - time_s[0]))


def tab_separated(content: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with tabs between its fields, and a note if spreadsheets that saved it had put commas there.

    Commas inside of numbers that blanks separate are decimal ones: they stay, and reading such a number fails.
    """
    if "\t" in content[:2000] or not _COMMA_IN_NUMBERS.search(content) or _DECIMAL_COMMAS.search(content):
        return content, ()
    return content.replace(",", "\t"), ("Commas between fields are read as tabs: a spreadsheet has put them there.",)
