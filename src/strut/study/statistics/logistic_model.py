"""Logistic mixed model: the odds of a hit by emotion, with random intercepts and slopes of participants.

Neither scipy nor statsmodels fits it by maximum likelihood, and the standard errors of statsmodels' variational Bayes
are too small: a third of the true one for the intercept of 2000 answers per emotion. So this module integrates the
likelihood over intercepts and slopes by nested Gauss-Hermite quadrature and maximises it by scipy. Tests compare it
with plain logistic regression if participants do not differ, and with known parameters if they do;
benchmarks/bench_study_mixed.py compares it with R's lme4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from numpy.polynomial.hermite import hermgauss
from scipy import optimize, special
from statsmodels.tools.numdiff import approx_hess

from strut.arrays import Array
from strut.errors import AnswersError

_NO_SD = 1e-2  # the likelihood is flat in standard deviations of log odds below this
_INITIAL_SD = 0.5  # of log odds; in the range of published studies


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """Log odds of a hit: of the first emotion, then differences from it. Shapes (I,)."""

    estimate: Array
    standard_error: Array
    participant_sd: float
    slope_sd: float | None
    log_likelihood: float


def _nodes(count: int) -> tuple[Array, Array]:
    """Return nodes of a standard normal variable and the logarithms of their weights."""
    nodes, weights = hermgauss(count)
    return np.sqrt(2.0) * nodes, np.log(weights / np.sqrt(np.pi))


_INTERCEPT, _INTERCEPT_WEIGHT = _nodes(31)
_SLOPE, _SLOPE_WEIGHT = _nodes(11)


def fit_logistic(hits: Array, shown: Array, *, slopes: bool = False, alike: bool = False) -> LogisticFit:
    """Fit the model to how often each participant hit each emotion, by maximum likelihood. Shapes (people, I).

    With `slopes`, each participant has a random deviation for each emotion; with `alike`, all emotions have the same
    fixed effect.
    """
    rates = hits.sum(axis=0) / shown.sum(axis=0)
    if (rates <= 0.0).any() or (rates >= 1.0).any():
        raise AnswersError(
            "answers", "an emotion was always or never recognised, so its odds are infinite: no logistic model."
        )
    log_odds = special.logit(rates)
    estimate = [log_odds.mean()] if alike else [log_odds[0], *(log_odds[1:] - log_odds[0])]
    initial = np.array([*estimate, *([_INITIAL_SD] * (2 if slopes else 1))])
    fixed = len(estimate)
    counts = cell_counts(hits, shown)

    def loss(parameters: Array) -> float:
        slope_sd = float(parameters[fixed + 1]) if slopes else 0.0
        return -log_likelihood(parameters[:fixed], float(parameters[fixed]), counts, slope_sd=slope_sd)

    optimum = optimize.minimize(loss, initial, method="BFGS", options={"gtol": 1e-4})
    sds = np.abs(optimum.x[fixed:])
    used = np.append(np.arange(fixed), fixed + np.flatnonzero(sds >= _NO_SD))
    hessian = approx_hess(optimum.x, loss)[np.ix_(used, used)]
    try:
        variance = np.diag(np.linalg.inv(hessian))[:fixed]
    except np.linalg.LinAlgError as error:
        raise AnswersError("answers", "a logistic mixed model is not determined by so few.") from error
    if not np.isfinite(optimum.fun) or (variance <= 0.0).any():
        raise AnswersError("answers", "the logistic mixed model did not converge.")
    slope_sd = float(sds[1]) if slopes else None
    return LogisticFit(optimum.x[:fixed], np.sqrt(variance), float(sds[0]), slope_sd, -float(optimum.fun))


@dataclass(frozen=True, slots=True, eq=False)
class CellCounts:
    """Hits and showings of participants and emotions: the few different pairs, and the index of each cell's pair.

    Shapes (levels,), (levels,) and (people, I).
    """

    hits: Array
    shown: Array
    level: npt.NDArray[np.int64]


def cell_counts(hits: Array, shown: Array) -> CellCounts:
    """Return the counts of all participants as different pairs. Shapes (people, I)."""
    pairs, level = np.unique(np.stack([hits, shown], axis=-1).reshape(-1, 2), axis=0, return_inverse=True)
    return CellCounts(pairs[:, 0], pairs[:, 1], level.reshape(hits.shape).astype(np.int64))


def log_likelihood(estimate: Array, participant_sd: float, counts: CellCounts, *, slope_sd: float = 0.0) -> float:
    """Return the log likelihood up to a constant, integrated over the random effects."""
    emotions = counts.level.shape[1]
    differences = np.zeros(emotions)
    differences[1 : len(estimate)] = estimate[1:]  # 0 if all emotions are alike
    slope, weight = (_SLOPE, _SLOPE_WEIGHT) if abs(slope_sd) > 1e-12 else (np.zeros(1), np.zeros(1))
    intercepts = estimate[0] + differences[:, None] + participant_sd * _INTERCEPT
    odds = (intercepts[..., None] + slope_sd * slope)[:, None]  # (I, 1, intercepts, slopes)
    hits, shown = (count[:, None, None] for count in (counts.hits, counts.shown))
    cells = special.logsumexp(
        hits * odds - shown * np.logaddexp(0.0, odds) + weight, axis=-1
    )  # (I, levels, intercepts)
    per_person = sum(cells[emotion, counts.level[:, emotion]] for emotion in range(emotions))
    return float(special.logsumexp(per_person + _INTERCEPT_WEIGHT, axis=1).sum())
