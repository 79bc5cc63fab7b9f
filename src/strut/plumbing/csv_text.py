"""CSV text: cells that a spreadsheet does not take for formulas.

A spreadsheet runs a cell that begins with =, +, -, @ (narrow or wide), a tab or the end of a line as a formula, and a
formula can send other cells to a web site. Texts from people and files get an apostrophe in front, which
`original_cell` takes away.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# Apostrophes in front of the sign count, too: so every text can be read back.
_FORMULA = re.compile("'*[-=+@\uff1d\uff0b\uff0d\uff20\t\r\n]")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?%?")
_BETWEEN_NUMBERS = ("to", "%")  # as in '-0.20 to +0.35'


def safe_cell(value: Any) -> Any:
    """Return a value as a cell: text that would be a formula gets an apostrophe, numbers stay as they are.

    Example:
        >>> safe_cell("=1+1"), safe_cell("-1.5"), safe_cell(-1.5)
        ("'=1+1", '-1.5', -1.5)
    """
    if not isinstance(value, str) or not _FORMULA.match(value):
        return value
    is_numbers = all(part in _BETWEEN_NUMBERS or _NUMBER.fullmatch(part) for part in value.split(" "))
    return value if is_numbers else f"'{value}"


def original_cell(cell: str) -> str:
    """Return the text of a cell as it was before `safe_cell`."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def csv_of_rows(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV with safe cells; None and missing cells are empty."""
    return csv_of_lists([columns, *([row.get(name) for name in columns] for row in rows)])


def csv_of_lists(rows: Iterable[Sequence[Any]]) -> str:
    """Return lists of cells as CSV with safe cells; None is empty."""
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([safe_cell(value) for value in row] for row in rows)
    return buffer.getvalue()
