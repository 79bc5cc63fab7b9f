"""Confusion: which emotion was taken for which, whether that can be chance, agreement and learning.

Cohen's kappa is agreement with what was intended, Fleiss' agreement with one another. Whether emotions were seen is
judged in recognition.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from strut.errors import AnswersError
from strut.plumbing.number_text import format_count
from strut.study.statistics.answers import DO_NOT_KNOW, Answers, IntArray
from strut.study.statistics.significance import Significance, wilson_interval

RESAMPLES = 1000
_COHEN = "Cohen's kappa, intended and perceived"
_FEWEST_PEOPLE = 3  # fewer cannot say anything about other people
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
        same = np.array(self.intended)[:, None] == np.array(self.perceived)
        return np.asarray(np.where(same, self.counts, 0).sum(axis=1))

    @property
    def accuracy(self) -> float:
        """The share of answers that name the intended emotion."""
        return float(self.hits.sum() / self.counts.sum())


def confusion(answers: Answers, options: Sequence[str] = ()) -> Confusion:
    """Return who was taken for whom; `options` are what people could answer, else every emotion shown or named."""
    if not answers.are_choices:
        raise AnswersError("answers", "there are no choices (`perceived`), so there is no confusion matrix.")
    offered = tuple(dict.fromkeys(options or answers.emotions))
    counts = pd.crosstab(answers.table["intended"], answers.table["perceived"])
    named = sorted(set(counts.columns) - set(offered), key=lambda name: (name == DO_NOT_KNOW, name))
    perceived = (*offered, *named)
    shown = (*(name for name in perceived if name in answers.emotions), *answers.emotions)
    intended = tuple(dict.fromkeys(shown))  # in the order of the options, so that hits lie on the diagonal
    return Confusion(intended, perceived, counts.reindex(index=intended, columns=perceived, fill_value=0).to_numpy())


def chi2_uniform(matrix: Confusion) -> Significance:
    """Test whether, for each emotion shown, all answers are equally likely: people guess blindly.

    One goodness-of-fit test per row, summed: I (P - 1) degrees of freedom.
    """
    rows, columns = matrix.counts.shape
    expected = np.repeat(matrix.shown / columns, columns)
    result = stats.chisquare(matrix.counts.ravel(), expected, ddof=rows - 1)
    name = "chi-squared, all answers equally likely (uniformity)"
    return _chi2(name, result, rows * (columns - 1), matrix, float(expected.min()))


def chi2_independence(matrix: Confusion) -> Significance:
    """Test whether the answers have nothing to do with the emotion shown. Answers nobody gave are left out."""
    used = _given(matrix)
    if min(used.shape) < 2:
        raise AnswersError("answers", "a test of independence needs two emotions and two different answers.")
    result = stats.chi2_contingency(used, correction=False)
    name = "chi-squared, answers independent of the emotion shown (independence)"
    return _chi2(name, result, int(result.dof), matrix, float(result.expected_freq.min()))


def cramers_v(matrix: Confusion) -> float:
    """Return the strength of the link between emotion and answer, from 0 (none) to 1."""
    return float(stats.contingency.association(_given(matrix), method="cramer"))


def _given(matrix: Confusion) -> IntArray:
    """Return the counts of the answers that somebody gave."""
    return matrix.counts[:, matrix.counts.sum(axis=0) > 0]


def _chi2(name: str, result: Any, dof: int, matrix: Confusion, smallest: float) -> Significance:
    note = (
        _REPEATED
        if smallest >= SMALL_EXPECTATION
        else f"smallest expected count {smallest:.2g} is below 5; {_REPEATED}"
    )
    n = int(matrix.counts.sum())
    return Significance(name, float(result.statistic), float(result.pvalue), n, dof, note, smallest)


@dataclass(frozen=True, slots=True)
class BlockRate:
    """The hit rate of one block with Wilson's 95 % interval."""

    block: int
    hits: int
    shown: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Learning:
    """Hit rates by block, and by how much the odds of a hit change from one block to the next.

    `odds_ratio` and what follows come from a logistic model whose answers are correlated within participants
    (generalised estimating equations); they are None where `note` says why.
    """

    blocks: tuple[BlockRate, ...]
    odds_ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    note: str = ""


def learning(answers: Answers) -> Learning:
    """Return how hit rates change over blocks; the answers must hold choices."""
    table = answers.table.assign(correct=answers.correct.astype(float))
    blocks = tuple(
        BlockRate(int(block), int(hits), shown, hits / shown, *wilson_interval(int(hits), shown))
        for block, hits, shown in table.groupby("block")["correct"].agg(["sum", "count"]).itertuples()
    )
    reason = _why_not(answers, blocks)
    if reason:
        return Learning(blocks, note=reason)
    model = sm.GEE(
        table["correct"].to_numpy(),
        sm.add_constant(table["block"].to_numpy(float)),
        groups=np.unique(table["participant"], return_inverse=True)[1],
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Exchangeable(),
    )
    fit = model.fit()
    with np.errstate(invalid="ignore"):  # a robust variance below 0 is no number
        low, high = fit.conf_int()[1]
        p_value = float(fit.pvalues[1])
    if not np.isfinite([low, high, p_value]).all():
        return Learning(blocks, note="the answers do not determine how the odds change")
    odds_ratio, low, high = np.exp([fit.params[1], low, high]).tolist()
    return Learning(blocks, odds_ratio, low, high, p_value)


def _why_not(answers: Answers, blocks: tuple[BlockRate, ...]) -> str:
    if len(blocks) < 2:
        return "there is one block only"
    if len(answers.participants) < 3:
        return "fewer than three participants say nothing about others"
    if all(row.hits == row.shown for row in blocks) or all(row.hits == 0 for row in blocks):
        return "all answers are alike, so the odds cannot change"
    if len(blocks) == 2 and any(row.hits in (0, row.shown) for row in blocks):
        return "a block without any miss or any hit makes the odds infinite"
    return ""


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance, 1 perfect and 0 chance, with a 95 % interval where enough people answered.

    `method` is how the interval was found, `participants` how many people it rests on, `note` who was left out and why.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    method: str
    participants: int
    note: str = ""


def kappa_of_counts(matrix: Confusion) -> Kappa:
    """Return Cohen's kappa between intended and perceived from counts alone, as if all answers were independent."""
    names = _all_names(matrix)
    counts = pd.DataFrame(matrix.counts, matrix.intended, matrix.perceived).reindex(names, fill_value=0)
    result = cohens_kappa(counts.reindex(columns=names, fill_value=0).to_numpy())
    interval = float(result.kappa_low), float(result.kappa_upp)
    return Kappa(_COHEN, float(result.kappa), *interval, "asymptotic, answers taken as independent", 0)


def cohens(answers: Answers, matrix: Confusion, rng: np.random.Generator) -> Kappa:
    """Return Cohen's kappa between intended and perceived; its interval resamples people, not answers."""
    per_person = _counts_per_person(answers, _all_names(matrix))

    def kappa(people: IntArray) -> float:
        return float(cohens_kappa(per_person[people].sum(axis=0), return_results=False))

    everybody = np.arange(len(per_person))
    low = None
    high = None
    if len(everybody) >= _FEWEST_PEOPLE:
        options = {"n_resamples": RESAMPLES, "vectorized": False, "method": "percentile", "rng": rng}
        low, high = _finite(*stats.bootstrap((everybody,), kappa, **options).confidence_interval)
    method = "bootstrap over participants" if low is not None else f"none: fewer than {_FEWEST_PEOPLE} participants"
    return Kappa(_COHEN, kappa(everybody), low, high, method, len(everybody))


def fleiss(answers: Answers) -> Kappa:
    """Return Fleiss' kappa among participants; only those who answered every stimulus as often as most can enter."""
    time = answers.table.groupby(["participant", "stimulus"]).cumcount()
    table = answers.table.assign(time=time).pivot(index="participant", columns=["stimulus", "time"], values="perceived")
    table = table.loc[list(answers.participants)]
    seen = [tuple(row) for row in table.notna().to_numpy()]
    usual = Counter(seen).most_common(1)[0][0]
    complete = table.loc[[own == usual for own in seen], list(usual)]
    if len(complete) < 2:
        raise AnswersError("answers", "Fleiss' kappa needs two participants who saw the same stimuli.")
    names, chosen = np.unique(complete.to_numpy().astype(str), return_inverse=True)
    one_hot = np.eye(len(names), dtype=np.int64)[chosen.reshape(complete.shape)]
    value = 1.0
    low = None
    high = None
    if answers.table["perceived"].nunique() > 1:
        value, low, high = _jackknife(one_hot)
    left_out = len(table) - len(complete)
    return Kappa(
        "Fleiss' kappa, among participants",
        value,
        low,
        high,
        "jackknife over participants" if low is not None else "none: too few participants or answers",
        len(complete),
        format_count(left_out, "[participant|participants] saw other or fewer stimuli and [is|are] left out")
        if left_out
        else "",
    )


def _jackknife(one_hot: IntArray) -> tuple[float, float | None, float | None]:
    """Return Fleiss' kappa and its interval from leaving out one person at a time. Shape (people, showings, answers).

    Resampling with replacement would let people agree with their own copies; leaving out does not.
    """
    people = len(one_hot)
    counts = one_hot.sum(axis=0)
    whole = float(fleiss_kappa(counts))
    if people <= _FEWEST_PEOPLE:
        return whole, None, None
    pseudo = [people * whole - (people - 1) * float(fleiss_kappa(counts - own)) for own in one_hot]
    low, high = stats.t.interval(0.95, people - 1, loc=whole, scale=stats.sem(pseudo))
    return whole, *_finite(max(low, -1.0), min(high, 1.0))


def _finite(low: float, high: float) -> tuple[float, float] | tuple[None, None]:
    return (float(low), float(high)) if np.isfinite([low, high]).all() else (None, None)


def _all_names(matrix: Confusion) -> list[str]:
    """Return the names of a square matrix: an answer that was never intended gets a row of zeros."""
    return list(dict.fromkeys((*matrix.intended, *matrix.perceived)))


def _counts_per_person(answers: Answers, names: list[str]) -> IntArray:
    """Return each participant's own confusion matrix. Shape (people, names, names)."""
    counts = np.zeros((len(answers.participants), len(names), len(names)), dtype=np.int64)
    axes = {"participant": list(answers.participants), "intended": names, "perceived": names}
    places = tuple(pd.Index(known).get_indexer(answers.table[column]) for column, known in axes.items())
    np.add.at(counts, places, 1)
    return counts
