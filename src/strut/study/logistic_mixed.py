"""Logistic mixed model: the odds of a hit by emotion, with participants as random intercepts.

Neither scipy nor statsmodels fits it by maximum likelihood, and the standard errors of statsmodels' variational Bayes
are too small: a third of the true one for the intercept of 2000 answers per emotion. So the likelihood is integrated
here over the participants' intercepts by Gauss-Hermite quadrature, maximised by scipy, and tested against both limits
it must meet: plain logistic regression where participants do not differ, and known parameters where they do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite import hermgauss
from scipy import optimize, special
from statsmodels.tools.numdiff import approx_hess

from strut.errors import AnswersError
from strut.robot import Array

NODES = 31
_NO_SPREAD = 1e-2  # standard deviations of log odds below this cannot be told from none


@dataclass(frozen=True, slots=True, eq=False)
class LogisticFit:
    """Log odds of a hit: first column's, then differences to it. Shapes (I,); and what the fit is worth."""

    estimate: Array
    standard_error: Array
    participant_sd: float
    log_likelihood: float


def fit_logistic(hits: Array, shown: Array) -> LogisticFit:
    """Fit the model to how often each participant hit each emotion, by maximum likelihood.

    Args:
        hits: Shape (people, I).
        shown: Shape (people, I).
    """
    rates = hits.sum(axis=0) / shown.sum(axis=0)
    if (rates <= 0.0).any() or (rates >= 1.0).any():
        raise AnswersError(
            "answers", "an emotion was always or never seen, so its odds are infinite: no logistic model."
        )
    log_odds = special.logit(rates)
    start = np.array([log_odds[0], *(log_odds[1:] - log_odds[0]), 0.5])

    def loss(parameters: Array) -> float:
        return -log_likelihood(parameters[:-1], float(parameters[-1]), hits, shown)

    found = optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-4})
    best, spread = found.x, abs(float(found.x[-1]))
    hessian = approx_hess(best, loss)
    if spread < _NO_SPREAD:  # flat in the spread there; the others do not depend on it
        hessian = hessian[:-1, :-1]
    try:
        variance = np.diag(np.linalg.inv(hessian))[: len(rates)]
    except np.linalg.LinAlgError as error:
        raise AnswersError("answers", "a logistic mixed model is not determined by so few.") from error
    if not np.isfinite(found.fun) or (variance <= 0.0).any():
        raise AnswersError("answers", "the logistic mixed model did not converge.")
    return LogisticFit(best[:-1], np.sqrt(variance), spread, -float(found.fun))


def log_likelihood(estimate: Array, participant_sd: float, hits: Array, shown: Array) -> float:
    """Return how probable the hits are, up to a constant, averaged over the participants' unknown intercepts."""
    nodes, weights = hermgauss(NODES)
    log_odds = estimate[0] + np.concatenate([[0.0], estimate[1:]])
    odds_at_nodes = log_odds[:, None] + np.sqrt(2.0) * participant_sd * nodes
    per_person = hits @ odds_at_nodes - shown @ np.logaddexp(0.0, odds_at_nodes)
    return float(special.logsumexp(per_person + np.log(weights / np.sqrt(np.pi)), axis=1).sum())
