"""Preferences: choices between two motions, as strengths on one scale (Bradley and Terry, 1952).

The model is statsmodels' logistic regression of "the left one was chosen" on the two motions shown, with participants
as clusters (estimating equations, Mancl and DeRouen's covariance) and a constant for a preference of one side. No test
uses it: the test that motions differ reverses all choices of random participants, and only if it succeeds, single pairs
are tested by exact sign tests over participants.
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
MIN_PEOPLE = 6  # of five, the rarest reversal of signs has a probability of 6 %, above the level of 5 %
HALF_COUNTS = "some motions were always or never chosen, so half a choice for each motion of every pair was added"


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
    """How many participants chose the first motion of a pair more often than the second, and vice versa.

    `p_value` is that of an exact two-sided sign test over participants, `p_holm` is corrected for all pairs. Both are
    None if motions do not differ as a whole, or if the pair was not compared.
    """

    first: str
    second: str
    for_first: int
    for_second: int
    p_value: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True, slots=True)
class Preferences:
    """Strengths of the motions, the test that motions differ, and single pairs.

    `side` are the log odds of choosing the left one of two equal motions, with a 95 % interval.
    """

    strengths: tuple[Strength, ...]
    side: tuple[float, float, float]
    overall: Significance
    pairs: tuple[PairPreference, ...]
    note: str = ""

    @property
    def differ(self) -> bool:
        """Whether motions differ significantly."""
        return self.overall.p_value < ALPHA


def person_scores(answers: Answers, names: Sequence[str]) -> Array:
    """Return for each person and motion the number of wins minus losses. Shape (people, motions)."""
    table = answers.table
    participant = pd.factorize(answers.table["participant"])[0]
    scores = np.zeros((int(participant.max()) + 1, len(names)))
    left, right, chosen = (pd.Index(names).get_indexer(table[name]) for name in ("stimulus", "other", "chosen"))
    refused = np.where(chosen == left, right, left)
    np.add.at(scores, (participant, chosen), 1.0)
    np.add.at(scores, (participant, refused), -1.0)
    return scores


def any_difference(scores: Array, rng: np.random.Generator) -> Significance:
    """Test whether people prefer any motion to another. Shape (people, motions)."""

    def sum_of_squares(signs: Array) -> Array:
        return np.asarray(((signs @ scores) ** 2).sum(axis=-1))

    p_value, by_chance = sign_flips(len(scores), sum_of_squares, rng)
    return Significance(
        "choices of random participants reversed, sum of squared differences of wins and losses",
        float(sum_of_squares(np.ones(len(scores)))),
        p_value,
        len(scores),
        note=f"{len(by_chance)} reversals",
    )


def preferences(answers: Answers, rng: np.random.Generator) -> Preferences:
    """Return the preferences; raise AnswersError with fewer than six people or with unlinked comparisons."""
    table = answers.table
    names = sorted({*table["stimulus"], *table["other"]})
    people = table["participant"].nunique()
    if people < MIN_PEOPLE:
        raise AnswersError(
            "answers",
            f"preferences need {MIN_PEOPLE} people; {people} answered.",
        )
    wins = _wins(table, names)
    compared = wins + wins.T
    if connected_components(compared, directed=False)[0] > 1:
        reason = "strengths need comparisons that link all motions; some were never compared with the others."
        raise AnswersError("answers", reason)
    overall = any_difference(person_scores(answers, names), rng)
    (strength, low, high), side, note = _bradley_terry(table, names, wins)
    intended = _intended(table)
    rows = tuple(
        Strength(name, intended[name], won, times, won / times, strength[k], low[k], high[k])
        for k, name in enumerate(names)
        for won, times in [(int(wins[k].sum()), int(compared[k].sum()))]
    )
    ranked = tuple(sorted(rows, key=lambda row: -row.strength))
    return Preferences(ranked, side, overall, _pair_preferences(table, names, is_tested=overall.p_value < ALPHA), note)


def _intended(table: pd.DataFrame) -> dict[str, str]:
    """Return the intended emotion of each motion; the name of the motion if the table does not have it."""
    known = dict(zip(table["stimulus"], table["intended"], strict=True))
    if "intended_other" in table:
        known |= dict(zip(table["other"], table["intended_other"], strict=True))
    return {name: known.get(name, name) for name in {*table["stimulus"], *table["other"]}}


def _wins(table: pd.DataFrame, names: Sequence[str]) -> IntArray:
    """Return how often each motion was chosen over each other one. Shape (motions, motions)."""
    refused = table["other"].where(table["chosen"] == table["stimulus"], table["stimulus"])
    wins = np.zeros((len(names), len(names)), dtype=np.int64)
    np.add.at(wins, (pd.Index(names).get_indexer(table["chosen"]), pd.Index(names).get_indexer(refused)), 1)
    return wins


def _bradley_terry(
    table: pd.DataFrame, names: Sequence[str], wins: IntArray
) -> tuple[tuple[Array, Array, Array], tuple[float, float, float], str]:
    """Return strengths with their intervals, those of the left side, and a note on the fit.

    Strengths are finite if a chain of wins leads from every motion to every other one (L. R. Ford, 1957).
    """
    count = len(names)
    is_finite = connected_components(wins, connection="strong")[0] == 1
    left, right = (pd.Index(names).get_indexer(table[name]) for name in ("stimulus", "other"))
    chosen = (table["chosen"] == table["stimulus"]).to_numpy(float)
    participant = pd.factorize(table["participant"])[0]
    weights = np.ones(len(chosen))
    if not is_finite:
        pairs = np.argwhere(np.triu(wins + wins.T) > 0)
        left = np.concatenate([left, *[pairs[:, 0]] * 2])
        right = np.concatenate([right, *[pairs[:, 1]] * 2])
        chosen = np.concatenate([chosen, np.ones(len(pairs)), np.zeros(len(pairs))])
        participant = np.concatenate([participant, np.full(2 * len(pairs), -1)])
        weights = np.concatenate([weights, np.full(2 * len(pairs), 0.5)])
    to_all = np.vstack([np.eye(count - 1), -np.ones(count - 1)])  # strengths add up to 0
    exog = np.column_stack([np.ones(len(chosen)), to_all[left] - to_all[right]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of weights with clusters, which is intended; failures are raised below
        model = sm.GEE(
            chosen, exog, groups=participant, family=sm.families.Binomial(), weights=None if is_finite else weights
        )
        fit = model.fit(cov_type="bias_reduced" if is_finite else "robust")
    estimate = np.asarray(fit.params)
    covariance = np.asarray(fit.cov_params())
    if not np.isfinite(estimate).all():
        raise AnswersError("answers", "the choices do not determine strengths of the motions.")
    contrast = np.vstack([np.eye(count)[:1], np.column_stack([np.zeros(count), to_all])])  # the side, then all motions
    value = contrast @ estimate
    half_width = stats.norm.ppf(0.975) * np.sqrt(np.einsum("ij,jk,ik->i", contrast, covariance, contrast))
    side = float(value[0]), float(value[0] - half_width[0]), float(value[0] + half_width[0])
    rows = value[1:].tolist(), (value - half_width)[1:].tolist(), (value + half_width)[1:].tolist()
    return rows, side, "" if is_finite else HALF_COUNTS


def _pair_preferences(table: pd.DataFrame, names: Sequence[str], *, is_tested: bool) -> tuple[PairPreference, ...]:
    """Return the number of people for each motion of every pair, with sign tests if the overall test succeeded."""
    key = [tuple(sorted(pair)) for pair in zip(table["stimulus"], table["other"], strict=True)]
    first = np.array([chosen == pair[0] for chosen, pair in zip(table["chosen"], key, strict=True)])
    votes = pd.Series(np.where(first, 1, -1)).groupby([pd.Series(key), table["participant"].to_numpy()]).sum()
    rows = []
    for pair in combinations(names, 2):
        own = votes[pair] if pair in votes.index.get_level_values(0) else pd.Series(dtype=int)
        ahead = int((own > 0).sum())
        behind = int((own < 0).sum())
        p_value = float(stats.binomtest(ahead, ahead + behind).pvalue) if is_tested and ahead + behind else None
        rows.append(PairPreference(*pair, ahead, behind, p_value))
    return with_holm(rows)
