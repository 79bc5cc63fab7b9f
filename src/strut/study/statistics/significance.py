"""Significance: one test of one hypothesis, intervals of shares, and corrections for many tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from strut.arrays import Array

_P = TypeVar("_P", float, float | None)
_Finding = TypeVar("_Finding", bound=Any)  # a dataclass with `p_value` and `p_holm`


@dataclass(frozen=True, slots=True)
class Significance:
    """A test of n observations: its name says against which hypothesis, its note what to know before believing it.

    `smallest_expectation` is the least count expected in a cell, where the test compares counts.
    """

    name: str
    statistic: float
    p_value: float
    n: int
    dof: float | None = None
    note: str = ""
    smallest_expectation: float | None = None


def binomial_p(hits: int, shown: int, chance: float) -> float:
    """Return the p-value of the exact one-sided binomial test: the probability of at least so many hits by chance.

    For answers of people, who have habits of answering, this test is too liberal (89 % false alarms if 35 % of all
    answers are one word): those are judged in recognition.py.
    """
    return float(stats.binomtest(hits, shown, chance, alternative="greater").pvalue)


def wilson_interval(hits: int, shown: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, which stays inside [0, 1] and is honest at 0 and at all hits."""
    low, high = proportion_confint(hits, shown, alpha=0.05, method="wilson")
    return float(low), float(high)


def holm(p_values: Sequence[_P]) -> list[_P]:
    """Return p-values corrected so that the chance of any false alarm among them stays at the level tested."""
    return _corrected(p_values, "holm")


def with_holm(findings: Sequence[_Finding]) -> tuple[_Finding, ...]:
    """Return findings with `p_holm`, their `p_value` corrected for all of them."""
    corrected = holm([row.p_value for row in findings])
    return tuple(replace(row, p_holm=p_value) for row, p_value in zip(findings, corrected, strict=True))


def benjamini_hochberg(p_values: Sequence[_P]) -> list[_P]:
    """Return p-values corrected so that the share of false alarms among the discoveries stays at the level tested."""
    return _corrected(p_values, "fdr_bh")


def _corrected(p_values: Sequence[_P], method: str) -> list[_P]:
    """Return corrected p-values; what could not be tested is None, stays so and corrects nothing.

    pingouin's and statsmodels' corrections are the same, but statsmodels' collects all garbage each time.
    """
    import pingouin as pg  # noqa: PLC0415  (with the plots that it can draw, it takes a second to load)

    tested = [p for p in p_values if p is not None]
    corrected = iter(pg.multicomp(tested, method=method)[1].tolist() if tested else ())
    return [p if p is None else next(corrected) for p in p_values]


def permutation_p(observed: float, by_chance: Array | npt.NDArray[np.int64]) -> float:
    """Return how often chance does at least as well; the observed order is one of all, so it is never 0."""
    return (1 + int((by_chance >= observed).sum())) / (1 + len(by_chance))


def sign_flips(
    people: int, statistic: Callable[[Array], Array], rng: np.random.Generator, *, resamples: int = 5000
) -> tuple[float, Array]:
    """Return the p-value of a statistic of people's signs and its values under random signs.

    If nothing is there, everybody's data might as well have the opposite sign. `statistic` takes signs of shape
    (..., people) and returns shape (...); large values speak against the hypothesis. All signs are tried where that are
    fewer than `resamples`.
    """

    def of_signs(numbers: Array, axis: int = -1) -> Array:
        return statistic(np.sign(np.moveaxis(numbers, axis, -1)))

    numbers = np.arange(1.0, people + 1.0)
    result = stats.permutation_test(
        (numbers,),
        of_signs,
        permutation_type="samples",
        vectorized=True,
        n_resamples=resamples,
        batch=500,
        alternative="greater",
        rng=rng,
    )
    return float(result.pvalue), np.asarray(result.null_distribution, dtype=float)
