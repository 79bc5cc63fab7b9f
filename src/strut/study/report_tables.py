"""Report tables: the tables of a report as CSV for programs and as LaTeX for manuscripts."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

from strut.io.atomic import write_atomically
from strut.study.statistics_text import Table
from strut.study.templates import filled

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "χ²": r"$\chi^2$"}
_SPECIAL |= {letter: f"\\{letter}" for letter in "&%$#_{}"}
_LONGEST_NAME = 40


def save_tables(tables: Sequence[Table], folder: Path, *, simulated: bool) -> None:
    """Write `table_1_....csv` and `.tex` of every table; they are made anew with each report."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*table_*"):
        old.unlink()
    for number, table in enumerate(tables, start=1):
        name = f"{'simulated_' if simulated else ''}table_{number}_{_plain(table[0])}"
        write_atomically(folder / f"{name}.csv", csv_text(table).encode(), force=True)
        write_atomically(folder / f"{name}.tex", latex_text(table, number).encode(), force=True)


def csv_text(table: Table) -> str:
    """Return a table as CSV; a first line that is a comment holds its title."""
    title, columns, rows = table
    buffer = io.StringIO()
    buffer.write(f"# {title}\n")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerows([columns, *rows])
    return buffer.getvalue()


def latex_text(table: Table, number: int) -> str:
    """Return a table in LaTeX with the rules of the package booktabs."""
    title, columns, rows = table
    cells = [[latex_escaped(cell) for cell in row] for row in (columns, *rows)]
    return filled("table.tex", title=latex_escaped(title), number=number, columns=cells[0], rows=cells[1:])


def latex_escaped(text: str) -> str:
    """Return a text in which nothing is a command to LaTeX."""
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda found: _SPECIAL[found[0]], text)


def _plain(title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
    return words[:_LONGEST_NAME].rstrip("_")
