"""Ratings: means on a scale, against the middle of the scale, with the right number of people."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pingouin as pg
from scipy import stats

from strut.errors import AnswersError
from strut.robot import Array
from strut.study.answers import Answers
from strut.study.significance import benjamini_hochberg, holm


@dataclass(frozen=True, slots=True)
class RatingMean:
    """The mean rating of one emotion on one scale, tested against 0.

    Args:
        emotion: What was shown.
        scale: Which scale, such as `pleasure`.
        n: How many participants; the ratings of one person are averaged first, or each would count as new people.
        undecided: How many ratings were left open.
        mean: The mean over participants.
        sd: Their standard deviation.
        low: Lower end of the 95 % interval of the mean.
        high: Upper end.
        t: One-sample t statistic.
        p_value: Two-sided.
        p_holm: Corrected by Holm for all means of the study.
        p_benjamini_hochberg: Corrected for the false discovery rate.
        effect_size: Cohen's d, the mean in standard deviations.
        effect_low: Lower end of its 95 % interval.
        effect_high: Upper end.
    """

    emotion: str
    scale: str
    n: int
    undecided: int
    mean: float
    sd: float
    low: float
    high: float
    t: float | None
    p_value: float | None
    p_holm: float | None
    p_benjamini_hochberg: float | None
    effect_size: float | None
    effect_low: float | None
    effect_high: float | None

    def off_middle(self, alpha: float = 0.05) -> bool:
        """Whether the mean lies demonstrably off the middle of its scale; what cannot be tested does not."""
        return self.p_holm is not None and self.p_holm < alpha


def rating_means(answers: Answers) -> tuple[RatingMean, ...]:
    """Return the mean of every emotion on every scale that the answers hold."""
    if not answers.ratings:
        raise AnswersError("answers", "there are no ratings.")
    found = []
    for scale, values in answers.ratings.items():
        for emotion in answers.emotions:
            own, undecided = per_person_means(answers, values, emotion)
            if len(own) >= 2:
                found.append(_mean(emotion, scale, own, undecided))
    if not found:
        raise AnswersError("answers", "no emotion was rated by two people, so no mean can be tested.")
    p_values = [row.p_value for row in found if row.p_value is not None]
    corrected = zip(holm(p_values), benjamini_hochberg(p_values), strict=True)
    return tuple(row if row.p_value is None else _with_corrections(row, *next(corrected)) for row in found)


def per_person_means(answers: Answers, values: Array, emotion: str) -> tuple[Array, int]:
    """Return each participant's mean rating of an emotion, and how many ratings were left open."""
    meant = np.array(answers.intended) == emotion
    decided = meant & np.isfinite(values)
    who = np.array(answers.participant)[decided]
    _, group = np.unique(who, return_inverse=True)
    sums, counts = np.bincount(group, values[decided]), np.bincount(group)
    return np.asarray(sums / counts), int(meant.sum() - decided.sum())


def one_sample(mean: float, sd: float, n: int) -> tuple[float, float, tuple[float, float]]:
    """Return t, two-sided p and the 95 % interval of a mean from its summary, as papers print it."""
    standard_error = sd / math.sqrt(n)
    t = mean / standard_error
    low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=standard_error)
    return t, float(2.0 * stats.t.sf(abs(t), n - 1)), (float(low), float(high))


def sd_from_interval(low: float, high: float, n: int) -> float:
    """Return the standard deviation behind a printed 95 % interval of a mean of n values."""
    return float((high - low) / 2.0 / stats.t.ppf(0.975, n - 1) * math.sqrt(n))


def _mean(emotion: str, scale: str, own: Array, undecided: int) -> RatingMean:
    n, mean, sd = len(own), float(own.mean()), float(own.std(ddof=1))
    if sd == 0.0:  # everybody gave the same rating: there is no spread to test against
        return RatingMean(emotion, scale, n, undecided, mean, sd, mean, mean, *(None,) * 7)
    result = stats.ttest_1samp(own, 0.0)
    interval = result.confidence_interval(0.95)
    effect = mean / sd
    effect_low, effect_high = pg.compute_esci(effect, nx=n, ny=1, paired=True, eftype="cohen", decimals=12)
    return RatingMean(
        emotion=emotion,
        scale=scale,
        n=n,
        undecided=undecided,
        mean=mean,
        sd=sd,
        low=float(interval.low),
        high=float(interval.high),
        t=float(result.statistic),
        p_value=float(result.pvalue),
        p_holm=None,
        p_benjamini_hochberg=None,
        effect_size=effect,
        effect_low=float(effect_low),
        effect_high=float(effect_high),
    )


def _with_corrections(row: RatingMean, p_holm: float, p_benjamini_hochberg: float) -> RatingMean:
    return replace(row, p_holm=p_holm, p_benjamini_hochberg=p_benjamini_hochberg)


def band(mean: float, border: float) -> int:
    """Return the class of a slider's mean: -1 below minus the border, 1 above the border, 0 between."""
    return -1 if mean < -border else int(mean > border)
