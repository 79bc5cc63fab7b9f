"""Answer table: all answers of a study as one long table, CSV or JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any

from strut.study.design.custom_questions import COLUMN as OWN
from strut.study.design.design import Design
from strut.study.design.exclusion import attention_mark, exclusion_mark, inattentive_people
from strut.study.statistics.answers import Answers, parse_answers

_SHOWN = ("participant", "block", "trial", "stimulus", "intended", "control")
_ABOUT = ("response_ms", "plays", "showings", "excluded", "practice", "simulated", "language", "age", "gender")
_SCREEN = ("still", "focus_lost", "screen", "refresh_hz")  # what the page knows of how it was shown


def answer_columns(design: Design) -> tuple[str, ...]:
    """Return the columns that hold what people said."""
    ask = design.ask
    by_question: dict[str, tuple[str, ...]] = {
        "forced-choice": ("perceived",),
        "slider": ("rating",),
        "sam": ask.scales,
        "improvement": ask.items,
        "pairwise": ("chosen",),
        "continuous": ("rating",),
        "free-label": ("label",),
    }
    return by_question[design.question]


def _columns(design: Design) -> tuple[str, ...]:
    """Return all columns; a choice tells how many answers it offered, or nobody would know what chance is."""
    parts = {
        ("options", "do_not_know"): design.question == "forced-choice",
        ("other", "intended_other", "control_other"): design.question == "pairwise",
        ("trace", "trace_hz"): design.question == "continuous",
        ("confidence",): design.ask.confidence,
        ("group",): bool(design.groups),
        ("attention",): bool(design.session.attention_checks),
        ("azimuth_deg",): bool(design.display.azimuth_spread_deg),
        tuple(one.column for one in design.questions): True,
    }
    asked = [name for names, there in parts.items() if there for name in names]
    return (*_SHOWN, *answer_columns(design), *asked, *_ABOUT, *_SCREEN, "received_at")


def export_rows(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> list[dict[str, Any]]:
    """Return one row per answer of `Database.rows`, in the long format that `strut study stats` reads.

    Without `exact_times` answers carry the day on which they came: with the second, somebody might be recognised.
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
    known = dict.fromkeys(columns) | row | row["reply"] | shown.get(row["stimulus"], {"intended": "", "control": ""})
    known |= {f"{name}_other": value for name, value in shown.get(other, {}).items()}
    known |= {"participant": row["code"], "practice": int(row["block"] == 0), "simulated": int(row["simulated"])}
    known |= row.get("detail", {}) | {"showings": row.get("showings"), "group": row.get("group_name")}
    known |= {f"{OWN}{name}": value for name, value in row.get("own", {}).items()}
    known |= {"attention": attention, "excluded": "" if attention else exclusion_mark(row, inattentive)}
    known |= {} if exact_times else {"received_at": row["received_at"][:10]}
    known |= {"options": len(design.answer_options), "do_not_know": int(design.ask.do_not_know)}
    known |= {"trace_hz": f"{design.ask.rate_hz:g}"}
    return {name: known[name] for name in columns}


def export_csv(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> str:
    """Return the answers as CSV; what nobody said is empty."""
    return csv_of_rows(_columns(design), export_rows(design, rows, exact_times=exact_times))


def export_recruited(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> str:
    """Return which pseudonym came with which ids, as CSV: apart from the answers, because ids are personal."""
    del exact_times  # nothing here has a time
    names = design.recruiting.names
    found = {row["code"]: row["recruited"] for row in rows}
    return csv_of_rows(("participant", *names), [{"participant": code, **ids} for code, ids in found.items()])


def csv_of_rows(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV, quoted where needed; None is empty."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue()


def export_json(design: Design, rows: Sequence[dict[str, Any]], *, exact_times: bool = False) -> str:
    """Return the answers as JSON, one object per trial with the `trial_type`, `trial_index` and `rt` of jsPsych."""
    table = [
        {"trial_type": f"strut-{design.question}", "trial_index": row.pop("trial"), "rt": row.pop("response_ms"), **row}
        for row in export_rows(design, rows, exact_times=exact_times)
    ]
    return json.dumps(table, allow_nan=False)


def answers_of(design: Design, rows: Sequence[dict[str, Any]]) -> Answers:
    """Return the answers as the statistics want them."""
    return parse_answers(export_csv(design, rows), f"answers of {design.name}")
