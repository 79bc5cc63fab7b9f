"""Statistics beside what a textbook or another program computes for the same small table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from numpy.testing import assert_allclose
from scipy import stats

from strut.study.statistics.answers import Answers
from strut.study.statistics.group_effects import group_effects
from strut.study.statistics.preferences import person_scores, preferences
from strut.study.statistics.rating_curves import rating_curves
from tests.study.null_data import compared_pairs


def chosen_once(wins_left: int, wins_right: int, people_each: int) -> Answers:
    """Return one comparison of two motions by each person; the first motion stands left for the first half."""
    rows = []
    for person in range(2 * people_each):
        is_left = person < people_each
        wins = person < wins_left if is_left else person - people_each < wins_right
        pair = ("a", "b") if is_left else ("b", "a")
        rows.append((str(person), person, pair[0], pair[1], "a" if wins else "b", "happy" if is_left else "sad"))
    columns = ["participant", "trial", "stimulus", "other", "chosen", "intended"]
    return Answers(pd.DataFrame(rows, columns=columns))


def test_strengths_of_two_motions_are_half_their_log_odds_with_the_interval_of_a_2_by_2_table():
    """Each side has its own log odds; by Mancl and DeRouen, residuals grow by n / (n - 1)."""
    n = 20
    found = preferences(chosen_once(15, 12, n), np.random.default_rng(0))
    shares = np.array([15 / n, 12 / n])
    odds = np.log(shares / (1.0 - shares))
    errors = n / (n - 1) / np.sqrt(n * shares * (1.0 - shares))
    first, second = found.strengths
    assert (first.stimulus, first.wins, first.compared, first.share) == ("a", 27, 40, 27 / 40)
    assert (second.stimulus, second.wins, second.compared) == ("b", 13, 40)
    assert first.strength == pytest.approx(odds.mean() / 2.0, abs=1e-6)
    assert second.strength == pytest.approx(-first.strength)
    error = np.hypot(*errors) / 4.0
    assert_allclose([first.low, first.high], first.strength + 1.959964 * error * np.array([-1.0, 1.0]), atol=1e-5)
    side, low, high = found.side
    assert side == pytest.approx((odds[0] - odds[1]) / 2.0, abs=1e-6)
    assert_allclose([low, high], side + 1.959964 * np.hypot(*errors) / 2.0 * np.array([-1.0, 1.0]), atol=1e-5)


def test_people_who_prefer_a_motion_are_counted_pair_by_pair_and_tested_by_signs():
    (pair,) = preferences(chosen_once(19, 18, 20), np.random.default_rng(0)).pairs
    assert (pair.first, pair.second, pair.for_first, pair.for_second) == ("a", "b", 37, 3)
    assert pair.p_value == pytest.approx(stats.binomtest(37, 40).pvalue)
    assert pair.p_holm == pair.p_value


def test_strengths_of_more_motions_are_those_of_a_logistic_regression():
    answers = compared_pairs(np.random.default_rng(5), people=40, strengths=np.array([1.0, 0.5, 0.0, -0.5, -1.0]))
    table = answers.table
    columns = np.zeros((len(table), 6))
    columns[:, 5] = 1.0
    columns[np.arange(len(table)), table["stimulus"].str[1].astype(int)] += 1.0
    columns[np.arange(len(table)), table["other"].str[1].astype(int)] -= 1.0
    plain = sm.Logit(table["chosen"] == table["stimulus"], columns[:, [1, 2, 3, 4, 5]]).fit(disp=False)
    expected = np.append(0.0, plain.params[:4])
    found = preferences(answers, np.random.default_rng(0))
    strengths = {row.stimulus: row.strength for row in found.strengths}
    assert_allclose([strengths[f"m{k}"] for k in range(5)], expected - expected.mean(), atol=1e-4)
    assert found.side[0] == pytest.approx(plain.params.iloc[4], abs=1e-4)
    assert [row.strength for row in found.strengths] == sorted(strengths.values(), reverse=True)


def test_scores_are_wins_minus_losses_of_each_person():
    table = pd.DataFrame(
        [("p", "a", "b", "a"), ("p", "c", "a", "a"), ("q", "b", "c", "c")],
        columns=["participant", "stimulus", "other", "chosen"],
    ).assign(intended="sad")
    assert_allclose(person_scores(Answers(table), ["a", "b", "c"]), [[2, -1, -1], [0, -1, 1]])


def test_groups_are_compared_by_the_variance_of_their_mean_scores():
    answers = compared_pairs(np.random.default_rng(1), people=12, groups=2)
    scores = person_scores(answers, [f"m{k}" for k in range(5)])
    group = np.arange(12) % 2
    means = np.array([scores[group == k].mean(axis=0) for k in range(2)])
    expected = 6 * ((means - scores.mean(axis=0)) ** 2).sum()
    (effect,) = group_effects(answers, np.random.default_rng(0), [])
    assert (effect.groups, effect.n, effect.emotion) == (("g0", "g1"), (6, 6), "all")
    assert effect.statistic == pytest.approx(expected)
    assert effect.p_value > 0.05


def test_groups_of_unequal_size_that_prefer_opposite_motions_differ():
    likes = np.array([2.0, 1.0, 0.0, -1.0, -2.0])
    parts = [
        compared_pairs(np.random.default_rng(k), people=people, strengths=sign * likes).table.assign(group=f"g{k}")
        for k, (people, sign) in enumerate([(4, 1.0), (9, -1.0)])
    ]
    parts[1]["participant"] = "q" + parts[1]["participant"]
    answers = Answers(pd.concat(parts, ignore_index=True))
    scores = person_scores(answers, [f"m{k}" for k in range(5)])
    means = [scores[:4].mean(axis=0), scores[4:].mean(axis=0)]
    expected = sum(n * ((mean - scores.mean(axis=0)) ** 2).sum() for n, mean in zip((4, 9), means, strict=True))
    (effect,) = group_effects(answers, np.random.default_rng(0), [])
    assert effect.n == (4, 9)
    assert effect.statistic == pytest.approx(expected)
    assert effect.p_value < 0.01


@pytest.fixture(scope="module")
def curve():
    """Return the curve of ratings that are 0 for a second, high for a second, and low for half a second."""
    rng = np.random.default_rng(3)
    level = np.repeat([0, 80, -70], [10, 10, 5])
    rows = [
        (str(person), "m", "happy", " ".join(map(str, level + rng.integers(-6, 7, 25))), 10.0) for person in range(12)
    ]
    table = pd.DataFrame(rows, columns=["participant", "stimulus", "intended", "trace", "trace_hz"])
    (found,) = rating_curves(Answers(table), rng, [])
    return table, found


def test_ratings_over_time_are_off_the_middle_from_the_first_to_the_last_instant_of_each_part(curve):
    _, found = curve
    assert [pytest.approx(part) for part in found.off_middle] == [(1.0, 1.9, 1), (2.0, 2.4, -1)]
    assert (found.stimulus, found.intended, found.n) == ("m", "happy", 12)
    assert found.p_value < 0.01


def test_the_band_of_ratings_is_a_multiple_of_their_standard_error_about_their_mean(curve):
    table, found = curve
    values = np.array([np.array(text.split(), dtype=float) / 100.0 for text in table["trace"]])
    assert_allclose(found.time_s, np.arange(25) / 10.0)
    assert_allclose(found.mean, values.mean(axis=0))
    error = stats.sem(values, axis=0)
    widths = (np.array(found.high) - found.low) / 2.0 / error
    assert_allclose(widths, widths[0], rtol=1e-9)
    assert_allclose((np.array(found.high) + found.low) / 2.0, found.mean, atol=1e-12)
    pointwise = stats.t.ppf(0.975, 11)
    assert pointwise < widths[0] < stats.t.ppf(1.0 - 0.025 / 25 / 2, 11)  # wider than for one instant


def test_two_ratings_of_one_person_are_averaged_before_people_are():
    rows = [(str(p), "m", "sad", f"{10 * p} {10 * p}", 5.0) for p in range(6)]
    rows += [("0", "m", "sad", "60 60", 5.0)]
    table = pd.DataFrame(rows, columns=["participant", "stimulus", "intended", "trace", "trace_hz"])
    (found,) = rating_curves(Answers(table), np.random.default_rng(0), [])
    assert_allclose(found.mean, np.mean([0.3, 0.1, 0.2, 0.3, 0.4, 0.5]))
    assert_allclose(found.time_s, [0.0, 0.2])
    assert found.n == 6
