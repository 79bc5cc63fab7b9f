"""Ratings: means on a scale, against the middle of the scale, with the right number of people."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pingouin as pg
from scipy import stats

from strut.errors import AnswersError
from strut.robot import Array
from strut.study.answers import Answers
from strut.study.significance import benjamini_hochberg, holm

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class RatingMean:
    """The mean rating of one emotion on one scale, tested against 0 by a two-sided one-sample t test.

    `n` counts participants: the ratings of one person are averaged first, or each would count as new people;
    `undecided` ratings were left open. `effect_size` is Cohen's d; intervals are of 95 %. Corrections are for all means
    of the study. What needs a spread is None where everybody gave the same rating.
    """

    emotion: str
    scale: str
    n: int
    undecided: int
    mean: float
    sd: float
    low: float
    high: float
    t: float | None = None
    p_value: float | None = None
    p_holm: float | None = None
    p_benjamini_hochberg: float | None = None
    effect_size: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None

    def off_middle(self, alpha: float = 0.05) -> bool:
        """Whether the mean lies demonstrably off the middle of its scale; what cannot be tested does not."""
        return self.p_holm is not None and self.p_holm < alpha


def rating_means(answers: Answers) -> tuple[RatingMean, ...]:
    """Return the mean of every emotion on every scale that the answers hold, where two people rated it."""
    found = []
    for scale in answers.ratings:
        means = person_means(answers, scale)
        undecided = answers.table[scale].isna().groupby(answers.table["intended"]).sum()
        for emotion in answers.emotions:
            own = means[emotion].dropna().to_numpy()
            if len(own) >= 2:
                found.append(_mean(emotion, scale, own, int(undecided[emotion])))
    if not found:
        raise AnswersError("answers", "no emotion was rated by two people, so no mean can be tested.")
    p_values = [row.p_value for row in found]
    corrected = zip(found, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return tuple(replace(row, p_holm=first, p_benjamini_hochberg=second) for row, first, second in corrected)


def person_means(answers: Answers, scale: str) -> pd.DataFrame:
    """Return each participant's mean rating of each emotion: one row per person, one column per emotion."""
    means = answers.table.pivot_table(index="participant", columns="intended", values=scale)
    return means.reindex(columns=list(answers.emotions))


def one_sample(mean: float, sd: float, n: int) -> tuple[float, float, tuple[float, float]]:
    """Return t, two-sided p and the 95 % interval of a mean from its summary, as papers print it."""
    standard_error = sd / math.sqrt(n)
    t = mean / standard_error
    low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=standard_error)
    return t, float(2.0 * stats.t.sf(abs(t), n - 1)), (float(low), float(high))


def sd_from_interval(low: float, high: float, n: int) -> float:
    """Return the standard deviation behind a printed 95 % interval of a mean of n values."""
    return float((high - low) / 2.0 / stats.t.ppf(0.975, n - 1) * math.sqrt(n))


def band(mean: float, border: float) -> int:
    """Return the class of a slider's mean: -1 below minus the border, 1 above the border, 0 between."""
    return -1 if mean < -border else int(mean > border)


def _mean(emotion: str, scale: str, own: Array, undecided: int) -> RatingMean:
    n, mean, sd = len(own), float(own.mean()), float(own.std(ddof=1))
    if sd == 0.0:  # everybody gave the same rating: there is no spread to test against
        return RatingMean(emotion, scale, n, undecided, mean, sd, mean, mean)
    t, p_value, interval = one_sample(mean, sd, n)
    effect_low, effect_high = pg.compute_esci(mean / sd, nx=n, ny=1, paired=True, eftype="cohen", decimals=12)
    effect = {"effect_size": mean / sd, "effect_low": float(effect_low), "effect_high": float(effect_high)}
    return RatingMean(emotion, scale, n, undecided, mean, sd, *interval, t, p_value, **effect)
