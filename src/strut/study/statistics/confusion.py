"""Confusion: confusion matrix, chi-squared tests, agreement and learning.

Cohen's kappa measures agreement with the intended emotion, Fleiss' kappa agreement among participants. The tests of
recognition are in recognition.py.
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
from strut.study.statistics.hit_rate import count_hits, hit_rate_interval
from strut.study.statistics.significance import Significance

RESAMPLES = 1000
_COHEN = "Cohen's kappa, intended and perceived"
_MIN_PEOPLE = 3  # to generalise to other people
SMALL_EXPECTATION = 5.0  # expected count below which the chi-squared distribution is a poor approximation
_REPEATED = "answers of one person are not independent; the permutation test within participants does not need that"


@dataclass(frozen=True, slots=True, eq=False)
class Confusion:
    """A confusion matrix: rows are the intended emotions, columns the possible answers, cells counts. Shape (I, P)."""

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
        """How often each emotion was named when it was shown. Shape (I,)."""
        same = np.array(self.intended)[:, None] == np.array(self.perceived)
        return np.asarray(np.where(same, self.counts, 0).sum(axis=1))

    @property
    def accuracy(self) -> float:
        """The share of answers that name the intended emotion."""
        return float(self.hits.sum() / self.counts.sum())


def confusion(answers: Answers, options: Sequence[str] = ()) -> Confusion:
    """Return the confusion matrix; `options` are the possible answers, or all emotions shown or named if left out."""
    if not answers.are_choices:
        raise AnswersError("answers", "there are no choices (`perceived`), so there is no confusion matrix.")
    offered = tuple(dict.fromkeys(options or answers.emotions))
    counts = pd.crosstab(answers.table["intended"], answers.table["perceived"])
    others = sorted(set(counts.columns) - set(offered), key=lambda name: (name == DO_NOT_KNOW, name))
    perceived = (*offered, *others)
    in_order = (*(name for name in perceived if name in answers.emotions), *answers.emotions)
    intended = tuple(dict.fromkeys(in_order))  # in the order of the options, so that hits lie on the diagonal
    return Confusion(intended, perceived, counts.reindex(index=intended, columns=perceived, fill_value=0).to_numpy())


def chi2_uniform(matrix: Confusion) -> Significance:
    """Test whether all answers to each emotion are equally likely, as if people guessed.

    One goodness-of-fit test per row, summed: I (P - 1) degrees of freedom.
    """
    rows, columns = matrix.counts.shape
    expected = np.repeat(matrix.shown / columns, columns)
    result = stats.chisquare(matrix.counts.ravel(), expected, ddof=rows - 1)
    name = "chi-squared, all answers equally likely (uniformity)"
    return _chi2(name, result, rows * (columns - 1), matrix, float(expected.min()))


def chi2_independence(matrix: Confusion) -> Significance:
    """Test whether answers are independent of the emotion shown. Answers that were never given are left out."""
    used = _without_empty_columns(matrix)
    if min(used.shape) < 2:
        raise AnswersError("answers", "a test of independence needs two emotions and two different answers.")
    result = stats.chi2_contingency(used, correction=False)
    name = "chi-squared, answers independent of the emotion shown (independence)"
    return _chi2(name, result, int(result.dof), matrix, float(result.expected_freq.min()))


def cramers_v(matrix: Confusion) -> float:
    """Return Cramér's V, the association of emotion and answer, from 0 (none) to 1."""
    return float(stats.contingency.association(_without_empty_columns(matrix), method="cramer"))


def _without_empty_columns(matrix: Confusion) -> IntArray:
    """Return the counts without the columns of answers that were never given."""
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
    """The hit rate of one block with its 95 % interval, participants as clusters."""

    block: int
    hits: int
    shown: int
    rate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Learning:
    """Hit rates by block, and the factor by which the odds of a hit change from one block to the next.

    `odds_ratio`, its interval and p come from a logistic model with answers correlated within participants
    (generalised estimating equations); they are None for the reason in `note`. The covariance is Mancl and DeRouen's
    (2001), and t has one degree of freedom less than there are people: with few people the usual robust covariance is
    too small (benchmarks/bench_study_null.py).
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
    blocks = tuple(_block_rate(int(number), own) for number, own in table.groupby("block"))
    reason = _why_no_learning(answers, blocks)
    if reason:
        return Learning(blocks, note=reason)
    model = sm.GEE(
        table["correct"].to_numpy(),
        sm.add_constant(table["block"].to_numpy(float)),
        groups=np.unique(table["participant"], return_inverse=True)[1],
        family=sm.families.Binomial(),
        cov_struct=sm.cov_struct.Exchangeable(),
    )
    undetermined = Learning(blocks, note="the answers do not determine how the odds change")
    try:
        fit = model.fit(cov_type="bias_reduced")
    except np.linalg.LinAlgError:
        return undetermined
    with np.errstate(invalid="ignore"):  # the square root of a variance below 0 is no number
        change, error = float(fit.params[1]), float(fit.bse[1])
    if not np.isfinite([change, error]).all() or error <= 0.0:
        return undetermined
    t = stats.t(len(answers.participants) - 1)
    low, high = np.exp([change - t.ppf(0.975) * error, change + t.ppf(0.975) * error]).tolist()
    return Learning(blocks, float(np.exp(change)), low, high, float(2.0 * t.sf(abs(change / error))))


def _block_rate(block: int, table: pd.DataFrame) -> BlockRate:
    """Return the hit rate of the answers of one block."""
    hits = int(table["correct"].sum())
    interval = hit_rate_interval(*count_hits(table, table["correct"].to_numpy()))
    return BlockRate(block, hits, len(table), hits / len(table), *interval)


def _why_no_learning(answers: Answers, blocks: tuple[BlockRate, ...]) -> str:
    """Return why the change of the odds cannot be estimated; empty if it can."""
    if len(blocks) < 2:
        return "there is only one block"
    if len(answers.participants) < 3:
        return "there are fewer than three participants"
    if all(row.hits == row.shown for row in blocks) or all(row.hits == 0 for row in blocks):
        return "all answers are hits or all are misses, so the odds cannot change"
    if len(blocks) == 2 and any(row.hits in (0, row.shown) for row in blocks):
        return "the odds of a block without misses or hits are infinite"
    return ""


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance (1 perfect, 0 chance) with a 95 % interval if enough people answered.

    `method` is that of the interval, `participants` the number of people, `note` the participants left out and why.
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


def cohens_kappa_of(answers: Answers, matrix: Confusion, rng: np.random.Generator) -> Kappa:
    """Return Cohen's kappa between intended and perceived; its bootstrap interval resamples people, not answers."""
    per_person = _counts_per_person(answers, _all_names(matrix))

    def kappa(sample: IntArray) -> float:
        return float(cohens_kappa(per_person[sample].sum(axis=0), return_results=False))

    people = np.arange(len(per_person))
    low = None
    high = None
    if len(people) >= _MIN_PEOPLE:
        options = {"n_resamples": RESAMPLES, "vectorized": False, "method": "percentile", "rng": rng}
        low, high = _finite(*stats.bootstrap((people,), kappa, **options).confidence_interval)
    method = "bootstrap over participants" if low is not None else f"none: fewer than {_MIN_PEOPLE} participants"
    return Kappa(_COHEN, kappa(people), low, high, method, len(people))


def fleiss_kappa_of(answers: Answers) -> Kappa:
    """Return Fleiss' kappa among the participants who saw the same stimuli as often as most others."""
    time = answers.table.groupby(["participant", "stimulus"]).cumcount()
    table = answers.table.assign(time=time).pivot(index="participant", columns=["stimulus", "time"], values="perceived")
    table = table.loc[list(answers.participants)]
    answered = [tuple(row) for row in table.notna().to_numpy()]
    usual = Counter(answered).most_common(1)[0][0]
    complete = table.loc[[row == usual for row in answered], list(usual)]
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
    """Return Fleiss' kappa and its jackknife interval over people. Shape (people, showings, answers).

    A bootstrap would draw some people twice, who then agree with their own copies; the jackknife does not. statsmodels
    has no standard error for it.
    """
    people = len(one_hot)
    counts = one_hot.sum(axis=0)
    whole = float(fleiss_kappa(counts))
    if people <= _MIN_PEOPLE:
        return whole, None, None
    pseudo = [people * whole - (people - 1) * float(fleiss_kappa(counts - own)) for own in one_hot]
    low, high = stats.t.interval(0.95, people - 1, loc=whole, scale=stats.sem(pseudo))
    return whole, *_finite(max(low, -1.0), min(high, 1.0))


def _finite(low: float, high: float) -> tuple[float, float] | tuple[None, None]:
    return (float(low), float(high)) if np.isfinite([low, high]).all() else (None, None)


def _all_names(matrix: Confusion) -> list[str]:
    """Return the names of a square matrix: an answer that was never intended has a row of zeros."""
    return list(dict.fromkeys((*matrix.intended, *matrix.perceived)))


def _counts_per_person(answers: Answers, names: list[str]) -> IntArray:
    """Return each participant's own confusion matrix. Shape (people, names, names)."""
    counts = np.zeros((len(answers.participants), len(names), len(names)), dtype=np.int64)
    axes = {"participant": list(answers.participants), "intended": names, "perceived": names}
    index = tuple(pd.Index(known).get_indexer(answers.table[column]) for column, known in axes.items())
    np.add.at(counts, index, 1)
    return counts
