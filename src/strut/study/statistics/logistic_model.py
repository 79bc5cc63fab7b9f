"""Logistic mixed model: the odds of a hit by emotion, with habits of people and their own reading of each emotion.

Neither scipy nor statsmodels fits it by maximum likelihood, and the standard errors of statsmodels' variational Bayes
are too small: a third of the true one for the intercept of 2000 answers per emotion. So the likelihood is integrated
here over the participants' intercepts and slopes by Gauss-Hermite quadrature, one inside the other, maximised by
scipy, and tested against both limits it must meet: plain logistic regression where participants do not differ, and
known parameters where they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite import hermgauss
from scipy import optimize, special
from statsmodels.tools.numdiff import approx_hess

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import IntArray

_NO_SPREAD = 1e-2  # standard deviations of log odds below this cannot be told from none
_START_SD = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """Log odds of a hit: first column's, then differences to it, of shape (I,); and what the fit is worth."""

    estimate: Array
    standard_error: Array
    participant_sd: float
    slope_sd: float | None
    log_likelihood: float


def _nodes(count: int) -> tuple[Array, Array]:
    """Return nodes of a standard normal variable and the logarithms of their weights."""
    nodes, weights = hermgauss(count)
    return np.sqrt(2.0) * nodes, np.log(weights / np.sqrt(np.pi))


_HABIT, _HABIT_WEIGHT = _nodes(31)
_SLOPE, _SLOPE_WEIGHT = _nodes(11)


def fit_logistic(hits: Array, shown: Array, *, slopes: bool = False, alike: bool = False) -> LogisticFit:
    """Fit the model to how often each participant hit each emotion, by maximum likelihood. Shapes (people, I).

    With `slopes`, everybody also reads every emotion better or worse than others do; with `alike`, all emotions have
    the same odds but for that.
    """
    rates = hits.sum(axis=0) / shown.sum(axis=0)
    if (rates <= 0.0).any() or (rates >= 1.0).any():
        raise AnswersError(
            "answers", "an emotion was always or never seen, so its odds are infinite: no logistic model."
        )
    log_odds = special.logit(rates)
    estimate = [log_odds.mean()] if alike else [log_odds[0], *(log_odds[1:] - log_odds[0])]
    start = np.array([*estimate, *([_START_SD] * (2 if slopes else 1))])
    fixed = len(estimate)
    counts = cell_counts(hits, shown)

    def loss(parameters: Array) -> float:
        slope_sd = float(parameters[fixed + 1]) if slopes else 0.0
        return -log_likelihood(parameters[:fixed], float(parameters[fixed]), counts, slope_sd=slope_sd)

    found = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-4})
    spread = np.abs(found.x[fixed:])
    kept = np.append(np.arange(fixed), fixed + np.flatnonzero(spread >= _NO_SPREAD))  # flat in a spread of 0
    hessian = approx_hess(found.x, loss)[np.ix_(kept, kept)]
    try:
        variance = np.diag(np.linalg.inv(hessian))[:fixed]
    except np.linalg.LinAlgError as error:
        raise AnswersError("answers", "a logistic mixed model is not determined by so few.") from error
    if not np.isfinite(found.fun) or (variance <= 0.0).any():
        raise AnswersError("answers", "the logistic mixed model did not converge.")
    slope_sd = float(spread[1]) if slopes else None
    return LogisticFit(found.x[:fixed], np.sqrt(variance), float(spread[0]), slope_sd, -float(found.fun))


@dataclass(frozen=True, slots=True, eq=False)
class CellCounts:
    """How often people hit an emotion of how many: the few pairs that occur, and which one each cell holds.

    Shapes (levels,), (levels,) and (people, I).
    """

    hits: Array
    shown: Array
    level: IntArray


def cell_counts(hits: Array, shown: Array) -> CellCounts:
    """Return the counts of all participants as the pairs that occur. Shapes (people, I)."""
    pairs, level = np.unique(np.stack([hits, shown], axis=-1).reshape(-1, 2), axis=0, return_inverse=True)
    return CellCounts(pairs[:, 0], pairs[:, 1], level.reshape(hits.shape).astype(np.int64))


def log_likelihood(estimate: Array, participant_sd: float, counts: CellCounts, *, slope_sd: float = 0.0) -> float:
    """Return how probable the hits are, up to a constant, averaged over what is unknown of the participants."""
    emotions = counts.level.shape[1]
    differences = np.zeros(emotions)
    differences[1 : len(estimate)] = estimate[1:]  # none where all emotions are alike
    slope, weight = (_SLOPE, _SLOPE_WEIGHT) if abs(slope_sd) > 1e-12 else (np.zeros(1), np.zeros(1))
    habits = estimate[0] + differences[:, None] + participant_sd * _HABIT
    odds = (habits[..., None] + slope_sd * slope)[:, None]  # (I, 1, habits, slopes)
    hits, shown = (count[:, None, None] for count in (counts.hits, counts.shown))
    cells = special.logsumexp(hits * odds - shown * np.logaddexp(0.0, odds) + weight, axis=-1)  # (I, levels, habits)
    per_person = sum(cells[emotion, counts.level[:, emotion]] for emotion in range(emotions))
    return float(special.logsumexp(per_person + _HABIT_WEIGHT, axis=1).sum())
