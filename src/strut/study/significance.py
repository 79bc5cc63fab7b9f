"""Significance: one test of one hypothesis, with everything a reader needs to judge it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


@dataclass(frozen=True, slots=True)
class Significance:
    """A test.

    Args:
        name: Which test, against which hypothesis.
        statistic: Its value.
        p_value: How probable a value at least as extreme is if the hypothesis holds.
        n: How many observations went in.
        dof: Degrees of freedom, where the test has them.
        note: What a reader should know before believing it.
        smallest_expectation: The least count expected in a cell, where the test compares counts.
    """

    name: str
    statistic: float
    p_value: float
    n: int
    dof: float | None = None
    note: str = ""
    smallest_expectation: float | None = None


def at_least(hits: int, shown: int, chance: float) -> float:
    """Return the exact probability of at least so many hits by chance."""
    return float(stats.binomtest(hits, shown, chance, alternative="greater").pvalue)


def wilson_interval(hits: int, shown: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, which stays inside [0, 1] and is honest at 0 and at all hits."""
    low, high = proportion_confint(hits, shown, alpha=0.05, method="wilson")
    return float(low), float(high)


def wald_interval(hits: int, shown: int) -> tuple[float, float]:
    """Return the textbook 95 % interval of a share; [0, 0] at no hits. Only to reproduce what others printed."""
    low, high = proportion_confint(hits, shown, alpha=0.05, method="normal")
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected so that the chance of any false alarm among them stays at the level tested."""
    return [float(p) for p in multipletests(np.asarray(p_values), method="holm")[1]] if len(p_values) else []


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected so that the share of false alarms among the discoveries stays at the level tested."""
    return [float(p) for p in multipletests(np.asarray(p_values), method="fdr_bh")[1]] if len(p_values) else []
