"""Group effects: differences between groups of participants (between subjects).

The means of participants are compared, so that the answers of one person do not count as those of several. Hits and
ratings of each emotion are compared by Welch's analysis of variance (pingouin), which does not need equal variances;
preferences are compared as a whole by a permutation test that assigns participants to random groups. If groups saw
different motions, only motions that all groups saw are compared. If no motion of an emotion was seen by all groups,
all answers to the emotion are compared, and `same_motions` is False.
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
_MIN_PEOPLE = 3  # in each group


@dataclass(frozen=True, slots=True)
class GroupEffect:
    """One measure of one emotion in each group: means over people, how many they are, and the test.

    `statistic` is F with `dof`; for preferences it is the variance between groups, without degrees of freedom. None
    means that the effect cannot be tested. `p_holm` is corrected for all effects of the study. Without `same_motions`
    the groups saw different motions of the emotion, so that the effect of the group is confounded with the motions.
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
    """Return the differences between groups, none without groups; `left_out` gets what is not tested, and why."""
    if "group" not in answers.table or answers.table["group"].nunique() < 2:
        return ()
    return with_holm([_preference(answers, rng, left_out)] if answers.are_pairs else _measures(answers, left_out))


def _measures(answers: Answers, left_out: list[str]) -> list[GroupEffect]:
    table, measures = answers.measures
    effects = []
    for measure in measures:
        untested: dict[str, list[str]] = {}
        for emotion in answers.emotions:
            rated = table[table["intended"] == emotion].dropna(subset=measure)
            common = rated[_shown_to_all(rated)]
            compared = rated if common.empty else common
            means = compared.groupby(["participant", "group"], as_index=False)[measure].mean()
            means = means.rename(columns={measure: "value"})
            reason = _why_untestable(means)
            if reason:
                untested.setdefault(reason, []).append(emotion)
            if means["group"].nunique() > 1:
                effect = _compare(means, measure, emotion, is_tested=not reason)
                effects.append(replace(effect, same_motions=not common.empty))
        name = measure.replace("_", " ")
        left_out += [f"groups by {name} of {' and '.join(names)}: {reason}." for reason, names in untested.items()]
    return effects


def _shown_to_all(table: pd.DataFrame) -> pd.Series:
    """Return for each answer whether every group saw the motion."""
    groups = table.groupby("stimulus")["group"].transform("nunique")
    return groups == table["group"].nunique()


def _why_untestable(means: pd.DataFrame) -> str:
    """Return why the means of participants (`value`) cannot be compared between groups; empty if they can."""
    groups = means.groupby("group")["value"]
    if groups.ngroups < 2:
        return "fewer than two groups answered"
    if groups.count().min() < _MIN_PEOPLE:
        return f"a group has fewer than {_MIN_PEOPLE} people"
    return "all people of a group have the same mean" if groups.var().min() < 1e-12 else ""


def _compare(means: pd.DataFrame, measure: str, emotion: str, *, is_tested: bool) -> GroupEffect:
    """Compare one measure of one emotion between groups, from the means of participants (`value`) and their `group`."""
    import pingouin as pg  # noqa: PLC0415  (with the plots that it can draw, it takes a second to load)

    groups = means.groupby("group")["value"]
    effect = GroupEffect(
        measure, emotion, tuple(groups.groups), tuple(map(int, groups.count())), tuple(map(float, groups.mean()))
    )
    if not is_tested:
        return effect
    row = pg.welch_anova(data=means, dv="value", between="group").iloc[0]
    dof = float(row["ddof1"]), float(row["ddof2"])
    return replace(effect, statistic=float(row["F"]), dof=dof, p_value=float(row["p_unc"]))


def _shared_comparisons(answers: Answers) -> Answers:
    """Return the comparisons of motions that all groups saw, by participants who compared every pair of them.

    For a participant who compared fewer pairs, the sums of choices differ from those of others without any preference.
    If all groups saw the same motions, all comparisons are returned.
    """
    table = answers.table
    motions = [{*own["stimulus"], *own["other"]} for _, own in table.groupby("group")]
    common = set.intersection(*motions)
    if all(own == common for own in motions):
        return answers
    table = table[table["stimulus"].isin(common) & table["other"].isin(common)]
    pair = pd.Series(list(map(frozenset, zip(table["stimulus"], table["other"], strict=True))), table.index, object)
    compared = pair.groupby(table["participant"]).transform("nunique")
    return replace(answers, table=table[compared == pair.nunique()])


def _preference(answers: Answers, rng: np.random.Generator, left_out: list[str]) -> GroupEffect:
    """Test whether groups prefer different motions, all motions together."""
    labels = np.unique(answers.table["group"].astype(str))
    answers = _shared_comparisons(answers)
    people = answers.table.groupby("participant", sort=False)["group"].first().astype(str)
    number = np.searchsorted(labels, people.to_numpy(str))
    count = np.bincount(number, minlength=len(labels))
    effect = GroupEffect(PREFERENCE, "all", tuple(labels.tolist()), tuple(count.tolist()), ())
    if count.min() < _MIN_PEOPLE:
        left_out.append(f"groups by preference: in a group, fewer than {_MIN_PEOPLE} people compared what all saw.")
        return effect
    scores = person_scores(answers, sorted({*answers.table["stimulus"], *answers.table["other"]}))

    def variance_between(group_numbers: Array, axis: int = -1) -> Array:
        groups = np.moveaxis(group_numbers, axis, -1).astype(int)
        means = np.stack([((groups == k)[..., None] * scores).sum(axis=-2) / count[k] for k in range(len(count))])
        spread = (means - scores.mean(axis=0)) ** 2
        return np.asarray((spread.sum(axis=-1) * count.reshape(-1, *[1] * (spread.ndim - 2))).sum(axis=0))

    result = stats.permutation_test(
        (number.astype(float),),
        variance_between,
        permutation_type="pairings",
        vectorized=True,
        n_resamples=4999,
        batch=500,
        alternative="greater",
        rng=rng,
    )
    return replace(effect, statistic=float(result.statistic), p_value=float(result.pvalue))
