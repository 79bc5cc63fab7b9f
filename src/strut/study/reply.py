"""Reply: what a participant's form says, checked against what the study asked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from strut.errors import BadReplyError
from strut.study.design import Design

GENDERS = ("woman", "man", "other", "none")
_LONGEST_MS = 24 * 3600 * 1000
_MOST_PLAYS = 10_000
_TOKEN = re.compile(r"^[A-Za-z0-9_-]{32}$")


def is_token(text: str) -> bool:
    """Whether a text has the form of a private link's secret part."""
    return bool(_TOKEN.match(text))


def checked_reply(design: Design, form: Mapping[str, str]) -> dict[str, Any]:
    """Return what is stored of an answer: a choice, or ratings on [-1, 1] (of the improvement form from -2 to 2)."""
    ask = design.ask
    if design.question == "forced-choice":
        answer = form.get("answer", "")
        if answer not in design.answer_options:
            raise BadReplyError(f"'{answer[:40]}' is not among the answers." if answer else "no answer was chosen.")
        return {"perceived": answer}
    if design.question == "slider":
        if ask.do_not_know and form.get("undecided") == "1":
            return {"rating": None}
        if form.get("touched") != "1":
            raise BadReplyError("the handle was not moved.")
        return {"rating": _whole(form, "rating", -100, 100) / 100.0}
    if design.question == "sam":
        middle = (ask.points + 1) / 2.0
        return {scale: (_whole(form, scale, 1, ask.points) - middle) / (ask.points - middle) for scale in ask.scales}
    return {item: _whole(form, item, -2, 2) for item in ask.items}


def checked_timing(form: Mapping[str, str]) -> tuple[int | None, int | None]:
    """Return how long the answer took [ms] and how often the stimulus was played, where the page measured it."""
    response = _whole(form, "response_ms", 0, _LONGEST_MS) if form.get("response_ms") else None
    plays = _whole(form, "plays", 0, _MOST_PLAYS) if form.get("plays") else None
    return response, plays


def checked_person(design: Design, form: Mapping[str, str]) -> tuple[int | None, str | None]:
    """Return age and gender, None where they were not asked or not given."""
    age = _whole(form, "age", 1, 120) if design.ask_age and form.get("age", "").strip() else None
    gender = form.get("gender", "") if design.ask_gender else ""
    if gender and gender not in GENDERS:
        raise BadReplyError(f"gender is '{gender[:40]}'.")
    return age, gender or None


def _whole(form: Mapping[str, str], name: str, low: int, high: int) -> int:
    text = form.get(name, "").strip()
    if not text:
        raise BadReplyError(f"{name.replace('_', ' ')} has no answer.")
    if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
        raise BadReplyError(f"{name.replace('_', ' ')} must be a whole number from {low} to {high}.")
    return int(text)
