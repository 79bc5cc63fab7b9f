"""Report sources: the answers a report is made of, from a study's database or from a table."""

from __future__ import annotations

import csv
from contextlib import closing
from pathlib import Path
from typing import Any

from strut.errors import AnswersError
from strut.study.answer_table import answer_columns, answers_of, export_rows
from strut.study.answers import Answers, read_answers
from strut.study.design import Design
from strut.study.design_file import read_design
from strut.study.opened_study import open_study

Source = tuple[Design, list[dict[str, Any]], Answers]


def rows_of_study(folder: Path, database: str | None) -> Source:
    """Return the design, the exported rows and the answers of a study's database."""
    opened = open_study(folder, database)
    with closing(opened.database):
        rows = opened.database.rows()
    return opened.design, export_rows(opened.design, rows), answers_of(opened.design, rows)


def rows_of_file(folder: Path, path: Path) -> Source:
    """Return the design, and rows and answers of a table that was exported or simulated."""
    table = read_answers(path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [_row(row) for row in csv.DictReader(file)]
    design = read_design(folder)
    _check_belongs(design, table, path)
    return design, rows, table


def _check_belongs(design: Design, table: Answers, path: Path) -> None:
    """Raise AnswersError if a table answers another question, or names motions that the study does not show."""
    asked, held = answer_columns(design), {*table.ratings, *(("perceived",) if table.perceived else ())}
    if set(asked) != held:
        has = ", ".join(sorted(held))
        raise AnswersError(str(path), f"holds {has}; the {design.question} question of {design.name} asks {asked[0]}.")
    shown = {(entry.name, entry.intended) for entry in design.stimuli}
    named = table.stimulus != table.intended  # a table without names says only what was intended
    known = {intended for _, intended in shown}
    for stimulus, intended in zip(table.stimulus, table.intended, strict=True):
        if ((stimulus, intended) not in shown) if named else (intended not in known):
            motion = f"{stimulus} ({intended})" if named else intended
            raise AnswersError(str(path), f"has answers to {motion}, which {design.name} does not show.")


def _row(row: dict[str, str]) -> dict[str, Any]:
    """Return what the report reads of a row; cells that are not there or empty are None."""
    return {
        "participant": row["participant"],
        "practice": row.get("practice", "") == "1",
        "age": int(row["age"]) if row.get("age", "").isdigit() else None,
        "gender": row.get("gender") or None,
        "received_at": row.get("received_at") or "",
        "response_ms": int(row["response_ms"]) if row.get("response_ms", "").isdigit() else None,
    }
