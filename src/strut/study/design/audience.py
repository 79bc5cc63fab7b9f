"""Audience: published response models that answer a study in place of people, to try a design and to plan its size.

Everything made from simulated answers is marked as simulated. A model knows how people answered other motions of other
robots; it has never seen yours, and its answers say nothing about them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.emotion import Emotion
from strut.errors import StudyError, UnknownNameError
from strut.formats.motion_file import load_motion
from strut.motion import Motion
from strut.study.design.controls import share_seen
from strut.study.design.design import Design
from strut.study.design.published import published
from strut.study.design.response_models import (
    CONFIDENCE_HIT,
    Reply,
    Respond,
    ScaleRatings,
    Shown,
    SimulatedObserver,
    Wishes,
    WordShares,
    canonical_emotion,
)
from strut.study.questions.question import CONFIDENCE_POINTS
from strut.study.statistics.answers import PAD_SCALES
from strut.study.statistics.ratings import sd_from_interval

ResponseModel = WordShares | ScaleRatings | Wishes


@dataclass(frozen=True, slots=True)
class Audience:
    """A published response model.

    Args:
        name: Its name on the command line.
        source: The publication.
        saw: The robot that its people saw, by name.
        kind: Which class of response_models.py it is; a question names the one that can answer it.
        model: Reads it from the published data.
    """

    name: str
    source: str
    saw: str
    kind: type
    model: Callable[[], ResponseModel]

    def can_answer(self, design: Design) -> bool:
        """Return whether the model answers the question of a design."""
        return design.ask.response_model is self.kind

    def make(self, design: Design) -> Respond:
        """Return a function that answers a trial of a design in place of a person."""
        return design.ask.respond(design, self.model())


def with_confidence(respond: Respond) -> Respond:
    """Return a model that also reports its confidence from 1 to 5: higher for hits, with noise (our assumption)."""

    def reply_with_confidence(
        shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator
    ) -> Reply:
        reply = respond(shown, participant, rng)
        is_hit = reply.get("perceived") == shown[0].intended
        confidence = 3.0 + participant.ability + CONFIDENCE_HIT * is_hit + rng.normal()
        return reply | {"confidence": int(np.clip(round(confidence), 1, CONFIDENCE_POINTS))}

    return reply_with_confidence


def shown_by(design: Design) -> dict[str, Shown]:
    """Return what each stimulus of a study expresses, as its receipt has measured it; all of it without a receipt."""
    motions = {entry: load_motion(design.folder / entry.file) for entry in design.shown}
    seconds = design.display.seconds
    return {
        entry.name: Shown(entry.intended, _intensity(motion, seconds), entry.name) for entry, motion in motions.items()
    }


def _intensity(motion: Motion, seconds: float) -> float:
    """Return the intensity that people see of a motion, 0 to 1."""
    share = share_seen(motion, seconds)
    receipt = motion.receipt
    if share is None or receipt is None or receipt.intensity_asked is None:
        return 1.0
    return min(1.0, receipt.intensity_asked * share)


def caveat(design: Design, audience: Audience) -> str:
    """Return what to know before believing an audience: whether it saw such bodies move, and what it assumes."""
    shown = sorted({load_motion(design.folder / entry.file).robot for entry in design.stimuli})
    if shown == [audience.saw]:
        seen = "They saw other motions of the same body; yours may be read better or worse."
    else:
        bodies = f"They saw {audience.saw} move, your motions are of {' and '.join(shown)}"
        seen = f"{bodies}: good for a simulated study, but their power is not yours."
    return f"{seen} {design.ask.simulation_note()}".strip()


def _quadruped() -> WordShares:
    study = published("quadruped")
    names = {name: canonical_emotion(name) for name in study["emotions"]}
    return WordShares(
        {own: dict(zip(names.values(), study["counts"][name], strict=True)) for name, own in names.items()}
    )


def _superposition() -> WordShares:
    """Return Hicheur's model: hits as published; misses are spread evenly, because only hits were published."""
    study = published("superposition")
    answers = [canonical_emotion(name) for name in study["answers"]]
    shares = {}
    for name, percent in study["recognised_percent"].items():
        if name not in ("where", "unit", "tolerance"):
            miss = (1.0 - percent / 100.0) / (len(answers) - 1)
            own = canonical_emotion(name)
            shares[own] = dict.fromkeys(answers, miss) | {own: percent / 100.0}
    return WordShares(shares)


def _pepper() -> ScaleRatings:
    return ScaleRatings(mean_ratings, rating_sd())


def _feedback() -> Wishes:
    study = published("quadruped")
    wishes = {canonical_emotion(name): study["feedback"][name] for name in study["emotions"]}
    return Wishes(study["feedback"]["items"], wishes)


def mean_ratings(emotion: Emotion) -> Array:
    """Return the mean pleasure, arousal and dominance that Pepper's audience would rate. Shape (3,)."""
    study = published("pepper")
    factors = {"J": -emotion.pleasure, "V": emotion.arousal, "G": emotion.dominance}  # jerkiness, activity, gaze
    terms = [
        1.0 if name == "const" else float(np.prod([factors[factor] / study["level"] for factor in name]))
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


_TABLE14 = "confusion of Mr. Pete's gaits, Hainsworth 2017, Table 14"
_TABLE2B = "ratings of Pepper's eight motions, Claret et al. 2017, Table 2b"
_TABLE7 = "wishes about Mr. Pete's gaits, Hainsworth 2017, Table 7"
_RECOGNITION = "recognition of avatars, Hicheur et al. 2013"
AUDIENCES = {
    "quadruped": Audience("quadruped", _TABLE14, "mrpete", WordShares, _quadruped),
    "superposition": Audience("superposition", _RECOGNITION, "avatars", WordShares, _superposition),
    "pepper": Audience("pepper", _TABLE2B, "pepper", ScaleRatings, _pepper),
    "feedback": Audience("feedback", _TABLE7, "mrpete", Wishes, _feedback),
}


def audience_for(design: Design, name: str | None) -> Audience:
    """Return the audience called `name`, or the first one that answers the design's question."""
    if name is None:
        able = [audience for audience in AUDIENCES.values() if audience.can_answer(design)]
        if not able:
            raise StudyError(f"No simulated audience answers a {design.question} question.")
        return able[0]
    if name not in AUDIENCES:
        raise UnknownNameError("audience", name, tuple(AUDIENCES), "`strut study simulate --help`")
    if not AUDIENCES[name].can_answer(design):
        raise StudyError(f"The audience '{name}' does not answer a {design.question} question.")
    return AUDIENCES[name]
