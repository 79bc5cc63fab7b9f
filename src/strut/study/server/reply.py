"""Reply: what comes back in a participant's form, checked against what the study asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from strut.errors import BadReplyError, ClosedStudyError
from strut.study.design.design import Design
from strut.study.design.question_types import CONFIDENCE_POINTS, MOST_SAMPLES, Question
from strut.study.design.trial_plan import CHECK_NUMBERS, Trial

GENDERS = ("woman", "man", "other", "none")
LONGEST_LABEL = 80
_LONGEST_MS = 24 * 3600 * 1000
_MOST_PLAYS = 10_000
_TOKEN = re.compile(r"^[A-Za-z0-9_-]{32}$")


def is_token(text: str) -> bool:
    """Whether a text has the form of a private link's secret part."""
    return bool(_TOKEN.match(text))


def checked_reply(design: Design, form: Mapping[str, str], trial: Trial) -> dict[str, Any]:
    """Return what is stored of an answer: a choice, ratings on [-1, 1] (of the improvement form from -2 to 2), words.

    Where the study asks for it, `confidence` from 1 to 5 stands beside it.
    """
    if trial.check:
        return {"check": _whole(form, "check", 1, CHECK_NUMBERS), "asked": trial.check}
    said = _said(design, form, trial)
    return said | ({"confidence": _whole(form, "confidence", 1, CONFIDENCE_POINTS)} if design.ask.confidence else {})


def _said(design: Design, form: Mapping[str, str], trial: Trial) -> dict[str, Any]:
    undecided = design.ask.do_not_know and form.get("undecided") == "1"
    if undecided and design.question in _UNDECIDED:
        return dict(_UNDECIDED[design.question])
    return _READERS[design.question](design, form, trial)


def _choice(design: Design, form: Mapping[str, str], _trial: Trial) -> dict[str, Any]:
    return {"perceived": _among(form, design.answer_options)}


def _side(_design: Design, form: Mapping[str, str], trial: Trial) -> dict[str, Any]:
    return {"chosen": {"left": trial.stimulus, "right": trial.other}[_among(form, ("left", "right"))]}


def _handle(_design: Design, form: Mapping[str, str], _trial: Trial) -> dict[str, Any]:
    _check_touched(form)
    return {"rating": _whole(form, "rating", -100, 100) / 100.0}


def _manikins(design: Design, form: Mapping[str, str], _trial: Trial) -> dict[str, Any]:
    points = design.ask.points
    middle = (design.ask.points + 1) / 2.0
    return {scale: (_whole(form, scale, 1, points) - middle) / (points - middle) for scale in design.ask.scales}


def _wishes(design: Design, form: Mapping[str, str], _trial: Trial) -> dict[str, Any]:
    return {item: _whole(form, item, -2, 2) for item in design.ask.items}


def _check_touched(form: Mapping[str, str]) -> None:
    if form.get("touched") != "1":
        raise BadReplyError("the handle was not moved.")


def _among(form: Mapping[str, str], options: tuple[str, ...]) -> str:
    answer = form.get("answer", "")
    if answer not in options:
        raise BadReplyError(f"'{answer[:40]}' is not among the answers." if answer else "no answer was chosen.")
    return answer


def _label(_design: Design, form: Mapping[str, str], _trial: Trial) -> dict[str, Any]:
    label = " ".join(form.get("label", "").split())
    if not label:
        raise BadReplyError("no answer was written.")
    return {"label": label[:LONGEST_LABEL]}


def _trace(design: Design, form: Mapping[str, str], _trial: Trial) -> dict[str, Any]:
    """Return a rating sampled while the motion was seen, as text of whole numbers from -100 to 100, and its mean."""
    text = form.get("trace", "").strip()
    _check_touched(form)
    if not re.fullmatch(r"-?\d{1,3}( -?\d{1,3})*", text, re.ASCII):
        raise BadReplyError("the ratings over time are not readable.")
    values = [int(value) for value in text.split(" ")]
    least = int(0.5 * design.ask.rate_hz * design.display.seconds)
    if not least <= len(values) <= MOST_SAMPLES or max(map(abs, values)) > 100:
        raise BadReplyError("the ratings over time are not complete.")
    return {"rating": round(sum(values) / len(values) / 100.0, 4), "trace": text}


def checked_timing(form: Mapping[str, str]) -> tuple[int | None, int | None, dict[str, Any]]:
    """Return how long the answer took [ms], how often the stimulus was played and on what, where the page measured it.

    `still` is 1 where pictures stood still because the device asks for less motion.
    """
    response = _whole(form, "response_ms", 0, _LONGEST_MS) if form.get("response_ms") else None
    plays = _whole(form, "plays", 0, _MOST_PLAYS) if form.get("plays") else None
    detail: dict[str, Any] = {"still": int(form.get("still") == "1")}
    for name, most in (("focus_lost", _MOST_PLAYS), ("refresh_hz", 1000)):
        detail[name] = _whole(form, name, 0, most) if form.get(name) else None
    screen = form.get("screen", "")
    return response, plays, detail | {"screen": screen if re.fullmatch(r"\d{1,5}x\d{1,5}", screen) else None}


def checked_person(design: Design, form: Mapping[str, str]) -> tuple[int | None, str | None]:
    """Return age and gender, None where they were not asked or not given; too young is a ClosedStudyError."""
    gender = form.get("gender", "") if design.ask_gender else ""
    age = _age(design, form)
    if gender not in ("", *GENDERS):
        raise BadReplyError(f"gender is '{gender[:40]}'.")
    return (age if design.ask_age else None), gender or None


def _age(design: Design, form: Mapping[str, str]) -> int | None:
    youngest = design.ethics.minimum_age if design.ethics else 0
    if not (youngest or (design.ask_age and form.get("age", "").strip())):
        return None
    age = _whole(form, "age", 1, 120)
    if age < youngest:
        raise ClosedStudyError("too_young")
    return age


def _whole(form: Mapping[str, str], name: str, low: int, high: int) -> int:
    text = form.get(name, "").strip()
    if not text:
        raise BadReplyError(f"{name.replace('_', ' ')} has no answer.")
    if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
        raise BadReplyError(f"{name.replace('_', ' ')} must be a whole number from {low} to {high}.")
    return int(text)


_READERS: dict[Question, Callable[[Design, Mapping[str, str], Trial], dict[str, Any]]] = {
    "forced-choice": _choice,
    "pairwise": _side,
    "free-label": _label,
    "slider": _handle,
    "continuous": _trace,
    "sam": _manikins,
    "improvement": _wishes,
}
_UNDECIDED: dict[Question, dict[str, Any]] = {
    "free-label": {"label": ""},
    "slider": {"rating": None},
    "continuous": {"rating": None, "trace": ""},
}
