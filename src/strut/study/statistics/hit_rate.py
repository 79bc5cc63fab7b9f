"""Hit rate: the 95 % interval of a hit rate, for answers of people who differ.

Answers of one person are alike, so they count less than as many answers of different people. Two intervals allow for
that, and each fails where the other does not:

    clustered      Clopper and Pearson's interval for an effective number of answers, from the variance between people
                   (E. L. Korn and B. I. Graubard, 1998). It is too short if the few people who differ were not asked.
    beta-binomial  people's own rates follow a beta distribution; mean and correlation have uniform priors. It is too
                   short if people are of two kinds.

The interval reaches as far as the further of the two. benchmarks/bench_study_coverage.py simulates how often it covers
the rate of the population, for four distributions of people.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pandas as pd
from scipy import special, stats
from statsmodels.stats.proportion import proportion_confint

from strut.arrays import Array
from strut.study.statistics.answers import IntArray

_TAILS = (0.025, 0.975)
_CORRELATION_ROOT = (np.arange(30) + 0.5) / 30  # squared, so that small correlations have a finer grid
_CORRELATION = _CORRELATION_ROOT**2
_COARSE = np.linspace(-9.0, 9.0, 49)  # log odds of the mean rate: 0.01 % to 99.99 %
_FINE_POINTS = 121  # of the grid around the maximum, on which the quantiles are read off
_NEGLIGIBLE = 1e-7  # density over its maximum; the fine grid covers what is above


def count_hits(table: pd.DataFrame, is_hit: Array) -> tuple[IntArray, IntArray]:
    """Return the number of hits and of answers of each participant of a table. Shapes (people,)."""
    by_person = pd.Series(is_hit, table.index).groupby(table["participant"])
    return by_person.sum().to_numpy(np.int64), by_person.count().to_numpy(np.int64)


def hit_rate_interval(hits: IntArray, answers: IntArray) -> tuple[float, float]:
    """Return the 95 % interval of the hit rate in the population of which these people are a sample.

    Args:
        hits: Hits of each person. Shape (people,).
        answers: Answers of each person, at least one. Shape (people,).
    """
    return _interval(tuple(sorted(zip(hits.tolist(), answers.tolist(), strict=True))))


@lru_cache(maxsize=10_000)  # simulated studies of few answers meet the same counts again and again
def _interval(people: tuple[tuple[int, int], ...]) -> tuple[float, float]:
    """Return the interval for the hits and answers of each person."""
    hits, answers = np.array(people, dtype=np.int64).T
    clustered = _clustered_interval(hits, answers)
    beta_binomial = _beta_binomial_interval(hits, answers)
    return min(clustered[0], beta_binomial[0]), max(clustered[1], beta_binomial[1])


def _clustered_interval(hits: IntArray, answers: IntArray) -> tuple[float, float]:
    """Return Clopper and Pearson's interval for the effective number of answers."""
    people = len(hits)
    total = int(answers.sum())
    rate = hits.sum() / total
    effective = float(total)
    if people > 1:
        residual = hits - rate * answers
        variance = people / (people - 1) * float(residual @ residual) / total**2
        if variance > 0.0:
            effective = rate * (1.0 - rate) / variance
        correction = stats.t.ppf(_TAILS[1], total - 1) / stats.t.ppf(_TAILS[1], people - 1)  # for few people
        effective = min(effective * correction**2, float(total))
    low, high = proportion_confint(rate * effective, effective, method="beta")
    return float(low), float(high)


def _beta_binomial_interval(hits: IntArray, answers: IntArray) -> tuple[float, float]:
    """Return the quantiles of the mean rate, given uniform priors of the mean rate and of the correlation."""
    coarse = _log_density(_COARSE, hits, answers)
    likely = _COARSE[coarse > coarse.max() + np.log(_NEGLIGIBLE)]
    step = _COARSE[1] - _COARSE[0]
    log_odds = np.linspace(likely[0] - step, likely[-1] + step, _FINE_POINTS)
    fine = _log_density(log_odds, hits, answers)
    cumulative = np.cumsum(np.exp(fine - fine.max()))
    low, high = special.expit(np.interp(_TAILS, cumulative / cumulative[-1], log_odds))
    return float(low), float(high)


def _log_density(log_odds: Array, hits: IntArray, answers: IntArray) -> Array:
    """Return the log density of log odds of the mean rate, up to a constant. Shapes (N,), (people,) in, (N,) out."""
    pairs, people = np.unique(np.stack([hits, answers], axis=1), axis=0, return_counts=True)
    rate = special.expit(log_odds)[:, None]
    concentration = (1.0 - _CORRELATION) / _CORRELATION  # a + b of the beta distribution
    a = rate * concentration  # (N, correlations)
    b = (1.0 - rate) * concentration
    likelihood = -len(hits) * special.betaln(a, b)  # of the beta-binomial distribution, up to a constant
    for (k, n), count in zip(pairs.tolist(), people, strict=True):
        likelihood += count * special.betaln(a + k, b + n - k)
    marginal = special.logsumexp(likelihood, b=_CORRELATION_ROOT, axis=1)  # over the correlations
    return np.asarray(marginal + np.log(rate * (1.0 - rate))[:, 0], dtype=float)
