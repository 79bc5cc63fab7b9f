"""Preferences: which of two motions people chose, as strengths on one scale (Bradley and Terry, 1952).

The model is statsmodels' logistic regression of "the left one was chosen" on which two were shown, with people as
clusters (estimating equations, Mancl and DeRouen's covariance), and a constant for a liking of one side. No test rests
on it: whether motions differ at all is tested by turning round all choices of random people, and single pairs, only
where that test succeeds, by exact sign tests over people.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
import statsmodels.api as sm
from scipy import stats
from scipy.sparse.csgraph import connected_components

from strut.arrays import Array
from strut.errors import AnswersError
from strut.study.statistics.answers import Answers, IntArray
from strut.study.statistics.significance import Significance, sign_flips, with_holm

ALPHA = 0.05
FEWEST_PEOPLE = 6  # with five, no turning round is rarer than 5 %
HALF_COUNTS = "some motions won or lost everything, so half a choice for either side of each pair was added"


@dataclass(frozen=True, slots=True)
class Strength:
    """How often a motion was chosen, and its strength in log odds against the mean of all, with a 95 % interval."""

    stimulus: str
    intended: str
    wins: int
    compared: int
    share: float
    strength: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairPreference:
    """How many people chose the first motion of a pair more often than the second, and the other way round.

    `p_value` is an exact two-sided sign test over people; `p_holm` corrects for all pairs. Both are None where motions
    do not differ as a whole, or where the pair was not compared.
    """

    first: str
    second: str
    for_first: int
    for_second: int
    p_value: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True)
class Preferences:
    """What pairwise choices say: strengths, the test that there is any difference, and single pairs.

    `side` are the log odds of choosing the left motion of two equal ones, with a 95 % interval.
    """

    strengths: tuple[Strength, ...]
    side: tuple[float, float, float]
    overall: Significance
    pairs: tuple[PairPreference, ...]
    note: str = ""

    @property
    def differ(self) -> bool:
        """Whether motions differ demonstrably."""
        return self.overall.p_value < ALPHA


def person_scores(answers: Answers, names: Sequence[str]) -> Array:
    """Return how much more often each person chose than refused each motion. Shape (people, motions)."""
    table = answers.table
    who = pd.factorize(answers.table["participant"])[0]
    scores = np.zeros((int(who.max()) + 1, len(names)))
    left, right, chosen = (pd.Index(names).get_indexer(table[name]) for name in ("stimulus", "other", "chosen"))
    refused = np.where(chosen == left, right, left)
    np.add.at(scores, (who, chosen), 1.0)
    np.add.at(scores, (who, refused), -1.0)
    return scores


def any_difference(scores: Array, rng: np.random.Generator) -> Significance:
    """Return the test that people prefer no motion to another. Shape (people, motions)."""

    def spread(signs: Array) -> Array:
        return np.asarray(((signs @ scores) ** 2).sum(axis=-1))

    p_value, by_chance = sign_flips(len(scores), spread, rng)
    return Significance(
        "random people's choices turned round, sum of squared differences of wins and losses",
        float(spread(np.ones(len(scores)))),
        p_value,
        len(scores),
        note=f"{len(by_chance)} ways",
    )


def preferences(answers: Answers, rng: np.random.Generator) -> Preferences:
    """Return what pairwise choices say; fewer than six people say nothing about others."""
    table = answers.table
    names = sorted({*table["stimulus"], *table["other"]})
    people = table["participant"].nunique()
    if people < FEWEST_PEOPLE:
        raise AnswersError(
            "answers",
            f"preferences need {FEWEST_PEOPLE} people; {people} answered.",
        )
    wins = _wins(table, names)
    compared = wins + wins.T
    if connected_components(compared, directed=False)[0] > 1:
        reason = "strengths of motions need comparisons that link all of them; some were never compared with the rest."
        raise AnswersError("answers", reason)
    overall = any_difference(person_scores(answers, names), rng)
    (strength, low, high), side, note = _bradley_terry(table, names, wins)
    intended = _intended(table)
    rows = tuple(
        Strength(name, intended[name], won, seen, won / seen, strength[k], low[k], high[k])
        for k, name in enumerate(names)
        for won, seen in [(int(wins[k].sum()), int(compared[k].sum()))]
    )
    ranked = tuple(sorted(rows, key=lambda row: -row.strength))
    return Preferences(ranked, side, overall, _pairs(table, names, tested=overall.p_value < ALPHA), note)


def _intended(table: pd.DataFrame) -> dict[str, str]:
    """Return what each motion is meant to show, where the table says it; its name else."""
    known = dict(zip(table["stimulus"], table["intended"], strict=True))
    if "intended_other" in table:
        known |= dict(zip(table["other"], table["intended_other"], strict=True))
    return {name: known.get(name, name) for name in {*table["stimulus"], *table["other"]}}


def _wins(table: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Return how often each motion was chosen over each other. Shape (motions, motions)."""
    refused = table["other"].where(table["chosen"] == table["stimulus"], table["stimulus"])
    wins = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(wins, (pd.Index(names).get_indexer(table["chosen"]), pd.Index(names).get_indexer(refused)), 1)
    return wins


def _bradley_terry(
    table: pd.DataFrame, names: Sequence[str], wins: IntArray
) -> tuple[tuple[Array, Array, Array], tuple[float, float, float], str]:
    """Return strengths with both ends of their intervals, the same of the left side, and what was done to fit them.

    Strengths are finite where one can go from any motion to any other by wins (L. R. Ford, 1957).
    """
    count = len(names)
    bounded = connected_components(wins, connection="strong")[0] == 1
    left, right = (pd.Index(names).get_indexer(table[name]) for name in ("stimulus", "other"))
    chosen = (table["chosen"] == table["stimulus"]).to_numpy(float)
    who = pd.factorize(table["participant"])[0]
    weights = np.ones(len(chosen))
    if not bounded:
        pairs = np.argwhere(np.triu(wins + wins.T) > 0)
        left = np.concatenate([left, *[pairs[:, 0]] * 2])
        right = np.concatenate([right, *[pairs[:, 1]] * 2])
        chosen = np.concatenate([chosen, np.ones(len(pairs)), np.zeros(len(pairs))])
        who = np.concatenate([who, np.full(2 * len(pairs), -1)])
        weights = np.concatenate([weights, np.full(2 * len(pairs), 0.5)])
    to_all = np.vstack([np.eye(count - 1), -np.ones(count - 1)])  # strengths add up to 0
    exog = np.column_stack([np.ones(len(chosen)), to_all[left] - to_all[right]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that weights and clusters meet is meant; what fails is told below
        model = sm.GEE(chosen, exog, groups=who, family=sm.families.Binomial(), weights=None if bounded else weights)
        fit = model.fit(cov_type="bias_reduced" if bounded else "robust")
    estimate = np.asarray(fit.params)
    covariance = np.asarray(fit.cov_params())
    if not np.isfinite(estimate).all():
        raise AnswersError("answers", "strengths of the motions are not determined by these choices.")
    contrast = np.vstack([np.eye(count)[:1], np.column_stack([np.zeros(count), to_all])])  # the side, then all
    value = contrast @ estimate
    reach = stats.norm.ppf(0.975) * np.sqrt(np.einsum("ij,jk,ik->i", contrast, covariance, contrast))
    side = float(value[0]), float(value[0] - reach[0]), float(value[0] + reach[0])
    rows = value[1:].tolist(), (value - reach)[1:].tolist(), (value + reach)[1:].tolist()
    return rows, side, "" if bounded else HALF_COUNTS


def _pairs(table: pd.DataFrame, names: Sequence[str], *, tested: bool) -> tuple[PairPreference, ...]:
    """Return how people divide over every pair, with sign tests where they may be made."""
    key = [tuple(sorted(pair)) for pair in zip(table["stimulus"], table["other"], strict=True)]
    first = np.array([chosen == pair[0] for chosen, pair in zip(table["chosen"], key, strict=True)])
    votes = pd.Series(np.where(first, 1, -1)).groupby([pd.Series(key), table["participant"].to_numpy()]).sum()
    rows = []
    for pair in combinations(names, 2):
        own = votes[pair] if pair in votes.index.get_level_values(0) else pd.Series(dtype=int)
        ahead = int((own > 0).sum())
        behind = int((own < 0).sum())
        p_value = float(stats.binomtest(ahead, ahead + behind).pvalue) if tested and ahead + behind else None
        rows.append(PairPreference(*pair, ahead, behind, p_value))
    return with_holm(rows)
