"""Null data: answers of people who do not look, and ratings that have nothing to do with the emotion."""

from __future__ import annotations

import numpy as np
import pandas as pd

from strut.study.statistics.answers import DO_NOT_KNOW, Answers

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")


def hits_of_different_people(
    rng: np.random.Generator, rate: float, *, person_sd: float, people: int, answers: int
) -> np.ndarray:
    """Return the hits of people whose own rates follow a beta distribution. Shape (people,).

    Args:
        rng: Chance.
        rate: Mean of the rates of all people.
        person_sd: Their standard deviation, below that of people who hit always or never.
        people: How many were asked.
        answers: How many answers each gave.
    """
    own = np.full(people, rate)
    if person_sd > 0.0:
        precision = rate * (1.0 - rate) / person_sd**2 - 1.0
        own = rng.beta(rate * precision, (1.0 - rate) * precision, people)
    return rng.binomial(answers, own)


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


def unlearned_answers(
    rng: np.random.Generator,
    *,
    people: int = 12,
    blocks: int = 2,
    repeats: int = 10,
    odds: float = 0.0,
    person_sd: float = 0.8,
    slope_sd: float = 0.0,
) -> Answers:
    """Return choices of people who hit as often in the last block as in the first, on average.

    Args:
        rng: Chance.
        people: How many.
        blocks: How many parts the session has.
        repeats: How many answers each gives in each block.
        odds: Mean log odds of a hit.
        person_sd: Standard deviation of people's own log odds.
        slope_sd: Standard deviation of their own change from block to block, in log odds.
    """
    who, block, _ = (axis.ravel() for axis in np.meshgrid(range(people), range(blocks), range(repeats), indexing="ij"))
    own = odds + person_sd * rng.normal(size=people)[who]
    own += slope_sd * rng.normal(size=people)[who] * (block - (blocks - 1) / 2.0)
    said = np.where(rng.random(len(who)) < 1.0 / (1.0 + np.exp(-own)), "sad", "fearful")
    table = {"participant": who.astype(str), "block": block + 1, "intended": "sad", "perceived": said}
    return Answers(pd.DataFrame(table).assign(trial=np.arange(len(who))))


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


def compared_pairs(
    rng: np.random.Generator,
    *,
    people: int = 20,
    repeats: int = 1,
    strengths: np.ndarray | None = None,
    liking_sd: float = 0.5,
    side: float = 0.0,
    groups: int = 1,
) -> Answers:
    """Return choices between two of five motions that are alike, or have strengths [log odds].

    Args:
        rng: Chance.
        people: How many.
        repeats: How often each compares each pair.
        strengths: Of the motions, 0 for all if left out. Shape (5,).
        liking_sd: Standard deviation of people's own liking of each motion.
        side: Log odds of choosing the left one.
        groups: How many groups people are dealt to, which makes no difference.
    """
    strengths = np.zeros(5) if strengths is None else strengths
    left, right = (np.tile(side_of, repeats) for side_of in np.triu_indices(5, k=1))
    rows = []
    for person in range(people):
        own = strengths + liking_sd * rng.normal(size=5)
        swap = rng.random(len(left)) < 0.5
        a = np.where(swap, right, left)
        b = np.where(swap, left, right)
        first = rng.random(len(a)) < 1.0 / (1.0 + np.exp(own[b] - own[a] - side))
        chosen = np.where(first, a, b)
        who = str(person), f"g{person % groups}"
        rows += [(*who, f"m{i}", f"m{j}", f"m{k}") for i, j, k in zip(a, b, chosen, strict=True)]
    table = pd.DataFrame(rows, columns=["participant", "group", "stimulus", "other", "chosen"])
    return Answers(table.assign(trial=np.arange(len(table)), intended=table["stimulus"]))


def wandering_ratings(
    rng: np.random.Generator, *, people: int = 20, stimuli: int = 5, samples: int = 51, habit_sd: float = 0.3
) -> Answers:
    """Return ratings over time of handles that wander about the middle, with habits of people for each stimulus."""
    steps = rng.normal(0.0, 0.08, (people, stimuli, samples))
    habit = habit_sd * rng.normal(size=(people, stimuli, 1)) * (1.0 - np.exp(-np.arange(samples) / 10.0))
    values = np.rint(100.0 * np.clip(np.cumsum(steps, axis=2) * 0.5 + habit, -1.0, 1.0)).astype(int)
    rows = [
        (str(p), f"m{k}", f"e{k}", " ".join(map(str, values[p, k])), values[p, k].mean() / 100.0)
        for p in range(people)
        for k in range(stimuli)
    ]
    table = pd.DataFrame(rows, columns=["participant", "stimulus", "intended", "trace", "rating"])
    return Answers(table.assign(trial=np.arange(len(table)), trace_hz=10.0))


def grouped_ratings(rng: np.random.Generator, *, people: int = 24, groups: int = 2, unequal: bool = False) -> Answers:
    """Return ratings of people who belong to groups that make no difference; spreads of groups may be unequal."""
    answers = indifferent_ratings(rng, people=people)
    who = answers.table["participant"].astype(int)
    spread = 1.0 + 2.0 * unequal * (who % groups)
    return Answers(
        answers.table.assign(group=[f"g{k % groups}" for k in who], pleasure=answers.table["pleasure"] * spread)
    )


def groups_with_own_motions(rng: np.random.Generator, *, people: int = 24, own: float = 0.5) -> Answers:
    """Return ratings of two groups that see one motion of each emotion in common, and one of their own.

    Motions of the second group are rated higher by `own`, by whoever sees them.
    """
    answers = indifferent_ratings(rng, people=people, motions=3)
    second = answers.table["participant"].astype(int) % 2 == 1
    motion = answers.table["stimulus"].str[-1]
    table = answers.table.assign(
        group=np.where(second, "g1", "g0"), pleasure=answers.table["pleasure"] + own * (motion == "2")
    )
    return Answers(table[motion != np.where(second, "1", "2")])


def guessed_labels(rng: np.random.Generator, *, people: int = 15, habit_sd: float = 1.0) -> Answers:
    """Return words of people who do not look, each with favourite words of their own."""
    answers = guessed_answers(rng, people=people, habit_sd=habit_sd)
    return Answers(answers.table.rename(columns={"perceived": "label"}))
