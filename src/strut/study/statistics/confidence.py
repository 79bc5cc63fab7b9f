"""Confidence: how sure people are, and whether they are surer where they are right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from strut.arrays import Array
from strut.study.statistics.answers import DO_NOT_KNOW, Answers
from strut.study.statistics.recognition import ALL

_FEWEST_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class EmotionConfidence:
    """How sure people were of their answers to an emotion: mean and standard deviation over n people's own means."""

    emotion: str
    n: int
    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Confidence:
    """How sure people were, by emotion.

    Of choices, `area` is the mean over n people of the area under their own type 2 characteristic: how often a hit was
    surer than a miss, .5 by chance; with a two-sided one-sample t test. None where people have no hits or no misses.
    """

    emotions: tuple[EmotionConfidence, ...]
    area: float | None = None
    n: int = 0
    t: float | None = None
    p_value: float | None = None


def confidence_found(answers: Answers) -> Confidence | None:
    """Return how sure people were; None where nobody was asked."""
    if "confidence" not in answers.table or answers.table["confidence"].isna().all():
        return None
    shown = [ALL] * len(answers) if answers.are_pairs else answers.table["intended"].to_numpy()
    own = answers.table.assign(shown=shown).groupby(["shown", "participant"])["confidence"].mean().dropna()
    rows = [_emotion(str(name), values.to_numpy()) for name, values in own.groupby(level=0)]
    return _with_area(tuple(rows), answers) if answers.are_choices else Confidence(tuple(rows))


def _emotion(name: str, own: Array) -> EmotionConfidence:
    return EmotionConfidence(name, len(own), float(own.mean()), float(own.std(ddof=len(own) > 1)))


def _with_area(rows: tuple[EmotionConfidence, ...], answers: Answers) -> Confidence:
    areas = []
    named = answers.table.assign(hit=answers.correct).dropna(subset="confidence")
    for _, own in named[named["perceived"] != DO_NOT_KNOW].groupby("participant"):
        sure = own["confidence"].to_numpy(float)
        hits = sure[own["hit"]]
        misses = sure[~own["hit"]]
        if len(hits) and len(misses):
            areas.append(float(stats.mannwhitneyu(hits, misses).statistic) / (len(hits) * len(misses)))
    if len(areas) < _FEWEST_PEOPLE or np.ptp(areas) < 1e-12:
        return Confidence(rows)
    test = stats.ttest_1samp(areas, 0.5)
    return Confidence(rows, float(np.mean(areas)), len(areas), float(test.statistic), float(test.pvalue))
