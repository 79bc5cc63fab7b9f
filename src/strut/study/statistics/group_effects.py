"""Group effects: whether people of one group answer otherwise than those of another.

Everybody's own means are compared, so that answers of one person are not taken for several people. Hits and ratings of
each emotion are compared by Welch's analysis of variance (pingouin), which needs no equal spread; preferences, as a
whole, by giving people's choices to random groups. Where groups saw different motions, those that all saw are compared;
hits and ratings of an emotion that no motion shows to all are compared as they are, and the effect says so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy import stats

from strut.arrays import Array
from strut.study.statistics.answers import Answers
from strut.study.statistics.preferences import person_scores
from strut.study.statistics.significance import with_holm

PREFERENCE = "preference"
_FEWEST_PEOPLE = 3  # in each group


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """One measure of one emotion in each group: means over people, how many they are, and the test.

    `statistic` is F with `dof`, or, of preferences, the spread between groups without degrees of freedom. What cannot
    be tested is None. `p_holm` corrects for all effects of the study. Without `same_motions` groups saw nothing of
    the emotion in common, so that groups and motions cannot be told apart.
    """

    measure: str
    emotion: str
    groups: tuple[str, ...]
    n: tuple[int, ...]
    means: tuple[float, ...]
    statistic: float | None = None
    dof: tuple[float, ...] = ()
    p_value: float | None = None
    p_holm: float | None = None
    same_motions: bool = True


def group_effects(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> tuple[GroupEffect, ...]:
    """Return what differs between groups, nothing where there are none; `left_out` gets what is not tested, and why."""
    if "group" not in answers.table or answers.table["group"].nunique() < 2:
        return ()
    return with_holm([_preference(answers, rng, left_out)] if answers.are_pairs else _measures(answers, left_out))


def _measures(answers: Answers, left_out: list[str]) -> list[GroupEffect]:
    table, measures = answers.measures
    found = []
    for measure in measures:
        untested: dict[str, list[str]] = {}
        for emotion in answers.emotions:
            rated = table[table["intended"] == emotion].dropna(subset=measure)
            common = rated[_shown_to_all(rated)]
            own = (rated if common.empty else common).groupby(["participant", "group"], as_index=False)[measure].mean()
            own = own.rename(columns={measure: "value"})
            reason = _untestable(own)
            if reason:
                untested.setdefault(reason, []).append(emotion)
            if own["group"].nunique() > 1:
                effect = _compared(own, measure, emotion, tested=not reason)
                found.append(replace(effect, same_motions=not common.empty))
        name = measure.replace("_", " ")
        left_out += [f"groups by {name} of {' and '.join(names)}: {reason}." for reason, names in untested.items()]
    return found


def _shown_to_all(table: pd.DataFrame) -> pd.Series:
    """Return which answers are to motions that every group saw."""
    groups = table.groupby("stimulus")["group"].transform("nunique")
    return groups == table["group"].nunique()


def _untestable(own: pd.DataFrame) -> str:
    """Return why everybody's own means (`value`) cannot be compared between groups; nothing where they can."""
    groups = own.groupby("group")["value"]
    if groups.ngroups < 2:
        return "fewer than two groups answered"
    if groups.count().min() < _FEWEST_PEOPLE:
        return f"a group has fewer than {_FEWEST_PEOPLE} people"
    return "all people of a group have the same mean" if groups.var().min() < 1e-12 else ""


def _compared(own: pd.DataFrame, measure: str, emotion: str, *, tested: bool) -> GroupEffect:
    """Return one measure of one emotion, from everybody's own mean (`value`) and `group`."""
    import pingouin as pg  # noqa: PLC0415  (with the plots that it can draw, it takes a second to load)

    groups = own.groupby("group")["value"]
    effect = GroupEffect(
        measure, emotion, tuple(groups.groups), tuple(map(int, groups.count())), tuple(map(float, groups.mean()))
    )
    if not tested:
        return effect
    row = pg.welch_anova(data=own, dv="value", between="group").iloc[0]
    dof = float(row["ddof1"]), float(row["ddof2"])
    return replace(effect, statistic=float(row["F"]), dof=dof, p_value=float(row["p_unc"]))


def _shared(answers: Answers) -> Answers:
    """Return comparisons that tell groups apart: where groups saw different motions, those of motions that all saw.

    Of these, only people count who compared every pair: with fewer, sums of choices differ without any preference.
    """
    table = answers.table
    seen = [{*own["stimulus"], *own["other"]} for _, own in table.groupby("group")]
    common = set.intersection(*seen)
    if all(own == common for own in seen):
        return answers
    table = table[table["stimulus"].isin(common) & table["other"].isin(common)]
    pair = pd.Series(list(map(frozenset, zip(table["stimulus"], table["other"], strict=True))), table.index, object)
    compared = pair.groupby(table["participant"]).transform("nunique")
    return replace(answers, table=table[compared == pair.nunique()])


def _preference(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> GroupEffect:
    """Return whether groups prefer other motions, as a whole."""
    labels = np.unique(answers.table["group"].astype(str))
    answers = _shared(answers)
    people = answers.table.groupby("participant", sort=False)["group"].first().astype(str)
    number = np.searchsorted(labels, people.to_numpy(str))
    count = np.bincount(number, minlength=len(labels))
    effect = GroupEffect(PREFERENCE, "all", tuple(labels.tolist()), tuple(count.tolist()), ())
    if count.min() < _FEWEST_PEOPLE:
        left_out.append(f"groups by preference: in a group, fewer than {_FEWEST_PEOPLE} people compared what all saw.")
        return effect
    scores = person_scores(answers, sorted({*answers.table["stimulus"], *answers.table["other"]}))

    def between(given: Array, axis: int = -1) -> Array:
        places = np.moveaxis(given, axis, -1).astype(int)
        means = np.stack([((places == k)[..., None] * scores).sum(axis=-2) / count[k] for k in range(len(count))])
        spread = (means - scores.mean(axis=0)) ** 2
        return np.asarray((spread.sum(axis=-1) * count.reshape(-1, *[1] * (spread.ndim - 2))).sum(axis=0))

    result = stats.permutation_test(
        (number.astype(float),),
        between,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=4999,
        batch=500,
        alternative="greater",
        rng=rng,
    )
    return replace(effect, statistic=float(result.statistic), p_value=float(result.pvalue))
