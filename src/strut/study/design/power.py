"""Power: sample sizes and power of single tests, before a study starts."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

from scipy import stats
from statsmodels.stats.power import GofChisquarePower, TTestPower

from strut.errors import OutOfRangeError

_MAX_TRIALS = 20_000  # a hit rate that needs more is practically chance
_STEADY = 25  # exact binomial power rises in a sawtooth: it must be reached for so many sizes in a row


@dataclass(frozen=True, slots=True)
class SampleSize:
    """Participants that a test needs, the equivalent number of independent observations, and the test in words."""

    participants: int
    observations: float
    test: str


def sample_size(
    *,
    rate: float | None = None,
    options: int = 6,
    effect: float | None = None,
    w: float | None = None,
    dof: int = 16,
    per_participant: int = 1,
    intraclass_correlation: float = 0.0,
    tests: int = 1,
    power: float = 0.8,
    alpha: float = 0.05,
) -> SampleSize:
    """Return how many participants a study needs; give exactly one of `rate`, `effect` and `w`.

    Args:
        rate: Expected hit rate of a choice among `options`, "do not know" among them.
        options: Number of answers to choose from.
        effect: Expected Cohen's d of a mean rating.
        w: Expected Cohen's w of a chi-squared test with `dof` degrees of freedom.
        dof: Degrees of freedom.
        per_participant: Answers of one participant that the test uses.
        intraclass_correlation: Correlation between two answers of one person (ICC), 0 to 1.
        tests: Tests of the study; alpha is shared among them.
        power: Probability of finding the effect.
        alpha: Probability of a false alarm.

    Example:
        >>> strut.study.sample_size(rate=0.5, options=6, tests=5).participants
        21
    """
    if sum(size is not None for size in (rate, effect, w)) != 1:
        raise OutOfRangeError("Give exactly one of rate (choices), effect (ratings) or w (chi-squared).")
    if options < 2 or tests < 1:
        raise OutOfRangeError("There must be at least 2 options and at least 1 test.")
    if effect is not None and per_participant != 1:
        raise OutOfRangeError("The ratings of one person are averaged and count once: leave per-participant out.")
    level = {"power": power, "alpha": alpha / tests}
    if rate is not None:
        observations = float(binomial_trials(rate, 1.0 / options, **level))
        test = f"exact one-sided binomial test of one emotion's hit rate {rate:g} against {1.0 / options:.3g}"
    elif effect is not None:
        observations = mean_participants(effect, **level)
        test = f"two-sided t test of a mean rating over participants, d = {effect:g}"
    else:
        assert w is not None
        observations = chi2_observations(w, dof, **level)
        test = f"chi-squared test with {dof} degrees of freedom, w = {w:g}"
    return SampleSize(participants_needed(observations, per_participant, intraclass_correlation), observations, test)


def chi2_observations(effect_size_w: float, dof: int, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the number of observations that a chi-squared test needs for an effect of Cohen's w."""
    _check(power, alpha)
    if not 0.0 < effect_size_w < math.inf or dof < 1:
        raise OutOfRangeError("The effect size must be above 0 and the degrees of freedom at least 1.")
    return _solve_size(GofChisquarePower(), effect_size_w, n_bins=dof + 1, alpha=alpha, power=power)


def chi2_power(effect_size_w: float, dof: int, observations: float, *, alpha: float = 0.05) -> float:
    """Return the power of a chi-squared test."""
    return float(GofChisquarePower().power(effect_size_w, observations, alpha, dof + 1))


def smallest_hits(shown: int, chance: float, *, alpha: float = 0.05) -> int:
    """Return the smallest number of hits that chance reaches with a probability of at most alpha."""
    return int(stats.binom.isf(alpha, shown, chance)) + 1


def binomial_power(rate: float, chance: float, shown: int, *, alpha: float = 0.05) -> float:
    """Return the power of the exact binomial test against chance if the true hit rate is `rate`."""
    return float(stats.binom.sf(smallest_hits(shown, chance, alpha=alpha) - 1, shown, rate))


def binomial_trials(rate: float, chance: float, *, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how often an emotion must be shown to test its hit rate against chance."""
    _check(power, alpha)
    if not 0.0 < chance < rate <= 1.0:
        raise OutOfRangeError(f"The hit rate ({rate:g}) must lie above chance ({chance:g}), both between 0 and 1.")
    run = 0
    for shown in range(1, _MAX_TRIALS):
        run = run + 1 if binomial_power(rate, chance, shown, alpha=alpha) >= power else 0
        if run == _STEADY:
            return shown - _STEADY + 1
    raise OutOfRangeError(f"A hit rate of {rate:g} is too close to chance ({chance:g}) for any study.")


def mean_participants(effect_size_d: float, *, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the number of participants that a one-sample t test needs for an effect of Cohen's d."""
    _check(power, alpha)
    if not 0.0 < effect_size_d < math.inf:
        raise OutOfRangeError("The effect size must be a number above 0.")
    return _solve_size(TTestPower(), effect_size_d, alpha=alpha, power=power)


def participants_needed(observations: float, per_participant: int, intraclass_correlation: float) -> int:
    """Return the number of participants that is equivalent to a number of independent observations.

    Answers of one participant correlate by the intraclass correlation, which enters as the design effect (Kish, 1965).
    """
    if per_participant < 1 or not 0.0 <= intraclass_correlation <= 1.0:
        raise OutOfRangeError(
            "Answers per participant must be at least 1, and their intraclass correlation lie between 0 and 1."
        )
    design_effect = 1.0 + (per_participant - 1) * intraclass_correlation
    return math.ceil(math.ceil(observations) * design_effect / per_participant - 1e-9)


def _solve_size(test: Any, effect_size: float, **given: float) -> float:
    """Return how many observations a test needs; raise OutOfRangeError if no number is enough."""
    with warnings.catch_warnings(record=True, action="ignore"):  # that it has not converged is reported below
        observations = float(test.solve_power(effect_size=effect_size, **given))
    if not math.isfinite(observations):
        raise OutOfRangeError(f"No number of participants fits an effect size of {effect_size:g}; try 0.1 to 2.")
    return observations


def _check(power: float, alpha: float) -> None:
    if not (0.0 < alpha < power < 1.0):
        raise OutOfRangeError(f"Power ({power:g}) must lie above alpha ({alpha:g}), both between 0 and 1.")
