"""Ratings: means on a scale against its middle, controls against originals, and correlations with factors.

Ratings are averaged within participants first, because answers of one person are not independent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from strut.arrays import Array
from strut.emotion import named_emotion
from strut.errors import AnswersError, UnknownNameError
from strut.study.statistics.answers import NO_CONTROL, PAD_SCALES, Answers
from strut.study.statistics.mixed import mixed_slope
from strut.study.statistics.significance import benjamini_hochberg, with_holm

_MIN_PEOPLE = 3  # to compare a control with its original
_MIN_STIMULI = 4  # a slope leaves two degrees of freedom


@dataclass(frozen=True, slots=True)
class RatingMean:
    """The mean rating of one emotion on one scale, tested against 0 by a two-sided one-sample t test.

    `n` counts participants, `undecided` their ratings left open. `effect_size` is Cohen's d; intervals are of 95 %.
    Corrections are for all means of the study. If all ratings are the same, there is no test, and its fields are None.
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
        """Whether the mean differs significantly from the middle of its scale; False without a test."""
        return self.p_holm is not None and self.p_holm < alpha


def rating_means(answers: Answers) -> tuple[RatingMean, ...]:
    """Return the mean of every emotion on every scale that two people or more rated."""
    rows = []
    for scale in answers.ratings:
        means = person_means(answers, scale)
        undecided = answers.table[scale].isna().groupby(answers.table["intended"]).sum()
        for emotion in answers.emotions:
            own = means[emotion].dropna().to_numpy()
            if len(own) >= 2:
                rows.append(_mean(emotion, scale, own, int(undecided[emotion])))
    if not rows:
        raise AnswersError("answers", "no emotion was rated by two people, so no mean can be tested.")
    corrected = benjamini_hochberg([row.p_value for row in rows])
    return tuple(replace(row, p_benjamini_hochberg=p) for row, p in zip(with_holm(rows), corrected, strict=True))


def person_means(answers: Answers, scale: str) -> pd.DataFrame:
    """Return each participant's mean rating of each emotion: one row per person, one column per emotion."""
    means = answers.table.pivot_table(index="participant", columns="intended", values=scale)
    return means.reindex(columns=list(answers.emotions))


def one_sample(mean: float, sd: float, n: int) -> tuple[float, float, tuple[float, float]]:
    """Return t, two-sided p and the 95 % interval of a mean, from the numbers that papers print."""
    standard_error = sd / math.sqrt(n)
    t = mean / standard_error
    low, high = stats.t.interval(0.95, n - 1, loc=mean, scale=standard_error)
    return t, float(2.0 * stats.t.sf(abs(t), n - 1)), (float(low), float(high))


def sd_from_interval(low: float, high: float, n: int) -> float:
    """Return the standard deviation behind a printed 95 % interval of a mean of n values."""
    return float((high - low) / 2.0 / stats.t.ppf(0.975, n - 1) * math.sqrt(n))


def _mean(emotion: str, scale: str, own: Array, undecided: int) -> RatingMean:
    import pingouin as pg  # noqa: PLC0415  (with the plots that it can draw, it takes a second to load)

    n = len(own)
    mean = float(own.mean())
    sd = float(own.std(ddof=1))
    if sd < 1e-12:  # all people gave the same rating, up to rounding: t would be infinite
        return RatingMean(emotion, scale, n, undecided, mean, sd, mean, mean)
    t, p_value, interval = one_sample(mean, sd, n)
    effect_low, effect_high = pg.compute_esci(mean / sd, nx=n, ny=1, paired=True, eftype="cohen", decimals=12)
    effect = {"effect_size": mean / sd, "effect_low": float(effect_low), "effect_high": float(effect_high)}
    return RatingMean(emotion, scale, n, undecided, mean, sd, *interval, t, p_value, **effect)


@dataclass(frozen=True, slots=True)
class ControlEffect:
    """One emotion of an original motion and of its control, by the same n people.

    `shown` and `matched` are their means of the hit rate or of a scale, for the original motion and for the control.
    The 95 % interval is that of the difference, control minus original; `p_value` is that of a two-sided paired t test
    over participants, None if all differences are the same.
    """

    control: str
    emotion: str
    measure: str
    n: int
    shown: float
    matched: float
    low: float | None = None
    high: float | None = None
    t: float | None = None
    p_value: float | None = None
    p_holm: float | None = None


def control_effects(answers: Answers) -> tuple[ControlEffect, ...]:
    """Return the effect of every control on hits and ratings of its emotion, if three people or more saw both."""
    return with_holm([_effect(*key, pairs) for key, pairs in _pairs(answers) if len(pairs) >= _MIN_PEOPLE])


def untested_controls(answers: Answers) -> tuple[str, ...]:
    """Return for each control that is not in `control_effects` why it is missing."""
    return tuple(
        f"{control}, the {measure.replace('_', ' ')} of {emotion}: {len(pairs)} answered both it and the original; "
        f"a comparison needs {_MIN_PEOPLE} people."
        for (control, emotion, measure), pairs in _pairs(answers)
        if len(pairs) < _MIN_PEOPLE
    )


def _pairs(answers: Answers) -> Iterator[tuple[tuple[str, str, str], Array]]:
    """Yield control, emotion and measure with each participant's means of original and control. Shape (n, 2)."""
    table, measures = answers.measures
    for control, emotion in sorted(set(zip(table["control"], table["intended"], strict=True))):
        for measure in measures if control != NO_CONTROL else ():
            shown = table[table["intended"] == emotion]
            means = shown.pivot_table(index="participant", columns="control", values=measure)
            yield (control, emotion, measure), means.reindex(columns=[NO_CONTROL, control]).dropna().to_numpy()


def _effect(control: str, emotion: str, measure: str, pairs: Array) -> ControlEffect:
    effect = ControlEffect(control, emotion, measure, len(pairs), *pairs.mean(axis=0).tolist())
    if np.ptp(pairs[:, 1] - pairs[:, 0]) < 1e-12:  # all differences are the same: t would be infinite
        return effect
    result = stats.ttest_rel(pairs[:, 1], pairs[:, 0])
    low, high = result.confidence_interval(0.95)
    return replace(effect, low=float(low), high=float(high), t=float(result.statistic), p_value=float(result.pvalue))


@dataclass(frozen=True, slots=True)
class Correlation:
    """How ratings on a scale change with a factor of the stimuli.

    `r` is Spearman's rank correlation of the factor with the mean ratings of the n stimuli. `slope` is the change of
    the rating per standard deviation of the factor with its 95 % interval and t test, from a mixed model with random
    intercepts and slopes of participants and random intercepts of stimuli. `p_holm` is corrected for all correlations
    of the study.
    """

    factor: str
    scale: str
    n: int
    r: float
    slope: float
    low: float
    high: float
    t: float
    dof: float
    p_value: float
    p_holm: float | None = None


def correlations(answers: Answers, left_out: list[str]) -> tuple[Correlation, ...]:
    """Return the correlation of every rating with every factor that varies; `left_out` gets those that are not tested.

    Factors are the `factor_...` columns and, if the intended emotions have known coordinates, the intended pleasure,
    arousal and dominance.
    """
    factors = {**answers.factors, **_intended_coordinates(answers)}
    rows = []
    for scale in answers.ratings:
        for name, factor in factors.items():
            is_used = np.isfinite(answers.table[scale]) & np.isfinite(factor)
            if is_used.any() and np.ptp(factor[is_used]) > 0 and np.ptp(answers.table[scale][is_used]) > 0:
                rows.append(_correlation(answers.table[is_used], factor[is_used], name, scale, left_out))
    return with_holm([row for row in rows if row is not None])


def _intended_coordinates(answers: Answers) -> dict[str, pd.Series]:
    """Return the intended pleasure, arousal and dominance of each answer; none if an emotion has no coordinates."""
    try:
        pad = np.array([named_emotion(name).pad for name in answers.emotions])
    except UnknownNameError:
        return {}
    emotion = pd.Index(answers.emotions).get_indexer(answers.table["intended"])
    return {f"intended {axis}": pd.Series(pad[emotion, k]) for k, axis in enumerate(PAD_SCALES)}


def _correlation(
    table: pd.DataFrame, factor: pd.Series, name: str, scale: str, left_out: list[str]
) -> Correlation | None:
    means = table.assign(factor=factor).groupby("stimulus")[["factor", scale]].mean()
    if len(means) < _MIN_STIMULI or table["participant"].nunique() < _MIN_PEOPLE:
        left_out.append(
            f"{scale.replace('_', ' ')} against {name}: it takes {_MIN_STIMULI} stimuli and {_MIN_PEOPLE} people."
        )
        return None
    try:
        term = mixed_slope(table, table[scale].to_numpy(float), factor.to_numpy(float), scale)
    except AnswersError as error:
        left_out.append(f"{scale.replace('_', ' ')} against {name}: {error.reason}")
        return None
    assert term.dof is not None
    r = float(stats.spearmanr(means["factor"], means[scale]).statistic)
    interval = term.estimate, term.low, term.high
    return Correlation(name, scale, len(means), r, *interval, term.statistic, term.dof, term.p_value)
