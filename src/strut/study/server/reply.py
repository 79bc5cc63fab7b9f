"""Reply: checks the forms of participants against the design."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from strut.errors import BadReplyError, ClosedStudyError
from strut.study.design.design import Design
from strut.study.design.trial_plan import CHECK_NUMBERS, Trial
from strut.study.questions.form_fields import read_number_field
from strut.study.questions.question import CONFIDENCE_POINTS

GENDERS = ("woman", "man", "other", "none")
_MAX_RESPONSE_MS = 24 * 3600 * 1000  # a day; longer times are errors of a clock
_MAX_PLAYS = 10_000
_TOKEN = re.compile(r"^[A-Za-z0-9_-]{32}$")


def is_token(text: str) -> bool:
    """Return whether a text has the form of the secret part of a private link."""
    return bool(_TOKEN.match(text))


def check_reply(design: Design, form: Mapping[str, str], trial: Trial) -> dict[str, Any]:
    """Return what is stored of a reply: to an attention check, or to the question with `confidence` if asked."""
    if trial.check:
        return {"check": read_number_field(form, "check", 1, CHECK_NUMBERS), "asked": trial.check}
    reply = design.ask.read_reply(form, trial, seconds=design.display.seconds)
    if design.ask.confidence:
        reply |= {"confidence": read_number_field(form, "confidence", 1, CONFIDENCE_POINTS)}
    return reply


def check_timing(form: Mapping[str, str]) -> tuple[int | None, int | None, dict[str, Any]]:
    """Return the response time [ms], the number of plays and details of the display; None if not measured.

    `still` is 1 if still pictures were shown because the device asks for reduced motion.
    """
    response = read_number_field(form, "response_ms", 0, _MAX_RESPONSE_MS) if form.get("response_ms") else None
    plays = read_number_field(form, "plays", 0, _MAX_PLAYS) if form.get("plays") else None
    detail: dict[str, Any] = {"still": int(form.get("still") == "1")}
    for name, highest in (("focus_lost", _MAX_PLAYS), ("refresh_hz", 1000)):
        detail[name] = read_number_field(form, name, 0, highest) if form.get(name) else None
    screen = form.get("screen", "")
    return response, plays, detail | {"screen": screen if re.fullmatch(r"\d{1,5}x\d{1,5}", screen) else None}


def check_person(design: Design, form: Mapping[str, str]) -> tuple[int | None, str | None]:
    """Return age and gender, None if not asked or not given; raise ClosedStudyError below the minimum age."""
    gender = form.get("gender", "") if design.ask_gender else ""
    age = _check_age(design, form)
    if gender not in ("", *GENDERS):
        raise BadReplyError(f"gender is '{gender[:40]}'.")
    return (age if design.ask_age else None), gender or None


def _check_age(design: Design, form: Mapping[str, str]) -> int | None:
    youngest = design.ethics.minimum_age if design.ethics else 0
    if not (youngest or (design.ask_age and form.get("age", "").strip())):
        return None
    age = read_number_field(form, "age", 1, 120)
    if age < youngest:
        raise ClosedStudyError("too_young")
    return age
