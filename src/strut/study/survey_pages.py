"""Survey pages: what participants and researchers see, as HTML, and what may come back in a participant's form.

Nothing in the pages is fetched from elsewhere; a form is checked against what the study asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from strut.errors import BadReplyError, ClosedStudyError
from strut.study.database import Participant, deletion_code
from strut.study.design import Design
from strut.study.templates import filled
from strut.study.trial_plan import Trial, option_order
from strut.study.words import SurveyWords

STATIC = {
    "study.css": "text/css; charset=utf-8",
    "stage.js": "text/javascript; charset=utf-8",
    "trial.js": "text/javascript; charset=utf-8",
    "researcher.js": "text/javascript; charset=utf-8",
}
GENDERS = ("woman", "man", "other", "none")
_LONGEST_MS = 24 * 3600 * 1000
_MOST_PLAYS = 10_000
_TOKEN = re.compile(r"^[A-Za-z0-9_-]{32}$")


@cache
def static_file(name: str) -> bytes:
    """Return a style sheet or script; only those of `STATIC` are ever served."""
    return files("strut.study").joinpath("pages", name).read_bytes()


def welcome_page(
    design: Design,
    words: SurveyWords,
    ticket: str,
    message: str = "",
    *,
    agreed: bool = False,
    recruited: Mapping[str, str] | None = None,
) -> str:
    """Return the first page: what it is about, consent, and the questions about the person.

    `recruited` are the ids that came with the link; they stay with the form.
    """
    languages = [(code, design.words(code).say("language")) for code in design.languages]
    shown = {"ticket": ticket, "message": message, "agreed": agreed, "genders": GENDERS, "recruited": recruited or {}}
    return filled("welcome.html", words=words, design=design, languages=languages, **shown)


def trial_page(
    design: Design, who: Participant, trial: Trial, *, stimulus_url: str, action: str, link: str, message: str
) -> str:
    """Return the page of one trial: the moving figure, the question, and the private link."""
    words, session = design.words(who.language), design.session
    block = words.say("block", number=trial.block, total=session.blocks) if session.blocks > 1 else ""
    return filled(
        "trial.html",
        words=words,
        design=design,
        trial=trial,
        total=len(who.plan),
        heading=words.say("progress", number=trial.number, total=len(who.plan)),
        note=words.say("practice") if trial.practice else block,
        stimulus_url=stimulus_url,
        action=action,
        link=link,
        message=message,
        options=option_order(design, who.identity),
        intended=design.stimulus(trial.stimulus).intended,
    )


def begins_block(who: Participant, trial: Trial) -> bool:
    """Whether a trial is the first of a part after another one, so that people may rest before it."""
    return trial.block > 1 and who.plan[trial.number - 2].block != trial.block


def break_page(design: Design, who: Participant, trial: Trial, *, action: str) -> str:
    """Return the page between two parts, which waits as long as people like."""
    words = design.words(who.language)
    done = words.say("break_title", number=trial.block - 1, total=design.session.blocks)
    return filled("break.html", words=words, title=done, action=action)


def finished_page(design: Design, who: Participant, token: str) -> str:
    """Return the thanks, the code with which answers are deleted, and the way back to where people came from."""
    words, back = design.words(who.language), design.recruiting
    told = {
        "code": deletion_code(token),
        "completion_code": back.completion_code,
        "completion_url": back.completion_url,
    }
    return filled("finished.html", words=words, action=f"/p/{token}", **told)


def withdraw_page(design: Design, who: Participant, token: str) -> str:
    """Return the question whether all answers shall be deleted."""
    return filled("withdraw.html", words=design.words(who.language), action=f"/p/{token}", answered=who.answered)


def message_page(words: SurveyWords, title: str, text: str) -> str:
    """Return a page that says one thing."""
    return filled("message.html", words=words, title=title, text=text)


def login_page(design: Design, message: str = "") -> str:
    """Return the door to the researcher's page."""
    return filled("login.html", words=design.words("en"), message=message)


def researcher_page(design: Design, counts: dict[str, Any]) -> str:
    """Return the live counts and the downloads."""
    return filled("researcher.html", words=design.words("en"), design=design, counts=counts)


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
    youngest = design.ethics.minimum_age if design.ethics else 0
    asked = (design.ask_age and form.get("age", "").strip()) or youngest
    age = _whole(form, "age", 1, 120) if asked else None
    if age is not None and age < youngest:
        raise ClosedStudyError("too_young")
    gender = form.get("gender", "") if design.ask_gender else ""
    if gender and gender not in GENDERS:
        raise BadReplyError(f"gender is '{gender[:40]}'.")
    return (age if design.ask_age else None), gender or None


def _whole(form: Mapping[str, str], name: str, low: int, high: int) -> int:
    text = form.get(name, "").strip()
    if not text:
        raise BadReplyError(f"{name.replace('_', ' ')} has no answer.")
    if not re.fullmatch(r"-?\d{1,9}", text, re.ASCII) or not low <= int(text) <= high:
        raise BadReplyError(f"{name.replace('_', ' ')} must be a whole number from {low} to {high}.")
    return int(text)
