"""Survey pages: the HTML of participants and researchers. Nothing in it is loaded from other servers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from strut.study.design.custom_questions import LONGEST_TEXT
from strut.study.design.design import Design
from strut.study.design.translations import Translation
from strut.study.design.trial_plan import CHECK_NUMBERS, Trial, view_azimuths, view_of
from strut.study.questions.question import CONFIDENCE_POINTS, question_script, question_style
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
    """Return the first page: introduction, consent, and the questions about the person.

    `recruited` are the ids that came with the link; the form sends them back.
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
        has_style=bool(question_style(type(design.ask))),
        **design.ask.page_values(design.seed, participant.identity),
    )


def _progress(design: Design, participant: Participant, trial: Trial) -> dict[str, Any]:
    """Return the values of the head of a trial's page."""
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
    """Return the study's own questions of a moment; answers already `given` are in the form."""
    words = design.words(participant.language)
    questions = [one for one in design.questions if one.when == moment]
    shown = {"questions": questions, "moment": moment, "message": message, "given": given or {}}
    return filled("questions.html", words=words, action=action, longest=LONGEST_TEXT, **shown)


def after_practice(design: Design, participant: Participant) -> bool:
    """Return whether the participant has just answered a practice trial and gets feedback."""
    return design.session.feedback and 0 < participant.answered <= design.practice_trials


def feedback_page(design: Design, participant: Participant, reply: Mapping[str, Any], *, action: str) -> str:
    """Return the page after a practice trial: what was intended, and the answer if it was a choice."""
    words = design.words(participant.language)
    trial = participant.plan[participant.answered - 1]
    intended = [design.stimulus(name).intended for name in trial.stimuli]
    text = design.ask.feedback_text(words, intended, reply)
    return filled("break.html", words=words, title=words.say("practice"), text=text, action=action)


def instruction_page(design: Design, participant: Participant, *, action: str) -> str | None:
    """Return the instruction of the participant's group before the first trial; None if there is none."""
    words = design.words(participant.language)
    group = design.group(participant.group)
    if participant.answered or group is None or not group.instruction:
        return None
    title = words.say("instruction_title")
    text = group.instruction[words.code]
    return filled("break.html", words=words, title=title, text=text, action=action, own=True)


def view_detail(design: Design, participant: Participant) -> dict[str, Any]:
    """Return the azimuth of the current trial if azimuths are random; else nothing."""
    if not design.display.azimuth_spread_deg or participant.current is None:
        return {}
    azimuths = view_azimuths(design.display.azimuth_deg, design.display.azimuth_spread_deg)
    return {"azimuth_deg": round(azimuths[view_of(design, participant.identity, participant.current.number)], 1)}


def begins_block(participant: Participant, trial: Trial) -> bool:
    """Return whether a trial is the first of a block after another block."""
    return trial.block > 1 and participant.plan[trial.number - 2].block != trial.block


def break_page(design: Design, participant: Participant, trial: Trial, *, action: str) -> str | None:
    """Return the page of the break between two blocks, which has no time limit; None within a block."""
    if not begins_block(participant, trial):
        return None
    words = design.words(participant.language)
    done = words.say("break_title", number=trial.block - 1, total=design.session.blocks)
    return filled("break.html", words=words, title=done, text=words.say("pause"), action=action)


def finished_page(design: Design, participant: Participant, token: str) -> str:
    """Return the last page: thanks, the deletion code, and the link or code of the recruiting platform."""
    words = design.words(participant.language)
    recruiting = design.recruiting
    values = {
        "code": deletion_code(token),
        "completion_code": recruiting.completion_code,
        "completion_url": recruiting.completion_url,
    }
    return filled("finished.html", words=words, action=f"/p/{token}", **values)


def withdraw_page(design: Design, participant: Participant, token: str) -> str:
    """Return the page that asks whether to delete all answers."""
    return filled(
        "withdraw.html", words=design.words(participant.language), action=f"/p/{token}", answered=participant.answered
    )


def message_page(words: Translation, title: str, text: str) -> str:
    """Return a page with one message."""
    return filled("message.html", words=words, title=title, text=text)


def login_page(design: Design, message: str = "") -> str:
    """Return the login of the researcher's page."""
    return filled("login.html", words=design.words("en"), message=message)


def researcher_page(design: Design, counts: dict[str, Any]) -> str:
    """Return the live counts and the downloads."""
    return filled("researcher.html", words=design.words("en"), design=design, counts=counts)
