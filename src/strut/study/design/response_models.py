"""Response models: how published data on emotions become the answer of one simulated observer.

Each class holds one kind of published data: shares of words, ratings on scales, or wishes for changes. A type of
question names the kind that can answer it and turns what the model returns into a reply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from strut.arrays import Array
from strut.emotion import Emotion, named_emotion
from strut.errors import StudyError, UnknownNameError
from strut.study.design.translations import language_table
from strut.study.statistics.answers import DO_NOT_KNOW, PAD_SCALES

if TYPE_CHECKING:
    from strut.study.design.design import Design

# No published study gives these numbers; they are our assumptions.
HABIT_SHARE = 0.3  # share of the variance between ratings that is a person's own habit
SLOPE_SHARE = 0.1  # share that is a person's own reading of an emotion
FEEDBACK_SD = 0.7  # standard deviation of wishes; the thesis prints averages only
ABILITY_SD = 0.5  # standard deviation over people of the log odds of naming the emotion that is shown
WORD_HABIT_SD = 0.5  # standard deviation over people of the log odds of preferring a word
DO_NOT_KNOW_SHARE = 0.1  # mean share of "I do not know"
CONFIDENCE_HIT = 0.5  # points of five by which people are more confident of a hit
_DO_NOT_KNOW_SURE = 4.0  # sum of the parameters of the beta distribution of that share; the larger, the more alike
Reply = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Shown:
    """What an observer sees: the intended emotion, how intensely the motion expresses it (0 to 1), its name."""

    intended: str
    intensity: float
    stimulus: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SimulatedObserver:
    """One simulated person.

    Args:
        ability: Log odds added to the word that is right.
        habits: Own preference on each scale, as standard normal numbers.
        words: Own preference for each word, in the order of the options, as standard normal numbers.
        readings: Own reading of each emotion on each scale, as standard normal numbers.
        unknown: Share of "I do not know".
    """

    ability: float
    habits: Array
    words: Array
    readings: Mapping[str, Array]
    unknown: float


Respond = Callable[[Sequence[Shown], SimulatedObserver, np.random.Generator], Reply]


def observer(design: Design, rng: np.random.Generator) -> SimulatedObserver:
    """Return a random observer of a study."""
    ends = DO_NOT_KNOW_SHARE * _DO_NOT_KNOW_SURE, (1.0 - DO_NOT_KNOW_SHARE) * _DO_NOT_KNOW_SURE
    emotions = design.intended
    return SimulatedObserver(
        ability=ABILITY_SD * float(rng.normal()),
        habits=rng.normal(size=len(PAD_SCALES)),
        words=rng.normal(size=len(design.ask.answer_words(emotions))),
        readings={name: rng.normal(size=len(PAD_SCALES)) for name in emotions},
        unknown=float(rng.beta(*ends)) if design.ask.is_undecided_allowed else 0.0,
    )


def canonical_emotion(answer: str) -> str:
    """Return the name under which an emotion is known: `happy` for `joy`; "do not know" stays as it is."""
    return answer if answer == DO_NOT_KNOW else named_emotion(answer).name or answer


def _of_intended(design: Design, table: dict[str, Any], what: str) -> dict[str, Any]:
    """Return the entries of a model's table by intended emotion; raise StudyError for an emotion that it lacks."""
    for entry in design.shown:
        if canonical_emotion(entry.intended) not in table:
            known = ", ".join(sorted(table))
            raise StudyError(f"The model knows no {what} '{entry.intended}'; it knows {known}.")
    return {entry.intended: table[canonical_emotion(entry.intended)] for entry in design.shown}


@dataclass(frozen=True, slots=True, eq=False)
class WordShares:
    """How often people called each emotion by each word; both by their canonical names."""

    shares: dict[str, dict[str, float]]

    def chooser(
        self, design: Design, words: Sequence[str]
    ) -> Callable[[Shown, SimulatedObserver, np.random.Generator], str]:
        """Return a function that draws one of the words; words that the model lacks are never drawn.

        Words for one emotion, such as happy and joy, share its answers equally.

        A motion that expresses a part of its emotion is answered by that part as published, and as neutral by the rest;
        if no answers to neutral were published, by all words equally.
        """
        options = [canonical_emotion(word) for word in words]
        table: dict[str, Array] = {}
        neutral = np.full(len(options), 1.0 / len(options))
        if "neutral" in self.shares:
            neutral = _weights(self.shares["neutral"], options)
        for intended, given in _of_intended(design, self.shares, "answers to").items():
            table[intended] = _weights(given, options)
            if not table[intended].any():
                raise StudyError(f"None of the answers people gave to '{intended}' is among the options.")
        right: dict[str, int] = {}  # an emotion of a practice trial need not be among the options
        for name in table:
            if name in words:
                right[name] = words.index(name)
            elif canonical_emotion(name) in options:
                right[name] = options.index(canonical_emotion(name))

        def choose(shown: Shown, participant: SimulatedObserver, rng: np.random.Generator) -> str:
            if rng.random() < participant.unknown:
                return DO_NOT_KNOW
            weights = shown.intensity * table[shown.intended] + (1.0 - shown.intensity) * neutral
            weights = weights * np.exp(WORD_HABIT_SD * participant.words)
            if shown.intended in right:
                weights[right[shown.intended]] *= np.exp(participant.ability)
            index = np.searchsorted(np.cumsum(weights), rng.random() * weights.sum())
            return words[min(int(index), len(weights) - 1)]

        return choose

    def comparer(
        self, design: Design, quality: str
    ) -> Callable[[Sequence[Shown], SimulatedObserver, np.random.Generator], int]:
        """Return a function that chooses which of two motions has more of a quality: 0 or 1.

        A motion is chosen in proportion to the published share of the quality among its answers, so strengths are
        logarithms of shares; half an answer of a hundred is added to each, because a share of 0 has no logarithm.
        """
        name = canonical_emotion(quality)
        strengths = {
            intended: np.log((given.get(name, 0.0) / sum(given.values())) + 0.005)
            for intended, given in _of_intended(design, self.shares, "answers to").items()
        }
        if len({round(value, 9) for value in strengths.values()}) == 1:
            raise StudyError(f"No published data say how often these motions were called '{quality}'.")
        neutral = strengths.get("neutral", float(np.mean(list(strengths.values()))))

        def compare(shown: Sequence[Shown], participant: SimulatedObserver, rng: np.random.Generator) -> int:
            left, right = (
                motion.intensity * strengths[motion.intended]
                + (1.0 - motion.intensity) * neutral
                + WORD_HABIT_SD * participant.readings[motion.intended][0]
                for motion in shown
            )
            return 0 if rng.random() < 1.0 / (1.0 + np.exp(right - left)) else 1

        return compare


def _weights(given: dict[str, float], options: Sequence[str]) -> Array:
    """Return the shares of the options, emotions by their canonical names; they add up to 1 unless all are 0."""
    weights = np.array([given.get(name, 0.0) / options.count(name) for name in options])
    return np.asarray(weights / max(weights.sum(), 1e-12))


@dataclass(frozen=True, slots=True, eq=False)
class ScaleRatings:
    """Mean ratings of pleasure, arousal and dominance of an emotion, and their standard deviations. Shapes (3,)."""

    mean: Callable[[Emotion], Array]
    sd: Array

    def rater(self) -> Callable[[Shown, SimulatedObserver, np.random.Generator], dict[str, float]]:
        """Return a function that draws ratings on [-1, 1] by scale."""
        weights = np.sqrt([HABIT_SHARE, SLOPE_SHARE, 1.0 - HABIT_SHARE - SLOPE_SHARE])
        means: dict[tuple[str, float], Array] = {}

        def rate(shown: Shown, participant: SimulatedObserver, rng: np.random.Generator) -> dict[str, float]:
            key = shown.intended, shown.intensity
            if key not in means:
                means[key] = self.mean(_expressed_emotion(shown))
            own = weights @ np.stack(
                [participant.habits, participant.readings[shown.intended], rng.normal(size=len(PAD_SCALES))]
            )
            return dict(zip(PAD_SCALES, np.clip(means[key] + self.sd * own, -1.0, 1.0).tolist(), strict=True))

        return rate


def _expressed_emotion(shown: Shown) -> Emotion:
    """Return the emotion that a motion expresses: the intended one, scaled towards neutral."""
    pleasure, arousal, dominance = (shown.intensity * axis for axis in named_emotion(shown.intended).pad)
    return Emotion(pleasure, arousal, dominance)


@dataclass(frozen=True, slots=True, eq=False)
class Wishes:
    """What people wished to be changed of each emotion: mean wishes from -2 to 2, in the order of the items."""

    items: Sequence[str]
    means: dict[str, Sequence[float]]

    def wisher(self, design: Design) -> Callable[[Shown, SimulatedObserver, np.random.Generator, Sequence[str]], Reply]:
        """Return a function that draws a wish for each of some items. Intensity has no effect on wishes."""
        known = _of_intended(design, self.means, "wishes about")
        habit_sd = np.sqrt(HABIT_SHARE) * FEEDBACK_SD
        noise_sd = np.sqrt(1.0 - HABIT_SHARE) * FEEDBACK_SD

        def wish(shown: Shown, participant: SimulatedObserver, rng: np.random.Generator, items: Sequence[str]) -> Reply:
            means = dict(zip(self.items, known[shown.intended], strict=True))
            habit = habit_sd * float(participant.habits[0])
            return {item: int(np.clip(round(means[item] + habit + noise_sd * rng.normal()), -2, 2)) for item in items}

        return wish


def scale_between(ends: Sequence[str]) -> tuple[str, float]:
    """Return the scale that runs between the ends of a slider, and its sign.

    Ends are emotions, which differ most on one scale, or the two words of a scale, such as calm and excited. For all
    others it is pleasure.
    """
    low, *_, high = ends
    for scale, words in language_table("en")["scale"].items():
        if {low, high} == {words["low"], words["high"]}:
            return scale, 1.0 if low == words["low"] else -1.0
    try:
        difference = np.subtract(named_emotion(high).pad, named_emotion(low).pad)
    except UnknownNameError:
        return "pleasure", 1.0
    largest = int(np.argmax(np.abs(difference)))
    return PAD_SCALES[largest], float(np.sign(difference[largest]))
