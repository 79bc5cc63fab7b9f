"""Answer table: all answers of a study as one long table, CSV or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from strut.plumbing.csv_text import csv_of_rows
from strut.study.design.custom_questions import COLUMN as OWN
from strut.study.design.design import Design
from strut.study.design.exclusion import attention_mark, exclusion_mark, inattentive_people
from strut.study.statistics.answers import Answers, parse_answers

_STIMULUS = ("participant", "block", "trial", "stimulus", "intended", "control")
_CONTEXT = ("response_ms", "plays", "showings", "excluded", "practice", "simulated", "language", "age", "gender")
_SCREEN = ("still", "focus_lost", "screen", "refresh_hz")  # how the page showed the stimulus


def _columns(design: Design) -> tuple[str, ...]:
    """Return all columns."""
    parts = {
        tuple(design.ask.context_columns): True,
        ("confidence",): design.ask.confidence,
        ("group",): bool(design.groups),
        ("attention",): bool(design.session.attention_checks),
        ("azimuth_deg",): bool(design.display.azimuth_spread_deg),
        tuple(one.column for one in design.questions): True,
    }
    optional = [name for names, is_there in parts.items() if is_there for name in names]
    return (*_STIMULUS, *design.ask.answer_columns, *optional, *_CONTEXT, *_SCREEN, "received_at")


def export_rows(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> list[dict[str, Any]]:
    """Return one row per answer of `Database.rows`, in the long format that `strut study stats` reads.

    Without `exact_times` answers have the day on which they came: the second could identify a participant.
    """
    columns = _columns(design)
    inattentive = inattentive_people(rows, design.session.attention_allowed)
    shown = {entry.name: {"intended": entry.intended, "control": entry.control} for entry in design.shown}
    return [_exported(design, row, shown, columns, inattentive, exact_times=exact_times) for row in rows]


def _exported(
    design: Design,
    row: dict[str, Any],
    shown: dict[str, dict[str, str]],
    columns: Sequence[str],
    inattentive: frozenset[str],
    *,
    exact_times: bool,
) -> dict[str, Any]:
    attention = attention_mark(row)
    other = row.get("other") or ""
    cells = dict.fromkeys(columns) | row | row["reply"] | shown.get(row["stimulus"], {"intended": "", "control": ""})
    cells |= {f"{name}_other": value for name, value in shown.get(other, {}).items()}
    cells |= {"participant": row["code"], "practice": int(row["block"] == 0), "simulated": int(row["simulated"])}
    cells |= row.get("detail", {}) | {"showings": row.get("showings"), "group": row.get("group_name")}
    cells |= {f"{OWN}{name}": value for name, value in row.get("own", {}).items()}
    excluded = exclusion_mark(row, inattentive, answers_during_motion=design.ask.answers_during_motion)
    cells |= {"attention": attention, "excluded": "" if attention else excluded}
    cells |= {} if exact_times else {"received_at": row["received_at"][:10]}
    cells |= {name: value for name, value in design.ask.context_columns.items() if value is not None}
    return {name: cells[name] for name in columns}


def export_csv(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> str:
    """Return the answers as CSV; a question that was not answered is an empty cell."""
    return csv_of_rows(_columns(design), export_rows(design, rows, exact_times=exact_times))


def export_recruited(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> str:
    """Return the ids of each pseudonym as CSV: separate from the answers, because ids are personal data."""
    del exact_times  # this table has no times
    names = design.recruiting.names
    ids_of = {row["code"]: row["recruited"] for row in rows}
    return csv_of_rows(("participant", *names), [{"participant": code, **ids} for code, ids in ids_of.items()])


def export_json(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> str:
    """Return the answers as JSON, one object per trial with the `trial_type`, `trial_index` and `rt` of jsPsych."""
    table = [
        {"trial_type": f"strut-{design.question}", "trial_index": row.pop("trial"), "rt": row.pop("response_ms"), **row}
        for row in export_rows(design, rows, exact_times=exact_times)
    ]
    return json.dumps(table, allow_nan=False)


def answers_of(design: Design, rows: Sequence[dict[str, Any]]) -> Answers:
    """Return the answers in the form of the statistics."""
    return parse_answers(export_csv(design, rows), f"answers of {design.name}")
