"""Number table: rows of numbers in a text file; errors name the line."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from strut.arrays import Array
from strut.formats.reader import FormatError, require

_COMMA_IN_NUMBERS = re.compile(r"^[-+.\deE ]*\d[-+.\deE ]*,[-+.,\deEnaNA ]*\r?$", re.MULTILINE)
_DECIMAL_COMMAS = re.compile(r"^ *[-+]?\d+,\d+(e[-+]?\d+)?( +[-+]?\d+(,\d+)?(e[-+]?\d+)?)+ *\r?$", re.MULTILINE | re.I)


def parse_number(field: str, line: int) -> float:
    """Return the number in a field, NaN if it is empty; raises FormatError with the line."""
    if not field.strip():
        return float("nan")
    try:
        return float(field)
    except ValueError as error:
        raise FormatError(f"has no number in line {line}: {error}.") from error


def parse_rows(lines: Sequence[str], columns: int, first_line: int, separator: str | None = None) -> Array:
    """Return the numbers in some lines; empty fields are NaN, empty lines are skipped. Shape (T, columns).

    Args:
        lines: Of the file.
        columns: How many numbers each line must have; with a separator, empty ones at the end may be missing.
        first_line: Number of the first of them in the file, for errors.
        separator: Between numbers; None for any white space.
    """
    rows = list[list[float]]()
    for line, content in enumerate(lines, start=first_line):
        if not content.strip():
            continue
        fields = content.rstrip("\r\n").split(separator)
        while len(fields) > columns and not fields[-1].strip():
            fields.pop()
        if separator is not None:
            fields += [""] * (columns - len(fields))
        require(len(fields) == columns, f"has {len(fields)} numbers in line {line}, not {columns}.")
        try:
            rows.append([float(field) for field in fields])  # most rows are full: three times as fast as the other way
        except ValueError:
            rows.append([parse_number(field, line) for field in fields])
    require(len(rows) > 0, "holds no frames.")
    return np.array(rows, dtype=np.float64)


def format_numbers(row: Sequence[float] | Array, separator: str) -> str:
    """Return numbers as fields of a table; NaN is an empty field."""
    return separator.join(f"{value:.6f}" for value in row).replace("nan", "")


def frame_rate(time_s: Array) -> float:
    """Return the rate of evenly spaced samples; raises FormatError. Shape (T,)."""
    steps = np.diff(time_s)
    require(bool(len(steps) and (steps > 0.0).all()), "has times that do not increase.")
    is_even = np.ptp(steps) <= 0.02 * np.median(steps) + 2e-5  # tables round their times
    require(bool(is_even), "has frames that are not evenly spaced in time.")
    return float((len(time_s) - 1) / (time_s[-1] - time_s[0]))


def tab_separated(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with tabs between its fields, and a note if a spreadsheet had replaced them by commas.

    A comma in a number that blanks separate from the next is a decimal comma: it stays, and reading the number fails.
    """
    if "\t" in text[:2000] or not _COMMA_IN_NUMBERS.search(text) or _DECIMAL_COMMAS.search(text):
        return text, ()
    return text.replace(",", "\t"), ("Commas between fields are read as tabs: a spreadsheet has put them there.",)
