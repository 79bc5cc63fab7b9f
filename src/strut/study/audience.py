"""Audience: published response models that answer a study in place of people, to try and to power a design.

What comes out is marked as simulated wherever it goes. A model knows how people answered other motions of other robots;
it has never seen yours, and its answers say nothing about them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from strut.emotion import Emotion, named_emotion
from strut.errors import StudyError, UnknownNameError
from strut.io.motion_file import load_motion
from strut.robot import Array
from strut.study.answer_table import answers_of, export_csv
from strut.study.answers import DO_NOT_KNOW, PAD_SCALES
from strut.study.confusion import confusion, hit_rates
from strut.study.design import Design, Question, read_design
from strut.study.published import published
from strut.study.ratings import rating_means, sd_from_interval
from strut.study.trial_plan import trial_plan

HABIT_SHARE = 0.3  # chosen: how much of the variance between ratings is a person's own habit
FEEDBACK_SD = 0.7  # chosen: the thesis prints averages only
Reply = dict[str, Any]
Respond = Callable[[str, Array, np.random.Generator], Reply]


@dataclass(frozen=True, slots=True)
class Audience:
    """A response model: its name and source, what its people saw (a robot by its name), which questions it answers."""

    name: str
    source: str
    saw: str
    questions: tuple[Question, ...]
    make: Callable[[Design], Respond]


def simulated_rows(design: Design, audience: Audience, people: int, rng: np.random.Generator) -> list[dict[str, Any]]:
    """Return the answers of simulated people, in the form of `Database.rows`, each marked as simulated."""
    if people < 1:
        raise StudyError(f"An audience of {people} cannot answer; ask for at least one.")
    respond, rows, shown = audience.make(design), [], Counter[str]()
    nothing_said: dict[str, Any] = {"age": None, "gender": None, "response_ms": None, "plays": None, "received_at": ""}
    for index in range(people):
        person = {"code": f"simulated-{index + 1:04d}", "language": design.languages[0], "simulated": True}
        habit, plan = rng.normal(size=len(PAD_SCALES)), trial_plan(design, index, shown)
        for trial in plan:
            reply = respond(design.stimulus(trial.stimulus).intended, habit, rng)
            shows = {"trial": trial.number, "block": trial.block, "stimulus": trial.stimulus}
            rows.append({**nothing_said, **person, **shows, "reply": reply})
        shown.update(trial.stimulus for trial in plan if not trial.practice)
    return rows


def simulated_power(
    design: Design, audience: Audience, people: int, *, runs: int, rng: np.random.Generator, alpha: float = 0.05
) -> dict[str, float]:
    """Return in which share of simulated studies each finding is significant after Holm's correction.

    A finding is an emotion seen above chance, or a mean rating off the middle of its scale.
    """
    found = Counter[str]()
    for _ in range(runs):
        answers = answers_of(design, simulated_rows(design, audience, people, rng))
        if design.question == "forced-choice":
            matrix = confusion(answers, design.answer_options)
            tests = {row.emotion: row.p_holm < alpha for row in hit_rates(matrix, 1.0 / len(design.answer_options))}
        else:
            tests = {f"{row.emotion}, {row.scale}": row.off_middle(alpha) for row in rating_means(answers)}
        found.update({name: int(significant) for name, significant in tests.items()})
    return {name: count / runs for name, count in found.items()}


def caveat(design: Design, audience: Audience) -> str:
    """Return what must be known before believing an audience: whether it saw such bodies move, and what it assumes."""
    shown = sorted({load_motion(design.folder / entry.file).robot for entry in design.stimuli})
    if shown == [audience.saw]:
        seen = "They saw other motions of the same body; yours may be read better or worse."
    else:
        bodies = f"They saw {audience.saw} move, your motions are of {' and '.join(shown)}"
        seen = f"{bodies}: good for a rehearsal, but their power is not yours."
    return f"{seen} Their ratings of pleasure stand in for the slider." if design.question == "slider" else seen


def _canonical(answer: str) -> str:
    return answer if answer == DO_NOT_KNOW else named_emotion(answer).name or answer


def _known(design: Design, table: dict[str, Any], what: str) -> dict[str, Any]:
    """Return by intended emotion what a model's table says about it; what it does not know is refused."""
    for entry in design.stimuli:
        if _canonical(entry.intended) not in table:
            known = ", ".join(sorted(table))
            raise StudyError(f"The model knows no {what} '{entry.intended}'; it knows {known}.")
    return {entry.intended: table[_canonical(entry.intended)] for entry in design.stimuli}


def _choosing(design: Design, shares: dict[str, dict[str, float]]) -> Respond:
    """Return a model that draws answers from published shares, by canonical names; what nobody offered is left out."""
    options = {_canonical(name): name for name in design.answer_options}
    table: dict[str, tuple[list[str], Array]] = {}
    for intended, given in _known(design, shares, "answers to").items():
        offered = {options[name]: share for name, share in given.items() if name in options}
        weights = np.array(list(offered.values()))
        if weights.sum() <= 0.0:
            raise StudyError(f"None of the answers people gave to '{intended}' is among the options.")
        table[intended] = (list(offered), weights / weights.sum())

    def respond(intended: str, _habit: Array, rng: np.random.Generator) -> Reply:
        names, weights = table[intended]
        return {"perceived": names[int(rng.choice(len(names), p=weights))]}

    return respond


def _quadruped(design: Design) -> Respond:
    study = published("quadruped")
    names = {name: _canonical(name) for name in study["emotions"]}
    shares = {own: dict(zip(names.values(), study["counts"][name], strict=True)) for name, own in names.items()}
    return _choosing(design, shares)


def _superposition(design: Design) -> Respond:
    """Return Hicheur's model: recognised as often as published, misses spread evenly because nothing else is known."""
    study = published("superposition")
    answers, shares = [_canonical(name) for name in study["answers"]], {}
    for name, percent in study["recognised_percent"].items():
        if name not in ("where", "unit", "tolerance"):
            miss = (1.0 - percent / 100.0) / (len(answers) - 1)
            shares[_canonical(name)] = dict.fromkeys(answers, miss) | {_canonical(name): percent / 100.0}
    return _choosing(design, shares)


def mean_ratings(emotion: Emotion) -> Array:
    """Return the mean pleasure, arousal and dominance that Pepper's audience would rate. Shape (3,)."""
    study = published("pepper")
    factors = {"J": -emotion.pleasure, "V": emotion.arousal, "G": emotion.dominance}  # jerkiness, activity, gaze
    terms = [
        1.0 if name == "const" else float(np.prod([factors[one] / study["level"] for one in name]))
        for name in study["audience"]["terms"]
    ]
    return np.array([np.dot(study["audience"][scale], terms) for scale in PAD_SCALES])


def rating_sd() -> Array:
    """Return the standard deviation of ratings of pleasure, arousal and dominance, pooled over Table 2b. Shape (3,)."""
    study = published("pepper")
    ends = np.array([study["rating_interval"][corner] for corner in study["corners"]]).reshape(-1, 3, 2)
    sds = np.array([[sd_from_interval(low, high, study["people"]) for low, high in row] for row in ends])
    return np.asarray(np.sqrt(np.mean(sds**2, axis=0)))


def _pepper(design: Design) -> Respond:
    means = {entry.intended: mean_ratings(named_emotion(entry.intended)) for entry in design.stimuli}
    spread = rating_sd()

    def respond(intended: str, habit: Array, rng: np.random.Generator) -> Reply:
        own = np.sqrt(HABIT_SHARE) * habit + np.sqrt(1.0 - HABIT_SHARE) * rng.normal(size=len(PAD_SCALES))
        values = dict(zip(PAD_SCALES, np.clip(means[intended] + spread * own, -1.0, 1.0).tolist(), strict=True))
        if design.question == "slider":
            return {"rating": round(values["pleasure"], 2)}
        steps = (design.ask.points - 1) / 2.0
        return {scale: round(value * steps) / steps for scale, value in values.items() if scale in design.ask.scales}

    return respond


def _feedback(design: Design) -> Respond:
    study = published("quadruped")
    items, wishes = (
        study["feedback"]["items"],
        {_canonical(name): study["feedback"][name] for name in study["emotions"]},
    )
    known = _known(design, wishes, "wishes about")

    def respond(intended: str, _habit: Array, rng: np.random.Generator) -> Reply:
        means = dict(zip(items, known[intended], strict=True))
        return {
            item: int(np.clip(round(float(rng.normal(means[item], FEEDBACK_SD))), -2, 2)) for item in design.ask.items
        }

    return respond


_SOURCES = (
    ("quadruped", "confusion of Mr. Pete's gaits, Hainsworth 2017, Table 14", "mrpete", ("forced-choice",), _quadruped),
    ("superposition", "recognition of avatars, Hicheur et al. 2013", "avatars", ("forced-choice",), _superposition),
    ("pepper", "ratings of Pepper's eight motions, Claret et al. 2017, Table 2b", "pepper", ("sam", "slider"), _pepper),
    ("feedback", "wishes about Mr. Pete's gaits, Hainsworth 2017, Table 7", "mrpete", ("improvement",), _feedback),
)
AUDIENCES = {row[0]: Audience(*row) for row in _SOURCES}


def audience_for(design: Design, name: str | None) -> Audience:
    """Return the audience called `name`, or the first one that answers the design's question."""
    if name is None:
        return next(one for one in AUDIENCES.values() if design.question in one.questions)
    if name not in AUDIENCES:
        raise UnknownNameError("audience", name, tuple(AUDIENCES), "`strut study simulate --help`")
    if design.question not in AUDIENCES[name].questions:
        raise StudyError(f"The audience '{name}' does not answer a {design.question} question.")
    return AUDIENCES[name]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A study that a simulated audience has answered: who they are, what to doubt, their answers as CSV, the power."""

    question: Question
    audience: Audience
    caveat: str
    answers: int
    table: str
    power: dict[str, float]


def rehearse_study(
    folder: Path | str, *, people: int = 20, audience: str | None = None, runs: int = 0, seed: int = 0
) -> Rehearsal:
    """Let a published response model answer a study, to try it or to know its power.

    Args:
        folder: Of the study.
        people: How many simulated observers.
        audience: `quadruped`, `superposition`, `pepper` or `feedback`; the one that fits the design if left out.
        runs: How many such studies to simulate for the power of each finding; none if 0.
        seed: Of the answers.

    Example:
        >>> strut.rehearse_study("mystudy", people=30, runs=100).power  # doctest: +SKIP
        {'happy': 0.93, 'sad': 0.61}
    """
    design, rng = read_design(Path(folder)), np.random.default_rng(seed)
    model = audience_for(design, audience)
    if runs:
        power, rows = simulated_power(design, model, people, runs=runs, rng=rng), []
    else:
        power, rows = {}, simulated_rows(design, model, people, rng)
    return Rehearsal(design.question, model, caveat(design, model), len(rows), export_csv(design, rows), power)
