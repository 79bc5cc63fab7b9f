"""What cannot be judged is left out with its reason, and spoils nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from strut.study.report.statistics_text import methods_and_results
from strut.study.statistics.answers import Answers
from strut.study.statistics.confidence import analyse_confidence
from strut.study.statistics.group_effects import group_effects
from strut.study.statistics.rating_curves import rating_curves
from strut.study.statistics.study_statistics import study_statistics
from tests.study.null_data import (
    compared_pairs,
    grouped_ratings,
    groups_with_own_motions,
    guessed_answers,
    wandering_ratings,
)

SHARED = ["m0", "m1", "m2"]


def only(answers, group, motions):
    """Return pairs of which one group saw some motions alone."""
    table = answers.table
    seen = table["stimulus"].isin(motions) & table["other"].isin(motions)
    return Answers(table[seen | (table["group"] != group)])


def test_groups_that_see_different_motions_are_compared_by_those_that_all_saw():
    rng = np.random.default_rng(2)
    strengths = np.array([2.0, 1.0, 0.0, -1.0, -2.0])
    alike = compared_pairs(rng, people=24, strengths=strengths, groups=2, liking_sd=0.2)
    (effect,) = group_effects(only(alike, "g1", SHARED), rng, [])
    assert effect.n == (12, 12)
    assert effect.p_value > 0.05
    disjoint = only(only(alike, "g0", ["m0", "m1"]), "g1", ["m3", "m4"])
    left_out = []
    (effect,) = group_effects(disjoint, rng, left_out)
    assert (effect.p_value, effect.n) == (None, (0, 0))
    assert left_out == ["groups by preference: in a group, fewer than 3 people compared what all saw."]


def test_groups_that_prefer_other_motions_are_found_among_those_that_all_saw():
    rng = np.random.default_rng(2)
    answers = only(compared_pairs(rng, people=24, strengths=4.0 - 2.0 * np.arange(5), groups=2), "g1", SHARED)
    table = answers.table
    other = table["stimulus"].where(table["chosen"] == table["other"], table["other"])
    turned = Answers(table.assign(chosen=table["chosen"].where(table["group"] == "g0", other)))
    assert group_effects(turned, rng, [])[0].p_value < 0.05


def test_ratings_and_hits_of_groups_are_compared_by_the_motions_that_all_saw():
    rng = np.random.default_rng(3)
    answers = groups_with_own_motions(rng, own=2.0)
    found = group_effects(answers, rng, [])
    assert all(row.same_motions and row.p_holm > 0.05 for row in found)
    apart = answers.table[answers.table["stimulus"].str[-1] != "0"]
    found = group_effects(Answers(apart), rng, [])
    assert not any(row.same_motions for row in found)
    assert all(row.p_holm < 0.05 for row in found)
    _, results = methods_and_results(study_statistics(Answers(apart.drop(columns="factor_level"))))
    assert "the effect of the group is confounded with the motions" in results


def test_motions_that_nothing_links_have_no_strengths_and_that_is_said():
    answers = compared_pairs(np.random.default_rng(2), people=8)
    low = answers.table[["stimulus", "other"]].isin(["m0", "m1"])
    found = study_statistics(Answers(answers.table[low.all(axis=1) | ~low.any(axis=1)]))
    assert found.preferences is None
    assert found.left_out[0].startswith("strengths need comparisons that link all motions")


def test_a_rating_that_breaks_off_cuts_no_other_curve():
    rng = np.random.default_rng(4)
    left_out = []
    table = wandering_ratings(rng, people=8, stimuli=2, samples=31).table
    table.loc[0, "trace"] = "0 1 2"
    curves = rating_curves(Answers(table), rng, left_out)
    assert [(len(curve.time_s), curve.n) for curve in curves] == [(31, 7), (31, 8)]
    assert left_out == ["m0 by 0 (0.3 s): ratings over time that are clearly shorter than the others."]


def test_a_missing_confidence_leaves_the_others():
    answers = guessed_answers(np.random.default_rng(1), people=6, repeats=3)
    sure = np.random.default_rng(1).integers(1, 6, len(answers)).astype(float)
    sure[0] = np.nan
    found = analyse_confidence(Answers(answers.table.assign(confidence=sure)))
    assert found.n == 6
    assert np.isfinite([found.area, found.t, found.p_value]).all()


@pytest.mark.parametrize(
    ("rated", "reason"),
    [
        (lambda table: table.assign(pleasure=table["pleasure"].where(table["group"] == "g0", 0.5)), "all people of a"),
        (lambda table: table[(table["group"] == "g0") | table["participant"].isin(["1", "3"])], "a group has fewer"),
        (lambda table: table.assign(pleasure=table["pleasure"].where(table["group"] == "g0")), "fewer than two groups"),
    ],
)
def test_groups_that_cannot_be_tested_are_named_with_the_reason(rated, reason):
    rng = np.random.default_rng(3)
    left_out = []
    table = grouped_ratings(rng, people=12).table
    some = table["intended"].isin(["e1", "e2"])
    kept = rated(table[some]).combine_first(table[~some])
    found = group_effects(Answers(kept), rng, left_out)
    assert {row.emotion for row in found if row.p_value is not None} == {"e0", "e3", "e4"}
    assert len(left_out) == 1
    assert left_out[0].startswith(f"groups by pleasure of e1 and e2: {reason}")
