"""Survey pages: what participants and researchers see, as HTML. Nothing in them is fetched from elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from strut.study.design.custom_questions import LONGEST_TEXT
from strut.study.design.design import Design
from strut.study.design.translations import Translation
from strut.study.design.trial_plan import CHECK_NUMBERS, Trial, view_azimuths, view_of
from strut.study.questions.question import CONFIDENCE_POINTS, question_script
from strut.study.server.database import Participant, deletion_code
from strut.study.server.reply import GENDERS
from strut.study.templates import filled

STATIC = {
    "study.css": "text/css; charset=utf-8",
    "stage.js": "text/javascript; charset=utf-8",
    "trial.js": "text/javascript; charset=utf-8",
    "researcher.js": "text/javascript; charset=utf-8",
}


@cache
def static_file(name: str) -> bytes:
    """Return a style sheet or script of `STATIC`."""
    return files("strut.study").joinpath("pages", name).read_bytes()


def welcome_page(
    design: Design,
    words: Translation,
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
    design: Design,
    participant: Participant,
    trial: Trial,
    *,
    stimulus_urls: list[str],
    action: str,
    link: str,
    message: str,
) -> str:
    """Return the page of one trial: the moving figure, the question, and the private link."""
    return filled(
        "trial.html",
        **_progress(design, participant, trial),
        stimulus_urls=stimulus_urls,
        action=action,
        link=link,
        message=message,
        ask=design.ask,
        intended=design.stimulus(trial.stimulus).intended,
        sure=range(1, CONFIDENCE_POINTS + 1),
        has_script=bool(question_script(type(design.ask))),
        **design.ask.page_values(design.seed, participant.identity),
    )


def _progress(design: Design, participant: Participant, trial: Trial) -> dict[str, Any]:
    """Return what the head of a trial's page says."""
    words = design.words(participant.language)
    session = design.session
    block = words.say("block", number=trial.block, total=session.blocks) if session.blocks > 1 else ""
    heading = words.say("progress", number=trial.number, total=len(participant.plan))
    note = words.say("practice") if trial.practice else block
    return {
        "words": words,
        "design": design,
        "trial": trial,
        "total": len(participant.plan),
        "heading": heading,
        "note": note,
    }


def check_page(design: Design, participant: Participant, trial: Trial, *, action: str, message: str) -> str:
    """Return an attention check: a page that asks for a certain number."""
    numbers = range(1, CHECK_NUMBERS + 1)
    return filled(
        "check.html", **_progress(design, participant, trial), action=action, message=message, numbers=numbers
    )


def questions_page(
    design: Design,
    participant: Participant,
    moment: str,
    *,
    action: str,
    message: str = "",
    given: Mapping[str, str] | None = None,
) -> str:
    """Return the study's own questions of a moment; what was `given` before stays in the form."""
    words = design.words(participant.language)
    questions = [one for one in design.questions if one.when == moment]
    shown = {"questions": questions, "moment": moment, "message": message, "given": given or {}}
    return filled("questions.html", words=words, action=action, longest=LONGEST_TEXT, **shown)


def after_practice(design: Design, participant: Participant) -> bool:
    """Whether somebody has just answered a practice trial and is to be told what was intended."""
    return design.session.feedback and 0 < participant.answered <= design.practice_trials


def feedback_page(design: Design, participant: Participant, reply: Mapping[str, Any], *, action: str) -> str:
    """Return what was intended in the last practice trial, beside what was answered where that was a choice."""
    words = design.words(participant.language)
    trial = participant.plan[participant.answered - 1]
    intended = [design.stimulus(name).intended for name in trial.stimuli]
    text = design.ask.feedback_text(words, intended, reply)
    return filled("break.html", words=words, title=words.say("practice"), text=text, action=action)


def instruction_page(design: Design, participant: Participant, *, action: str) -> str | None:
    """Return what somebody's group reads before the first trial, where it reads something."""
    words = design.words(participant.language)
    group = design.group(participant.group)
    if participant.answered or group is None or not group.instruction:
        return None
    title = words.say("instruction_title")
    text = group.instruction[words.code]
    return filled("break.html", words=words, title=title, text=text, action=action, own=True)


def view_detail(design: Design, participant: Participant) -> dict[str, Any]:
    """Return from where the current trial was seen, where that is by lot."""
    if not design.display.azimuth_spread_deg or participant.current is None:
        return {}
    azimuths = view_azimuths(design.display.azimuth_deg, design.display.azimuth_spread_deg)
    return {"azimuth_deg": round(azimuths[view_of(design, participant.identity, participant.current.number)], 1)}


def begins_block(participant: Participant, trial: Trial) -> bool:
    """Whether a trial is the first of a part after another one, so that people may rest before it."""
    return trial.block > 1 and participant.plan[trial.number - 2].block != trial.block


def break_page(design: Design, participant: Participant, trial: Trial, *, action: str) -> str | None:
    """Return the page between two parts, which waits as long as people like; None within a part."""
    if not begins_block(participant, trial):
        return None
    words = design.words(participant.language)
    done = words.say("break_title", number=trial.block - 1, total=design.session.blocks)
    return filled("break.html", words=words, title=done, text=words.say("pause"), action=action)


def finished_page(design: Design, participant: Participant, token: str) -> str:
    """Return the thanks, the code with which answers are deleted, and the way back to where people came from."""
    words = design.words(participant.language)
    back = design.recruiting
    told = {
        "code": deletion_code(token),
        "completion_code": back.completion_code,
        "completion_url": back.completion_url,
    }
    return filled("finished.html", words=words, action=f"/p/{token}", **told)


def withdraw_page(design: Design, participant: Participant, token: str) -> str:
    """Return the question whether all answers shall be deleted."""
    return filled(
        "withdraw.html", words=design.words(participant.language), action=f"/p/{token}", answered=participant.answered
    )


def message_page(words: Translation, title: str, text: str) -> str:
    """Return a page that says one thing."""
    return filled("message.html", words=words, title=title, text=text)


def login_page(design: Design, message: str = "") -> str:
    """Return the door to the researcher's page."""
    return filled("login.html", words=design.words("en"), message=message)


def researcher_page(design: Design, counts: dict[str, Any]) -> str:
    """Return the live counts and the downloads."""
    return filled("researcher.html", words=design.words("en"), design=design, counts=counts)
