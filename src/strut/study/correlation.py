"""Correlation: whether a rating follows what the stimuli differed in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pingouin as pg
from scipy import stats

from strut.emotion import named_emotion
from strut.errors import AnswersError, UnknownNameError
from strut.robot import Array
from strut.study.answers import PAD_SCALES, Answers
from strut.study.significance import holm

_FEWEST = 4  # Fisher's interval divides by n - 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation of a rating with a factor.

    Args:
        factor: What the stimuli differed in.
        scale: What people rated.
        n: How many answers hold both.
        r: Spearman's coefficient.
        low: Lower end of Fisher's 95 % interval.
        high: Upper end.
        p_value: Two-sided, answers taken as independent.
        p_holm: Corrected for all correlations of the study.
        within_r: Correlation within participants (repeated measures), None where nobody has several ratings.
        within_dof: Its degrees of freedom: answers minus participants minus one.
        within_p: Its two-sided p-value, which does not take answers of one person for answers of several.
    """

    factor: str
    scale: str
    n: int
    r: float
    low: float
    high: float
    p_value: float
    p_holm: float | None = None
    within_r: float | None = None
    within_dof: int | None = None
    within_p: float | None = None


def correlations(answers: Answers) -> tuple[Correlation, ...]:
    """Return the correlation of every rating with every factor that varies.

    Factors are the `factor_...` columns and, where the intended emotions have known coordinates, the intended pleasure,
    arousal and dominance.
    """
    factors = {**answers.factors, **intended_coordinates(answers)}
    found = []
    for scale, rating in answers.ratings.items():
        for name, factor in factors.items():
            used = np.isfinite(rating) & np.isfinite(factor)
            if used.sum() >= _FEWEST and np.ptp(rating[used]) > 0 and np.ptp(factor[used]) > 0:
                who = np.array(answers.participant)[used]
                found.append(_correlation(name, scale, factor[used], rating[used], who))
    corrected = holm([row.p_value for row in found])
    return tuple(replace(row, p_holm=p) for row, p in zip(found, corrected, strict=True))


def intended_coordinates(answers: Answers) -> dict[str, Array]:
    """Return the intended pleasure, arousal and dominance of each answer; nothing if an emotion has no coordinates."""
    try:
        pad = {name: named_emotion(name).pad for name in answers.emotions}
    except UnknownNameError:
        return {}
    return {
        f"intended {axis}": np.array([pad[name][index] for name in answers.intended])
        for index, axis in enumerate(PAD_SCALES)
    }


def fisher_interval(r: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a correlation of n pairs."""
    if n < _FEWEST:
        raise AnswersError("correlation", f"{n} pairs are too few for an interval; it takes {_FEWEST}.")
    low, high = pg.compute_esci(r, nx=n, ny=n, eftype="r", decimals=12)
    return float(low), float(high)


def correlation_p(r: float, n: int, alternative: Literal["two-sided", "greater", "less"] = "two-sided") -> float:
    """Return the p-value of a printed correlation of n pairs."""
    t = r * math.sqrt((n - 2) / (1.0 - r**2))
    if alternative == "two-sided":
        return float(2.0 * stats.t.sf(abs(t), n - 2))
    return float(stats.t.sf(t, n - 2) if alternative == "greater" else stats.t.cdf(t, n - 2))


def _correlation(name: str, scale: str, factor: Array, rating: Array, who: Any) -> Correlation:
    result = stats.spearmanr(factor, rating)
    r, n = float(result.statistic), len(rating)
    low, high = fisher_interval(r, n) if abs(r) < 1.0 else (r, r)
    found = Correlation(name, scale, n, r, low, high, float(result.pvalue))
    within = within_participants(factor, rating, who)
    return replace(found, within_r=within[0], within_dof=within[1], within_p=within[2]) if within else found


def within_participants(factor: Array, rating: Array, who: npt.ArrayLike) -> tuple[float, int, float] | None:
    """Return the repeated-measures correlation: r, degrees of freedom and two-sided p; None where nobody varies.

    It is the correlation of what is left when everybody's own mean is taken away, with a degree of freedom less for
    each participant. pingouin's `rm_corr` gives the same numbers but inverts a matrix with a column per participant,
    which takes minutes for many; the tests compare the two.
    """
    own = np.unique(who, return_inverse=True)[1]
    x, y = (values - (np.bincount(own, values) / np.bincount(own))[own] for values in (factor, rating))
    moves = np.bincount(own, x**2) > 1e-24  # people who saw one level of the factor only say nothing about it
    keep = moves[own]
    people = int(moves.sum())
    dof = int(keep.sum()) - people - 1
    if people < 2 or dof < 1 or not np.any(np.abs(y[keep]) > 1e-12):
        return None
    r = float(stats.pearsonr(x[keep], y[keep]).statistic)
    return r, dof, correlation_p(r, dof + 2) if abs(r) < 1.0 else 0.0
