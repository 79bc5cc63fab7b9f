"""Survey pages: what participants and researchers see, as HTML. Nothing in them is fetched from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from strut.study.answers import DO_NOT_KNOW
from strut.study.database import Participant
from strut.study.design import Design
from strut.study.manikin import manikin_svg
from strut.study.reply import GENDERS
from strut.study.templates import filled
from strut.study.trial_plan import Trial, option_order
from strut.study.words import SurveyWords, language_table

STATIC = {
    "study.css": "text/css; charset=utf-8",
    "stage.js": "text/javascript; charset=utf-8",
    "trial.js": "text/javascript; charset=utf-8",
    "researcher.js": "text/javascript; charset=utf-8",
}
_MOST_FIGURES = 5  # side by side; more are too small on a phone


@cache
def static_file(name: str) -> bytes:
    """Return a style sheet or script; only those of `STATIC` are ever served."""
    return files("strut.study").joinpath("pages", name).read_bytes()


def welcome_page(design: Design, words: SurveyWords, ticket: str, message: str = "", *, agreed: bool = False) -> str:
    """Return the first page: what it is about, consent, and the questions about the person."""
    languages = [(code, language_table(code)["language"]) for code in design.languages]
    shown = {"ticket": ticket, "message": message, "agreed": agreed, "genders": GENDERS}
    return filled("welcome.html", words=words, design=design, languages=languages, **shown)


def trial_page(
    design: Design, who: Participant, trial: Trial, *, stimulus_url: str, action: str, link: str, message: str = ""
) -> str:
    """Return the page of one trial: the moving figure, the question, and the private link."""
    words = design.words(who.language)
    first_of_block = trial.number > 1 and who.plan[trial.number - 2].block != trial.block
    block = words.say("block", number=trial.block, total=design.session.blocks) if design.session.blocks > 1 else ""
    return filled(
        "trial.html",
        words=words,
        design=design,
        trial=trial,
        total=len(who.plan),
        heading=words.say("progress", number=trial.number, total=len(who.plan)),
        note=words.say("practice") if trial.practice else block,
        pause=first_of_block and trial.block > 1,
        stimulus_url=stimulus_url,
        action=action,
        link=link,
        message=message,
        **_question(design, words, who, trial),
    )


def finished_page(design: Design, who: Participant) -> str:
    """Return the thanks, with the code under which the answers can be found and taken back."""
    words = design.words(who.language)
    text = f"{words.say('finished')} {words.say('code', code=who.code)}"
    return message_page(words, words.say("finished_title"), text)


def message_page(words: SurveyWords, title: str, text: str) -> str:
    """Return a page that says one thing."""
    return filled("message.html", words=words, title=title, text=text)


def login_page(design: Design, message: str = "") -> str:
    """Return the door to the researcher's page."""
    return filled("login.html", words=design.words("en"), message=message)


def researcher_page(design: Design, counts: dict[str, Any]) -> str:
    """Return the live counts and the downloads."""
    return filled("researcher.html", words=design.words("en"), design=design, counts=counts)


def _question(design: Design, words: SurveyWords, who: Participant, trial: Trial) -> dict[str, Any]:
    """Return what the form of a question shows."""
    if design.question == "forced-choice":
        options = [
            {"value": name, "text": words.say("do_not_know") if name == DO_NOT_KNOW else words.emotion(name)}
            for name in option_order(design, who.identity)
        ]
        return {"options": options, "columns": 4 if len(options) in (4, 7, 8) else min(3, max(2, len(options)))}
    if design.question == "slider":
        return {"ends": [words.emotion(end) for end in design.ask.ends]}
    if design.question == "sam":
        return {"scales": [_scale(design, words, scale) for scale in design.ask.scales]}
    levels = [{"value": value, "text": text} for value, text in zip(range(-2, 3), words.levels, strict=True)]
    items = [{"key": item, "text": words.item(item), "levels": levels} for item in design.ask.items]
    intended = design.stimulus(trial.stimulus).intended
    text = "question_improvement_neutral" if intended == "neutral" else "question_improvement"  # not "more neutral"
    return {"items": items, "improve": words.say(text, emotion=words.emotion(intended))}


def _scale(design: Design, words: SurveyWords, scale: str) -> dict[str, Any]:
    total, name = design.ask.points, words.scale(scale, "name")
    low, high = words.scale(scale, "low"), words.scale(scale, "high")
    points = []
    for number in range(1, total + 1):
        end = {1: f", {low}", total: f", {high}"}.get(number, "")
        label = f"{name}: {words.say('point', number=number, total=total)}{end}"
        drawn = total <= _MOST_FIGURES or number % 2 == 1  # long scales have places between figures, as published
        svg = manikin_svg(scale, 2.0 * (number - 1) / (total - 1) - 1.0) if drawn else ""
        points.append({"number": number, "label": label, "svg": svg})
    return {"key": scale, "name": name, "low": low, "high": high, "points": points, "between": total > _MOST_FIGURES}
