"""Agreement: how well answers agree with what was intended (Cohen) and with one another (Fleiss), beyond chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from strut.errors import AnswersError
from strut.study.answers import Answers, IntArray
from strut.study.confusion import Confusion

RESAMPLES = 1000
_FEWEST_PEOPLE = 3  # fewer cannot say anything about other people


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement beyond chance: 1 is perfect, 0 is chance.

    Args:
        name: Between whom.
        value: Kappa.
        low: Lower end of the 95 % interval, None where too few people answered.
        high: Upper end.
        method: How the interval was found.
        participants: How many people it rests on.
        note: Who was left out, and why.
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
    result = cohens_kappa(_square(matrix.counts, matrix))
    return Kappa(
        "Cohen's kappa, intended and perceived",
        float(result.kappa),
        float(result.kappa_low),
        float(result.kappa_upp),
        "asymptotic, answers taken as independent",
        0,
    )


def cohens(answers: Answers, matrix: Confusion, rng: np.random.Generator) -> Kappa:
    """Return Cohen's kappa between intended and perceived; its interval resamples people, not answers."""
    per_person = _counts_per_person(answers, matrix)

    def kappa(people: IntArray) -> float:
        return float(cohens_kappa(_square(per_person[people].sum(axis=0), matrix), return_results=False))

    low, high = _interval(kappa, len(per_person), rng)
    value = float(kappa(np.arange(len(per_person))))
    method = "bootstrap over participants" if low is not None else f"none: fewer than {_FEWEST_PEOPLE} participants"
    return Kappa("Cohen's kappa, intended and perceived", value, low, high, method, len(per_person))


def fleiss(answers: Answers) -> Kappa:
    """Return Fleiss' kappa among participants; only those who answered every stimulus as often as most can enter."""
    frame = answers.frame()
    frame["time"] = frame.groupby(["participant", "stimulus"]).cumcount()
    table = frame.pivot(index="participant", columns=["stimulus", "time"], values="perceived")
    table = table.loc[list(answers.participants)]
    seen = [tuple(row) for row in table.notna().to_numpy()]
    usual = Counter(seen).most_common(1)[0][0]
    complete = table.loc[[own == usual for own in seen], list(usual)]
    if len(complete) < 2:
        raise AnswersError("answers", "Fleiss' kappa needs two participants who saw the same stimuli.")
    names, chosen = np.unique(complete.to_numpy().astype(str), return_inverse=True)
    one_hot = np.eye(len(names), dtype=np.int64)[chosen.reshape(complete.shape)]
    alike = len(set(answers.perceived)) == 1

    def kappa(people: IntArray) -> float:
        return float(fleiss_kappa(one_hot[people].sum(axis=0)))

    left_out = len(table) - len(complete)
    low, high = (None, None) if alike else _jackknife(kappa, len(complete))
    return Kappa(
        "Fleiss' kappa, among participants",
        1.0 if alike else kappa(np.arange(len(complete))),
        low,
        high,
        "jackknife over participants" if low is not None else "none: too few participants or answers",
        len(complete),
        f"{left_out} participants saw other or fewer stimuli and are left out" if left_out else "",
    )


def _interval(
    statistic: Callable[[IntArray], float], people: int, rng: np.random.Generator
) -> tuple[float | None, float | None]:
    """Return the percentile interval of a statistic over resampled people; None where there are too few."""
    if people < _FEWEST_PEOPLE:
        return None, None
    result = stats.bootstrap(
        (np.arange(people),), statistic, n_resamples=RESAMPLES, vectorized=False, method="percentile", rng=rng
    )
    low, high = float(result.confidence_interval.low), float(result.confidence_interval.high)
    return (low, high) if np.isfinite([low, high]).all() else (None, None)


def _jackknife(statistic: Callable[[IntArray], float], people: int) -> tuple[float | None, float | None]:
    """Return the interval of a statistic from leaving out one person at a time.

    Resampling with replacement would let people agree with their own copies; leaving out does not.
    """
    if people < _FEWEST_PEOPLE + 1:
        return None, None
    everybody = np.arange(people)
    whole = statistic(everybody)
    pseudo = np.array([people * whole - (people - 1) * statistic(np.delete(everybody, k)) for k in everybody])
    if not np.isfinite(pseudo).all():
        return None, None
    low, high = stats.t.interval(0.95, people - 1, loc=whole, scale=stats.sem(pseudo))
    return float(max(low, -1.0)), float(min(high, 1.0))


def _counts_per_person(answers: Answers, matrix: Confusion) -> IntArray:
    """Return each participant's own confusion matrix. Shape (people, I, P)."""
    counts = np.zeros((len(answers.participants), *matrix.counts.shape), dtype=np.int64)
    axes = ((answers.participants, answers.participant), (matrix.intended, answers.intended))
    known = (*axes, (matrix.perceived, answers.perceived))
    np.add.at(counts, tuple(pd.Index(names).get_indexer(values) for names, values in known), 1)
    return counts


def _square(counts: IntArray, matrix: Confusion) -> IntArray:
    """Return counts with the same names for rows and columns; an answer never intended gets a row of zeros."""
    names = list(dict.fromkeys((*matrix.intended, *matrix.perceived)))
    table = pd.DataFrame(counts, matrix.intended, matrix.perceived).reindex(index=names, columns=names, fill_value=0)
    return np.asarray(table)
