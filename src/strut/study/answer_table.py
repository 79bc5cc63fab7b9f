"""Answer table: all answers of a study as one long table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from strut.study.answers import Answers, parse_answers
from strut.study.design import Design

_SHOWN = ("participant", "block", "trial", "stimulus", "intended", "control")
_ABOUT = ("response_ms", "plays", "practice", "simulated", "language", "age", "gender", "received_at")


def answer_columns(design: Design) -> tuple[str, ...]:
    """Return the columns that hold what people said."""
    ask = design.ask
    by_question = {"forced-choice": ("perceived",), "slider": ("rating",), "sam": ask.scales, "improvement": ask.items}
    return by_question[design.question]


def _columns(design: Design) -> tuple[str, ...]:
    """Return all columns; a choice tells how many answers it offered, or nobody would know what chance is."""
    offered = ("options",) if design.question == "forced-choice" else ()
    return (*_SHOWN, *answer_columns(design), *offered, *_ABOUT)


def export_rows(design: Design, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per answer of `Database.rows`, in the long format that `strut study stats` reads."""
    columns, table = _columns(design), []
    for row in rows:
        entry = design.stimulus(row["stimulus"])
        known = row | row["reply"] | {"participant": row["code"], "intended": entry.intended, "control": entry.control}
        known |= {"practice": int(row["block"] == 0), "simulated": int(row["simulated"])}
        known |= {"options": len(design.answer_options)}
        table.append({name: known[name] for name in columns})
    return table


def export_csv(design: Design, rows: Sequence[dict[str, Any]]) -> str:
    """Return the answers as CSV; what nobody said is empty."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, _columns(design), lineterminator="\n")
    writer.writeheader()
    writer.writerows(export_rows(design, rows))
    return buffer.getvalue()


def export_json(design: Design, rows: Sequence[dict[str, Any]]) -> str:
    """Return the answers as JSON, one object per trial with the `trial_type`, `trial_index` and `rt` of jsPsych."""
    table = [
        {"trial_type": f"strut-{design.question}", "trial_index": row.pop("trial"), "rt": row.pop("response_ms"), **row}
        for row in export_rows(design, rows)
    ]
    return json.dumps(table, allow_nan=False)


def answers_of(design: Design, rows: Sequence[dict[str, Any]]) -> Answers:
    """Return the answers as the statistics want them."""
    return parse_answers(export_csv(design, rows), f"answers of {design.name}")
