"""Correlation: whether a rating follows what the stimuli differed in."""

from __future__ import annotations

import math
import warnings
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
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

    def as_dict(self) -> dict[str, Any]:
        """Return the correlation as JSON would hold it."""
        return asdict(self)


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
    people = np.unique(who)
    several = [person for person in people if np.ptp(factor[who == person]) > 0]
    if len(several) < 2:
        return found
    keep = np.isin(who, several)
    table = pd.DataFrame({"who": who[keep], "factor": factor[keep], "rating": rating[keep]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pingouin calls pandas in a way that will end one day
        within = pg.rm_corr(table, x="factor", y="rating", subject="who")
    p_name = "p_val" if "p_val" in within else "pval"
    return replace(
        found,
        within_r=float(within["r"].iloc[0]),
        within_dof=int(within["dof"].iloc[0]),
        within_p=float(within[p_name].iloc[0]),
    )
