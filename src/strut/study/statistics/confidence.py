"""Confidence: how confident people are, and whether they are more confident of hits than of misses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from strut.arrays import Array
from strut.study.statistics.answers import DO_NOT_KNOW, Answers
from strut.study.statistics.recognition import ALL

_MIN_PEOPLE = 3


@dataclass(frozen=True, slots=True)
class EmotionConfidence:
    """Confidence in the answers to one emotion: mean and standard deviation over the means of n people."""

    emotion: str
    n: int
    mean: float
    sd: float


@dataclass(frozen=True, slots=True)
class Confidence:
    """Confidence by emotion.

    For choices, `area` is the mean over n people of the area under their own type 2 ROC curve: the probability that a
    hit was more confident than a miss, .5 by chance; with a two-sided one-sample t test. None without hits or misses.
    """

    emotions: tuple[EmotionConfidence, ...]
    area: float | None = None
    n: int = 0
    t: float | None = None
    p_value: float | None = None


def analyse_confidence(answers: Answers) -> Confidence | None:
    """Return the confidence of people; None if the study did not ask for it."""
    if "confidence" not in answers.table or answers.table["confidence"].isna().all():
        return None
    shown = [ALL] * len(answers) if answers.are_pairs else answers.table["intended"].to_numpy()
    person_means = answers.table.assign(shown=shown).groupby(["shown", "participant"])["confidence"].mean().dropna()
    rows = [_emotion(str(name), values.to_numpy()) for name, values in person_means.groupby(level=0)]
    return _with_area(tuple(rows), answers) if answers.are_choices else Confidence(tuple(rows))


def _emotion(name: str, person_means: Array) -> EmotionConfidence:
    sd = float(person_means.std(ddof=len(person_means) > 1))
    return EmotionConfidence(name, len(person_means), float(person_means.mean()), sd)


def _with_area(rows: tuple[EmotionConfidence, ...], answers: Answers) -> Confidence:
    """Add the area under the type 2 ROC curve; "do not know" is neither a hit nor a miss."""
    areas = []
    named = answers.table.assign(hit=answers.correct).dropna(subset="confidence")
    for _, own in named[named["perceived"] != DO_NOT_KNOW].groupby("participant"):
        confidence = own["confidence"].to_numpy(float)
        hits = confidence[own["hit"]]
        misses = confidence[~own["hit"]]
        if len(hits) and len(misses):
            areas.append(float(stats.mannwhitneyu(hits, misses).statistic) / (len(hits) * len(misses)))
    if len(areas) < _MIN_PEOPLE or np.ptp(areas) < 1e-12:
        return Confidence(rows)
    test = stats.ttest_1samp(areas, 0.5)
    return Confidence(rows, float(np.mean(areas)), len(areas), float(test.statistic), float(test.pvalue))
