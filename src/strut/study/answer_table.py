"""Answer table: all answers of a study as one long table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from strut.study.answers import Answers, parse_answers
from strut.study.design import Design


def answer_columns(design: Design) -> tuple[str, ...]:
    """Return the columns that hold what people said."""
    by_question = {
        "forced-choice": ("perceived",),
        "slider": ("rating",),
        "sam": design.ask.scales,
        "improvement": design.ask.items,
    }
    return by_question[design.question]


def export_rows(design: Design, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row per answer, in the long format that `strut study stats` reads."""
    stimuli = {entry.name: entry for entry in design.stimuli}
    columns = answer_columns(design)
    offered = _offered(design)
    return [
        {
            "participant": row["code"],
            "block": row["block"],
            "trial": row["trial"],
            "stimulus": row["stimulus"],
            "intended": stimuli[row["stimulus"]].intended,
            "control": stimuli[row["stimulus"]].control,
            **{name: row["reply"][name] for name in columns},
            **offered,
            "response_ms": row["response_ms"],
            "plays": row["plays"],
            "practice": int(row["block"] == 0),
            "simulated": int(row["simulated"]),
            "language": row["language"],
            "age": row["age"],
            "gender": row["gender"],
            "received_at": row["received_at"],
        }
        for row in rows
    ]


def _offered(design: Design) -> dict[str, int]:
    """Return how many answers a choice offered, without which nobody knows what chance is."""
    return {"options": len(design.answer_options)} if design.question == "forced-choice" else {}


def export_csv(design: Design, rows: Sequence[dict[str, Any]]) -> str:
    """Return the answers as CSV; what nobody said is empty."""
    table = export_rows(design, rows)
    fixed = ("participant", "block", "trial", "stimulus", "intended", "control")
    about = ("response_ms", "plays", "practice", "simulated", "language", "age", "gender", "received_at")
    buffer = io.StringIO()
    columns = [*fixed, *answer_columns(design), *_offered(design), *about]
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    return buffer.getvalue()


def export_json(design: Design, rows: Sequence[dict[str, Any]]) -> str:
    """Return the answers as JSON, one object per trial with the `trial_type`, `trial_index` and `rt` of jsPsych."""
    table = [
        {
            "trial_type": f"strut-{design.question}",
            "trial_index": row["trial"],
            "rt": row["response_ms"],
            **{key: value for key, value in row.items() if key not in ("trial", "response_ms")},
        }
        for row in export_rows(design, rows)
    ]
    return json.dumps(table, allow_nan=False)


def answers_of(design: Design, rows: Sequence[dict[str, Any]]) -> Answers:
    """Return the answers as the statistics want them."""
    return parse_answers(export_csv(design, rows), f"answers of {design.name}")
