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
_Row = TypeVar("_Row", bound=Any)  # a dataclass with `p_value` and `p_holm`


@dataclass(frozen=True, slots=True)
class Significance:
    """A test of n observations; `name` says which, `note` what limits it.

    `smallest_expectation` is the smallest expected count of a cell, for tests of counts.
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

    For answers of people, who prefer some answers, this test is too liberal (89 % false alarms if 35 % of all answers
    are one word, benchmarks/bench_study_null.py): recognition.py has the test for them.
    """
    return float(stats.binomtest(hits, shown, chance, alternative="greater").pvalue)


def wilson_interval(hits: int, shown: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion, which stays inside [0, 1] and has width at 0 and 1 too."""
    low, high = proportion_confint(hits, shown, alpha=0.05, method="wilson")
    return float(low), float(high)


def holm(p_values: Sequence[_P]) -> list[_P]:
    """Return p-values with Holm's correction, which controls the family-wise error rate."""
    return _corrected(p_values, "holm")


def with_holm(rows: Sequence[_Row]) -> tuple[_Row, ...]:
    """Return rows with `p_holm`: their `p_value` with Holm's correction for all of them."""
    corrected = holm([row.p_value for row in rows])
    return tuple(replace(row, p_holm=p_value) for row, p_value in zip(rows, corrected, strict=True))


def benjamini_hochberg(p_values: Sequence[_P]) -> list[_P]:
    """Return p-values with Benjamini and Hochberg's correction, which controls the false discovery rate."""
    return _corrected(p_values, "fdr_bh")


def _corrected(p_values: Sequence[_P], method: str) -> list[_P]:
    """Return corrected p-values; None (not tested) stays None and does not count.

    pingouin's and statsmodels' corrections are the same, but statsmodels' runs the garbage collector each time.
    """
    import pingouin as pg  # noqa: PLC0415  (with the plots that it can draw, it takes a second to load)

    tested = [p for p in p_values if p is not None]
    corrected = iter(pg.multicomp(tested, method=method)[1].tolist() if tested else ())
    return [p if p is None else next(corrected) for p in p_values]


def permutation_p(observed: float, by_chance: Array | npt.NDArray[np.int64]) -> float:
    """Return the p-value of a permutation test; the observed order counts as one of them, so that it is never 0."""
    return (1 + int((by_chance >= observed).sum())) / (1 + len(by_chance))


def sign_flips(
    people: int, statistic: Callable[[Array], Array], rng: np.random.Generator, *, resamples: int = 5000
) -> tuple[float, Array]:
    """Run a sign-flip test over people; return its p-value and the null distribution of the statistic.

    Under the null hypothesis the data of each person could as well have the opposite sign. `statistic` takes signs of
    shape (..., people) and returns shape (...); large values contradict the hypothesis. If there are fewer combinations
    of signs than `resamples`, all are computed.
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
