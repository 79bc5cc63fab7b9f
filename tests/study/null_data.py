"""Null data: answers of people who do not look, and ratings that have nothing to do with the emotion."""

from __future__ import annotations

import numpy as np
import pandas as pd

from strut.study.answers import DO_NOT_KNOW, Answers

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")


def guessed_answers(
    rng: np.random.Generator,
    *,
    people: int = 12,
    repeats: int = 2,
    shares: tuple[float, ...] = (0.2,) * 5,
    habit_sd: float = 0.0,
    unknown: float = 0.0,
    unequal: bool = False,
) -> Answers:
    """Return choices that do not depend on what was shown.

    Args:
        rng: Chance.
        people: How many.
        repeats: How often each sees each emotion.
        shares: How often people say each word.
        habit_sd: Standard deviation of each person's own liking of words, as log weights.
        unknown: Share of "do not know".
        unequal: Emotions are shown up to four times as often as others, and some people stop early.
    """
    shown = np.repeat(np.arange(5), repeats * np.array([4, 2, 1, 1, 2]) if unequal else repeats)
    rows = []
    for person in range(people):
        weights = np.array(shares) * np.exp(habit_sd * rng.normal(size=5))
        own = rng.permutation(shown)
        own = own[: rng.integers(len(own) // 3, len(own) + 1)] if unequal else own
        said = rng.choice(5, size=len(own), p=weights / weights.sum())
        knows = rng.random(len(own)) >= unknown
        rows += [
            (str(person), EMOTIONS[m], EMOTIONS[s] if k else DO_NOT_KNOW)
            for m, s, k in zip(own, said, knows, strict=True)
        ]
    table = pd.DataFrame(rows, columns=["participant", "intended", "perceived"])
    return Answers(table.assign(trial=np.arange(len(table))))


def indifferent_ratings(
    rng: np.random.Generator,
    *,
    people: int = 20,
    emotions: int = 5,
    motions: int = 1,
    times: int = 2,
    slope_sd: float = 0.2,
    stimulus_sd: float = 0.0,
) -> Answers:
    """Return ratings in which no emotion differs from another, but people, their readings and motions do.

    Each motion has a level of a factor (`factor_level`) that makes no difference either.
    """
    axes = np.meshgrid(range(people), range(emotions), range(motions), range(times), indexing="ij")
    who, emotion, motion, time = (axis.ravel() for axis in axes)
    factor = rng.normal(size=(emotions, motions))[emotion, motion]
    rating = rng.normal(0.0, 0.3, people)[who] + rng.normal(0.0, 0.4, len(who))
    rating += slope_sd * rng.normal(size=(people, emotions))[who, emotion]
    rating += slope_sd * rng.normal(size=people)[who] * factor
    rating += stimulus_sd * rng.normal(size=(emotions, motions))[emotion, motion]
    named = {"participant": who.astype(str), "trial": np.arange(len(who)), "block": time + 1, "pleasure": rating}
    shown = [f"{a}-{b}" for a, b in zip(emotion, motion, strict=True)]
    table = {**named, "intended": [f"e{k}" for k in emotion], "stimulus": shown, "factor_level": factor}
    return Answers(pd.DataFrame(table))
