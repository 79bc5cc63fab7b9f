"""Correlation: whether a rating follows what the stimuli differed in."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pingouin as pg
from scipy import stats

from strut.emotion import named_emotion
from strut.errors import AnswersError, UnknownNameError
from strut.study.answers import PAD_SCALES, Answers
from strut.study.significance import holm

_FEWEST = 4  # Fisher's interval divides by n - 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation r of n ratings on a scale with a factor that the stimuli differed in.

    `low` and `high` are Fisher's 95 % interval; `p_value` is two-sided and takes answers as independent, `p_holm`
    corrects it for all correlations of the study. `within_...` is the repeated-measures correlation, which does not
    take answers of one person for answers of several; None where nobody has several ratings.
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
    factors, who, found = {**answers.factors, **_intended_coordinates(answers)}, answers.table["participant"], []
    for scale, rating in answers.ratings.items():
        for name, factor in factors.items():
            used = np.isfinite(rating) & np.isfinite(factor)
            if used.sum() >= _FEWEST and np.ptp(rating[used]) > 0 and np.ptp(factor[used]) > 0:
                found.append(_correlation(name, scale, factor[used], rating[used], who[used]))
    corrected = holm([row.p_value for row in found])
    return tuple(replace(row, p_holm=p) for row, p in zip(found, corrected, strict=True))


def _intended_coordinates(answers: Answers) -> dict[str, pd.Series]:
    """Return the intended pleasure, arousal and dominance of each answer; nothing if an emotion has no coordinates."""
    try:
        pad = np.array([named_emotion(name).pad for name in answers.emotions])
    except UnknownNameError:
        return {}
    meant = pd.Index(answers.emotions).get_indexer(answers.table["intended"])
    return {f"intended {axis}": pd.Series(pad[meant, k]) for k, axis in enumerate(PAD_SCALES)}


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


def _correlation(name: str, scale: str, factor: pd.Series, rating: pd.Series, who: pd.Series) -> Correlation:
    result = stats.spearmanr(factor, rating)
    r, n = float(result.statistic), len(rating)
    interval = fisher_interval(r, n) if abs(r) < 1.0 else (r, r)
    within = within_participants(factor, rating, who) or (None, None, None)
    return Correlation(name, scale, n, r, *interval, float(result.pvalue), None, *within)


def within_participants(
    factor: npt.ArrayLike, rating: npt.ArrayLike, who: npt.ArrayLike
) -> tuple[float, int, float] | None:
    """Return the repeated-measures correlation: r, degrees of freedom and two-sided p; None where nobody varies.

    It is the correlation of what is left when everybody's own mean is taken away, with a degree of freedom less for
    each participant. pingouin's `rm_corr` gives the same numbers but inverts a matrix with a column per participant,
    which takes minutes for many; the tests compare the two.
    """
    table = pd.DataFrame({"factor": factor, "rating": rating, "who": who})
    own = table.groupby("who")[["factor", "rating"]]
    centred = table[["factor", "rating"]] - own.transform("mean")
    moves = (centred["factor"] ** 2).groupby(table["who"]).transform("sum") > 1e-24
    kept = centred[moves]  # people who saw one level of the factor only say nothing about it
    people = table["who"][moves].nunique()
    dof = len(kept) - people - 1
    if people < 2 or dof < 1 or not (kept["rating"].abs() > 1e-12).any():
        return None
    r = float(stats.pearsonr(kept["factor"], kept["rating"]).statistic)
    return r, dof, correlation_p(r, dof + 2) if abs(r) < 1.0 else 0.0
