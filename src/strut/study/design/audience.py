"""Audience: published response models that answer a study in place of people, to try and to power a design.

What comes out is marked as simulated wherever it goes. A model knows how people answered other motions of other robots;
it has never seen yours, and its answers say nothing about them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.signal import lfilter

from strut.arrays import Array
from strut.emotion import Emotion, named_emotion
from strut.errors import StudyError, UnknownNameError
from strut.formats.motion_file import load_motion
from strut.motion import Motion
from strut.study.design.controls import share_seen
from strut.study.design.design import Design
from strut.study.design.published import published
from strut.study.design.question_types import CONFIDENCE_POINTS, Question
from strut.study.design.translations import language_table
from strut.study.statistics.answers import DO_NOT_KNOW, PAD_SCALES
from strut.study.statistics.ratings import sd_from_interval

HABIT_SHARE = 0.3  # chosen: how much of the variance between ratings is a person's own habit
SLOPE_SHARE = 0.1  # chosen: how much is a person's own reading of an emotion
FEEDBACK_SD = 0.7  # chosen: the thesis prints averages only
ABILITY_SD = 0.5  # chosen: of the log odds with which people name what is shown
WORD_HABIT_SD = 0.5  # chosen: of the log odds with which people like a word
DO_NOT_KNOW_SHARE = 0.1  # chosen: how often people say that they do not know, on average
CONFIDENCE_HIT = 0.5  # chosen: by how many points of five people are surer where they are right
HANDLE_LAG_S = 1.0  # chosen: time constant with which a handle follows what is seen
HANDLE_NOISE = 0.1  # chosen: standard deviation of its wandering about that
_DO_NOT_KNOW_SURE = 4.0  # chosen: of the beta distribution of that share over people; more is more alike
Reply = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What an observer sees: the emotion intended, and at what intensity the motion shows it, 0 to 1."""

    intended: str
    intensity: float


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedObserver:
    """What one simulated person brings along: an ear for emotions, habits, and how often they do not know.

    Args:
        ability: Log odds added to what is right.
        habits: Own liking of scales, and of words in the order of the options, as standard normal numbers.
        words: See `habits`.
        readings: Own reading of each emotion on each scale, as standard normal numbers.
        unknown: Share of "do not know".
    """

    ability: float
    habits: Array
    words: Array
    readings: Mapping[str, Array]
    unknown: float


Respond = Callable[[Sequence[Shown], SimulatedObserver, np.random.Generator], Reply]


@dataclass(frozen=True, slots=True)
class Audience:
    """A response model: its name and source, what its people saw (a robot by its name), which questions it answers."""

    name: str
    source: str
    saw: str
    questions: tuple[Question, ...]
    make: Callable[[Design], Respond]


def with_confidence(respond: Respond) -> Respond:
    """Return a model that also says how sure it is, from 1 to 5: surer where it sees well, with noise (our choice)."""

    def surely(shown: Sequence[Shown], who: SimulatedObserver, rng: np.random.Generator) -> Reply:
        reply = respond(shown, who, rng)
        right = reply.get("perceived") == shown[0].intended
        sure = 3.0 + who.ability + CONFIDENCE_HIT * right + rng.normal()
        return reply | {"confidence": int(np.clip(round(sure), 1, CONFIDENCE_POINTS))}

    return surely


def observer(design: Design, rng: np.random.Generator) -> SimulatedObserver:
    """Return somebody who answers a study, drawn by lot."""
    ends = DO_NOT_KNOW_SHARE * _DO_NOT_KNOW_SURE, (1.0 - DO_NOT_KNOW_SHARE) * _DO_NOT_KNOW_SURE
    emotions = dict.fromkeys(entry.intended for entry in design.shown)
    return SimulatedObserver(
        ability=ABILITY_SD * float(rng.normal()),
        habits=rng.normal(size=len(PAD_SCALES)),
        words=rng.normal(size=len(_options(design))),
        readings={name: rng.normal(size=len(PAD_SCALES)) for name in emotions},
        unknown=float(rng.beta(*ends)) if design.ask.do_not_know else 0.0,
    )


def shown_by(design: Design) -> dict[str, Shown]:
    """Return what each stimulus of a study shows, as its receipt has measured it; all of it where nobody did."""
    motions = {entry: load_motion(design.folder / entry.file) for entry in design.shown}
    seconds = design.display.seconds
    return {entry.name: Shown(entry.intended, _intensity(motion, seconds)) for entry, motion in motions.items()}


def _intensity(motion: Motion, seconds: float) -> float:
    share = share_seen(motion, seconds)
    receipt = motion.receipt
    if share is None or receipt is None or receipt.intensity_asked is None:
        return 1.0
    return min(1.0, receipt.intensity_asked * share)


def caveat(design: Design, audience: Audience) -> str:
    """Return what must be known before believing an audience: whether it saw such bodies move, and what it assumes."""
    shown = sorted({load_motion(design.folder / entry.file).robot for entry in design.stimuli})
    if shown == [audience.saw]:
        seen = "They saw other motions of the same body; yours may be read better or worse."
    else:
        bodies = f"They saw {audience.saw} move, your motions are of {' and '.join(shown)}"
        seen = f"{bodies}: good for a simulated study, but their power is not yours."
    scale = _scale_between(design.ask.ends)[0]
    instead: dict[Question, str] = {
        "slider": f"Their ratings of {scale} stand in for the slider.",
        "continuous": f"A handle follows their ratings of {scale} with a lag of our choice.",
        "pairwise": f"The one that was called {design.ask.quality} more often is chosen, by those shares.",
        "free-label": "They write the words they chose from.",
    }
    return f"{seen} {instead.get(design.question, '')}".strip()


def _scale_between(ends: Sequence[str]) -> tuple[str, float]:
    """Return the rated scale that runs between the ends of a slider, and its sign.

    Ends are emotions, which differ most on one scale, or the words of a manikin, such as calm and excited. For others
    it is pleasure; the caveat names the scale.
    """
    low, *_, high = ends
    for scale, words in language_table("en")["scale"].items():
        if {low, high} == {words["low"], words["high"]}:
            return scale, 1.0 if low == words["low"] else -1.0
    try:
        apart = np.subtract(named_emotion(high).pad, named_emotion(low).pad)
    except UnknownNameError:
        return "pleasure", 1.0
    most = int(np.argmax(np.abs(apart)))
    return PAD_SCALES[most], float(np.sign(apart[most]))


def _canonical(answer: str) -> str:
    return answer if answer == DO_NOT_KNOW else named_emotion(answer).name or answer


def _known(design: Design, table: dict[str, Any], what: str) -> dict[str, Any]:
    """Return by intended emotion what a model's table says about it; what it does not know is refused."""
    for entry in design.shown:
        if _canonical(entry.intended) not in table:
            known = ", ".join(sorted(table))
            raise StudyError(f"The model knows no {what} '{entry.intended}'; it knows {known}.")
    return {entry.intended: table[_canonical(entry.intended)] for entry in design.shown}


def _options(design: Design) -> tuple[str, ...]:
    """Return the words people choose from, or write where they may write anything."""
    return design.ask.options or tuple(dict.fromkeys(entry.intended for entry in design.shown))


def _comparing(design: Design, shares: dict[str, dict[str, float]]) -> Respond:
    """Return a model that prefers of two motions the one that people called by the quality more often.

    One is chosen in proportion to its published share, so strengths are logarithms of shares; half an answer of a
    hundred is added to each, or what nobody called so would never be chosen. People's own liking of emotions has the
    spread of a word habit.
    """
    quality = _canonical(design.ask.quality)
    strengths = {
        intended: np.log((given.get(quality, 0.0) / sum(given.values())) + 0.005)
        for intended, given in _known(design, shares, "answers to").items()
    }
    if len({round(value, 9) for value in strengths.values()}) == 1:
        raise StudyError(f"Nobody published how often these motions were called '{design.ask.quality}'.")

    def respond(shown: Sequence[Shown], who: SimulatedObserver, rng: np.random.Generator) -> Reply:
        neutral = strengths.get("neutral", float(np.mean(list(strengths.values()))))
        ahead = [one.intensity * strengths[one.intended] + (1.0 - one.intensity) * neutral for one in shown]
        ahead = [value + WORD_HABIT_SD * who.readings[one.intended][0] for value, one in zip(ahead, shown, strict=True)]
        left = rng.random() < 1.0 / (1.0 + np.exp(ahead[1] - ahead[0]))
        return {"side": 0 if left else 1}

    return respond


def _choosing(design: Design, shares: dict[str, dict[str, float]]) -> Respond:
    """Return a model that draws answers from published shares, by canonical names; what nobody offered is left out.

    A motion that shows a part of its emotion is answered by that part as published, and as neutral by the rest; where
    nobody published how neutral was answered, evenly.
    """
    if design.question == "pairwise":
        return _comparing(design, shares)
    words = _options(design)
    column = "label" if design.question == "free-label" else "perceived"
    options = {_canonical(name): k for k, name in enumerate(words)}
    table: dict[str, Array] = {}
    neutral = _weights(shares["neutral"], options) if "neutral" in shares else np.full(len(options), 1.0 / len(options))
    for intended, given in _known(design, shares, "answers to").items():
        table[intended] = _weights(given, options)
        if not table[intended].any():
            raise StudyError(f"None of the answers people gave to '{intended}' is among the options.")
    right = {name: options[_canonical(name)] for name in table}

    def respond(shown: Sequence[Shown], who: SimulatedObserver, rng: np.random.Generator) -> Reply:
        (one,) = shown
        if rng.random() < who.unknown:
            return {column: DO_NOT_KNOW if column == "perceived" else ""}
        weights = one.intensity * table[one.intended] + (1.0 - one.intensity) * neutral
        weights = weights * np.exp(WORD_HABIT_SD * who.words)
        weights[right[one.intended]] *= np.exp(who.ability)
        drawn = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum())
        return {column: words[min(int(drawn), len(weights) - 1)]}

    return respond


def _weights(given: dict[str, float], options: dict[str, int]) -> Array:
    """Return the shares of the options in their order, adding up to 1 where there are any."""
    weights = np.zeros(len(options))
    for name, share in given.items():
        if name in options:
            weights[options[name]] += share
    return np.asarray(weights / max(weights.sum(), 1e-12))


def _quadruped(design: Design) -> Respond:
    study = published("quadruped")
    names = {name: _canonical(name) for name in study["emotions"]}
    shares = {own: dict(zip(names.values(), study["counts"][name], strict=True)) for name, own in names.items()}
    return _choosing(design, shares)


def _superposition(design: Design) -> Respond:
    """Return Hicheur's model: recognised as often as published, misses spread evenly because nothing else is known."""
    study = published("superposition")
    answers = [_canonical(name) for name in study["answers"]]
    shares = {}
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
    return np.asarray(np.sqrt(np.mean(motion_sds() ** 2, axis=0)))


def motion_sds() -> Array:
    """Return the standard deviations of the ratings of Pepper's eight motions in Table 2b. Shape (8, 3)."""
    study = published("pepper")
    ends = np.array([study["rating_interval"][corner] for corner in study["corners"]]).reshape(-1, 3, 2)
    return np.array([[sd_from_interval(low, high, study["people"]) for low, high in row] for row in ends])


def _pepper(design: Design) -> Respond:
    spread = rating_sd()
    shares = np.sqrt([HABIT_SHARE, SLOPE_SHARE, 1.0 - HABIT_SHARE - SLOPE_SHARE])
    steps = (design.ask.points - 1) / 2.0
    means = {shown: mean_ratings(_weakened(shown)) for shown in shown_by(design).values()}
    between, sign = _scale_between(design.ask.ends)

    def respond(shown: Sequence[Shown], who: SimulatedObserver, rng: np.random.Generator) -> Reply:
        (one,) = shown
        mean = means[one] if one in means else mean_ratings(_weakened(one))
        own = shares @ np.stack([who.habits, who.readings[one.intended], rng.normal(size=len(PAD_SCALES))])
        values = dict(zip(PAD_SCALES, np.clip(mean + spread * own, -1.0, 1.0).tolist(), strict=True))
        if design.question == "continuous":
            return _followed(design, sign * values[between], rng)
        if design.question == "slider":
            return {"rating": None if rng.random() < who.unknown else round(sign * values[between], 2)}
        return {scale: round(value * steps) / steps for scale, value in values.items() if scale in design.ask.scales}

    return respond


def _followed(design: Design, goal: float, rng: np.random.Generator) -> Reply:
    """Return a rating over time of a handle that follows what is seen with a lag and wanders about it."""
    rate_hz = design.ask.rate_hz
    share = np.exp(-1.0 / design.ask.rate_hz / HANDLE_LAG_S)
    samples = round((design.display.seconds or 5.0) * rate_hz) + 1
    wander = lfilter([np.sqrt(1.0 - share**2)], [1.0, -share], rng.normal(0.0, HANDLE_NOISE, samples))
    rise = 1.0 - share ** np.arange(samples)
    values = np.rint(100.0 * np.clip(goal * rise + wander * rise, -1.0, 1.0)).astype(int)
    return {"rating": round(float(values.mean()) / 100.0, 4), "trace": " ".join(map(str, values.tolist()))}


def _weakened(shown: Shown) -> Emotion:
    """Return the emotion that a motion shows, nearer to neutral the less of it is seen."""
    pleasure, arousal, dominance = (shown.intensity * axis for axis in named_emotion(shown.intended).pad)
    return Emotion(pleasure, arousal, dominance)


def _feedback(design: Design) -> Respond:
    study = published("quadruped")
    items = study["feedback"]["items"]
    wishes = {_canonical(name): study["feedback"][name] for name in study["emotions"]}
    known = _known(design, wishes, "wishes about")
    own = np.sqrt(HABIT_SHARE) * FEEDBACK_SD
    left = np.sqrt(1.0 - HABIT_SHARE) * FEEDBACK_SD

    def respond(shown: Sequence[Shown], who: SimulatedObserver, rng: np.random.Generator) -> Reply:
        means = dict(zip(items, known[shown[0].intended], strict=True))  # of the motions as the study had them
        habit = own * float(who.habits[0])
        return {
            item: int(np.clip(round(means[item] + habit + left * rng.normal()), -2, 2)) for item in design.ask.items
        }

    return respond


_WORDS: tuple[Question, ...] = ("forced-choice", "pairwise", "free-label")
_SCALES: tuple[Question, ...] = ("sam", "slider", "continuous")
_SOURCES = (
    ("quadruped", "confusion of Mr. Pete's gaits, Hainsworth 2017, Table 14", "mrpete", _WORDS, _quadruped),
    ("superposition", "recognition of avatars, Hicheur et al. 2013", "avatars", _WORDS, _superposition),
    ("pepper", "ratings of Pepper's eight motions, Claret et al. 2017, Table 2b", "pepper", _SCALES, _pepper),
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
