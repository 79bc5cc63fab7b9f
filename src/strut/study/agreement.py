"""Agreement: how well answers agree with what was intended (Cohen) and with one another (Fleiss), beyond chance."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from strut.errors import AnswersError
from strut.study.answers import Answers, IntArray
from strut.study.confusion import Confusion

RESAMPLES = 1000
_COHEN = "Cohen's kappa, intended and perceived"
_FEWEST_PEOPLE = 3  # fewer cannot say anything about other people


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

    everybody, low, high = np.arange(len(per_person)), None, None
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
    value, low, high = 1.0, None, None
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
        f"{left_out} participants saw other or fewer stimuli and are left out" if left_out else "",
    )


def _jackknife(one_hot: IntArray) -> tuple[float, float | None, float | None]:
    """Return Fleiss' kappa and its interval from leaving out one person at a time. Shape (people, showings, answers).

    Resampling with replacement would let people agree with their own copies; leaving out does not.
    """
    people, counts = len(one_hot), one_hot.sum(axis=0)
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
