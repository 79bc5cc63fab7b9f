"""Generate the pages of results from the rows in `benchmarks/results`, as `docs/results.toml` arranges them.

mkdocs runs this as a hook, so that no figure is copied by hand. `python docs/make_results.py FOLDER` writes the same
pages into a folder. Benchmarks append rows, so of each case the last one counts.
"""

from __future__ import annotations

import csv
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
Row = dict[str, str]


class ResultTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table of one file of rows.

    Args:
        file: Its name in `benchmarks/results`, without `.csv`.
        script: The benchmark that appends to it.
        title: Heading.
        words: What is measured, for a reader who does not know the benchmark.
        columns: Headings, and the column of each. With `by`, a summary of a column: `median cpu_s`, `most`, `least`,
            `sum`, `share` of those that are true, or `count`.
        key: Columns that name a case; of each case the last row counts. All rows count if empty.
        by: Columns of which each combination becomes one line.
        where: Values that are shown, by column.
    """

    file: str
    script: str
    title: str
    words: str
    columns: Mapping[str, str]
    key: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = {}


class ResultPage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page of tables."""

    file: str
    title: str
    words: str
    table: tuple[ResultTable, ...]


class ResultPages(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All pages of results."""

    page: tuple[ResultPage, ...]


def result_pages() -> tuple[ResultPage, ...]:
    """Return the pages that `docs/results.toml` arranges."""
    table = tomllib.loads((ROOT / "docs" / "results.toml").read_text("utf-8"))
    return msgspec.convert(table, ResultPages).page


def pages() -> dict[str, str]:
    """Return every page of results by its path below `docs/`."""
    listed = result_pages()
    words = (
        "What was measured, by which script, when, and on which machine. Benchmarks append their rows to "
        "`benchmarks/results`; these pages show the last row of every case. `make bench` measures again."
    )
    lines = ["# Results", "", words, ""]
    lines += ["| page | what is measured |", "|---|---|"]
    lines += [f"| [{page.title}]({page.file}.md) | {page.words} |" for page in listed]
    return {"results/index.md": "\n".join(lines)} | {f"results/{page.file}.md": page_text(page) for page in listed}


def page_text(page: ResultPage) -> str:
    """Return a page of tables."""
    lines = [f"# {page.title}", "", page.words, ""]
    for table in page.table:
        rows = latest(read_rows(table), table.key)
        lines += [f"## {table.title}", "", table.words, "", *table_lines(table, rows), "", _source(table, rows), ""]
    return "\n".join(lines)


def read_rows(table: ResultTable) -> list[Row]:
    """Return the rows of a file that are shown."""
    with (RESULTS / f"{table.file}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if all(row[column] in values for column, values in table.where.items())]


def latest(rows: Iterable[Row], key: Iterable[str]) -> list[Row]:
    """Return the last row of every case, in the order in which the cases first came."""
    columns = tuple(key)
    if not columns:
        return list(rows)
    return list({tuple(row[column] for column in columns): row for row in rows}.values())


def table_lines(table: ResultTable, rows: list[Row]) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = [f"| {' | '.join(table.columns)} |", f"|{'---|' * len(table.columns)}"]
    groups: dict[tuple[str, ...], list[Row]] = {}
    for number, row in enumerate(rows):
        name = tuple(row[column] for column in table.by) if table.by else (str(number),)
        groups.setdefault(name, []).append(row)
    for group in groups.values():
        cells = [_cell(column, group, table.by) for column in table.columns.values()]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


SUMMARIES: dict[str, Callable[[list[float]], float]] = {"median": median, "most": max, "least": min, "sum": sum}


def _cell(column: str, group: list[Row], by: tuple[str, ...]) -> str:
    if not by or column in by:
        return _formatted(group[-1][column])
    if column == "count":
        return str(len(group))
    summary, _, name = column.partition(" ")
    present = [row[name] for row in group if row[name] != ""]
    if summary == "share":
        return f"{sum(value in {'True', '1'} for value in present)} of {len(present)}"
    return _formatted(str(SUMMARIES[summary]([abs(float(value)) for value in present]))) if present else ""


def _formatted(value: str) -> str:
    """Return a number with four significant digits, and anything else as it is."""
    if value in {"True", "False"}:
        return {"True": "yes", "False": "no"}[value]
    try:
        number = float(value)
    except ValueError:
        return value.replace("|", "\\|")
    if number == int(number) and abs(number) < 1e7:
        return str(int(number))
    return f"{number:.4g}"


def _source(table: ResultTable, rows: list[Row]) -> str:
    """Return the sentence that says where figures come from."""
    machines = sorted({row["processor"] for row in rows if row.get("processor")})
    days = sorted({row["when"][:10] for row in rows if row.get("when")})
    when = f", {days[0]}" + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""
    machine = f", on {' and '.join(machines)}, shared with other programs" if machines else ""
    return f"*`benchmarks/{table.script}`, rows in `benchmarks/results/{table.file}.csv`{when}{machine}.*"


# mkdocs


def on_files(files: Any, config: Any) -> Any:
    """Add the pages to the site."""
    from mkdocs.structure.files import File  # noqa: PLC0415 -- only mkdocs calls this

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


if __name__ == "__main__":
    for name, text in pages().items():
        path = Path(sys.argv[1]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
