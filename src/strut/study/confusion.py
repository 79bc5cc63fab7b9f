"""Confusion: which emotion was taken for which, and whether that can be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

from strut.errors import AnswersError
from strut.study.answers import DO_NOT_KNOW, Answers, IntArray
from strut.study.significance import Significance, at_least, benjamini_hochberg, holm, wilson_interval

SMALL_EXPECTATION = 5.0  # below it the chi-squared distribution is a poor approximation
_REPEATED = "answers of one person are not independent; the permutation test within participants does not need that"


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """Counts of answers: rows are the intended emotions, columns what people could answer. Shape (I, P)."""

    intended: tuple[str, ...]
    perceived: tuple[str, ...]
    counts: IntArray

    def __post_init__(self) -> None:
        counts = np.array(self.counts, dtype=np.int64)
        if counts.shape != (len(self.intended), len(self.perceived)) or (counts < 0).any():
            raise AnswersError("confusion matrix", f"counts of shape {counts.shape} do not fit its names.")
        counts.flags.writeable = False
        object.__setattr__(self, "counts", counts)

    @property
    def shown(self) -> IntArray:
        """How often each emotion was shown. Shape (I,)."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def hits(self) -> IntArray:
        """How often each emotion was seen when it was shown. Shape (I,)."""
        return np.array(
            [
                self.counts[row, self.perceived.index(name)] if name in self.perceived else 0
                for row, name in enumerate(self.intended)
            ],
            dtype=np.int64,
        )

    @property
    def accuracy(self) -> float:
        """The share of answers that name the intended emotion."""
        return float(self.hits.sum() / self.counts.sum())


@dataclass(frozen=True, slots=True)
class HitRate:
    """How often one emotion was seen when it was shown, with Wilson's 95 % interval and the exact binomial test."""

    emotion: str
    hits: int
    shown: int
    rate: float
    low: float
    high: float
    chance: float
    p_value: float
    p_holm: float
    p_benjamini_hochberg: float


def confusion(answers: Answers, options: Sequence[str] = ()) -> Confusion:
    """Return who was taken for whom.

    Args:
        answers: They must hold choices.
        options: What people could answer, where it is known; otherwise every emotion shown or named.
    """
    if not answers.perceived:
        raise AnswersError("answers", "there are no choices (`perceived`), so there is no confusion matrix.")
    offered = tuple(dict.fromkeys(options or answers.emotions))
    named = sorted(set(answers.perceived) - set(offered), key=lambda name: (name == DO_NOT_KNOW, name))
    perceived = (*offered, *named)
    shown = (*(name for name in perceived if name in answers.emotions), *answers.emotions)
    intended = tuple(dict.fromkeys(shown))  # in the order of the options, so that hits lie on the diagonal
    counts = pd.crosstab(np.array(answers.intended), np.array(answers.perceived))
    counts = counts.reindex(index=intended, columns=perceived, fill_value=0)
    return Confusion(intended, perceived, counts.to_numpy())


def hit_rates(matrix: Confusion, chance: float) -> tuple[HitRate, ...]:
    """Return each emotion's hit rate against chance, p-values also corrected for their number."""
    shown, hits = matrix.shown, matrix.hits
    p_values = [at_least(int(k), int(n), chance) for k, n in zip(hits, shown, strict=True)]
    corrected = zip(p_values, holm(p_values), benjamini_hochberg(p_values), strict=True)
    return tuple(
        HitRate(name, int(k), int(n), float(k / n), *wilson_interval(int(k), int(n)), chance, *p)
        for name, k, n, p in zip(matrix.intended, hits, shown, corrected, strict=True)
    )


def chi2_uniform(matrix: Confusion) -> Significance:
    """Test whether, for each emotion shown, all answers are equally likely: people guess blindly.

    One goodness-of-fit test per row, summed: I (P - 1) degrees of freedom.
    """
    expected = np.repeat(matrix.shown[:, None] / len(matrix.perceived), len(matrix.perceived), axis=1)
    result = stats.chisquare(matrix.counts.ravel(), expected.ravel(), ddof=len(matrix.intended) - 1)
    dof = len(matrix.intended) * (len(matrix.perceived) - 1)
    return Significance(
        "chi-squared, all answers equally likely (uniformity)",
        float(result.statistic),
        float(result.pvalue),
        int(matrix.counts.sum()),
        dof,
        *_caution(float(expected.min())),
    )


def chi2_independence(matrix: Confusion) -> Significance:
    """Test whether the answers have nothing to do with the emotion shown. Answers nobody gave are left out."""
    used = matrix.counts[:, matrix.counts.sum(axis=0) > 0]
    if min(used.shape) < 2:
        raise AnswersError("answers", "a test of independence needs two emotions and two different answers.")
    result = stats.chi2_contingency(used, correction=False)
    return Significance(
        "chi-squared, answers independent of the emotion shown (independence)",
        float(result.statistic),
        float(result.pvalue),
        int(used.sum()),
        int(result.dof),
        *_caution(float(result.expected_freq.min())),
    )


def cramers_v(matrix: Confusion) -> float:
    """Return the strength of the link between emotion and answer, from 0 (none) to 1."""
    used = matrix.counts[:, matrix.counts.sum(axis=0) > 0]
    return float(stats.contingency.association(used, method="cramer"))


def _caution(smallest_expectation: float) -> tuple[str, float]:
    """Return note and smallest expectation of a chi-squared test."""
    if smallest_expectation >= SMALL_EXPECTATION:
        return _REPEATED, smallest_expectation
    return f"smallest expected count {smallest_expectation:.2g} is below 5; {_REPEATED}", smallest_expectation
