"""Intervals of hit rates: how often they cover the truth when people differ, and what they are when people do not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from strut.study.statistics.hit_rate import hit_rate_interval
from strut.study.statistics.significance import wilson_interval
from tests.study.null_data import hits_of_different_people


def coverage(interval, rate, *, person_sd, people, answers, sets=150, seed=4):
    """Return the share of simulated studies whose interval holds the rate of the population."""
    rng = np.random.default_rng(seed)
    covered = 0
    for _ in range(sets):
        hits = hits_of_different_people(rng, rate, person_sd=person_sd, people=people, answers=answers)
        low, high = interval(hits, np.full(people, answers))
        covered += low <= rate <= high
    return covered / sets


@pytest.mark.parametrize(
    ("rate", "person_sd", "people", "answers"),
    [(0.5, 0.25, 20, 10), (0.5, 0.0, 12, 10), (0.1, 0.2, 8, 30), (0.95, 0.1, 20, 30), (0.95, 0.2, 8, 30)],
)
def test_intervals_cover_the_rate_of_the_population_however_people_differ(rate, person_sd, people, answers):
    covered = coverage(hit_rate_interval, rate, person_sd=person_sd, people=people, answers=answers)
    assert covered >= 0.93 - 2.0 * np.sqrt(0.93 * 0.07 / 150)


def test_an_interval_that_ignores_people_covers_the_truth_too_rarely():
    def ignoring_people(hits, shown):
        return wilson_interval(int(hits.sum()), int(shown.sum()))

    assert coverage(ignoring_people, 0.5, person_sd=0.25, people=20, answers=10, sets=400) < 0.85


def test_people_who_answer_once_are_as_many_independent_answers():
    hits = np.repeat([1, 0], [18, 12])
    low, high = hit_rate_interval(hits, np.ones(30, dtype=np.int64))
    exact = stats.binomtest(18, 30).proportion_ci()  # Clopper and Pearson
    assert low == pytest.approx(exact.low, abs=0.015)
    assert high == pytest.approx(exact.high, abs=0.015)
    assert low < stats.beta(19, 13).ppf(0.025) < stats.beta(19, 13).ppf(0.975) < high


def test_people_who_differ_widen_the_interval():
    shown = np.full(12, 10)
    alike = hit_rate_interval(np.full(12, 5), shown)
    apart = hit_rate_interval(np.repeat([0, 10], 6), shown)
    assert apart[1] - apart[0] > 2.0 * (alike[1] - alike[0])


@pytest.mark.parametrize(("hits", "end"), [(0, 0), (10, 1)])
def test_all_hits_or_none_leave_room_for_people_who_were_not_asked(hits, end):
    interval = hit_rate_interval(np.full(10, hits), np.full(10, 10))
    assert interval[end] == end
    width = interval[1] - interval[0]
    assert width > np.ptp(stats.binomtest(0, 100).proportion_ci())  # that of 100 people
    assert width < np.ptp(stats.binomtest(0, 10).proportion_ci())  # that of 10 answers


def test_people_may_answer_differently_often():
    low, high = hit_rate_interval(np.array([1, 12, 0, 7]), np.array([2, 20, 1, 9]))
    assert 0.0 < low < 20 / 32 < high < 1.0


@pytest.mark.parametrize("hits", [[0, 1, 5, 9, 10, 10], [3, 4, 5, 5, 6, 7], [0, 0, 10, 10]])
def test_an_interval_is_at_least_that_of_as_many_answers_as_the_spread_of_people_is_worth(hits):
    """Clopper and Pearson's for n p (1 - p) / variance answers, fewer where people are few (Korn & Graubard, 1998)."""
    counts = np.array(hits)
    people = len(counts)
    answers = 10 * people
    rate = counts.sum() / answers
    variance = counts.var(ddof=1) / 100.0 / people  # of the mean over people
    few = stats.t.ppf(0.975, answers - 1) / stats.t.ppf(0.975, people - 1)
    effective = min(rate * (1.0 - rate) / variance * few**2, answers)
    k = rate * effective
    low = stats.beta.ppf(0.025, k, effective - k + 1.0)
    high = stats.beta.ppf(0.975, k + 1.0, effective - k)
    found = hit_rate_interval(counts, np.full(people, 10))
    assert found[0] <= low + 1e-9
    assert found[1] >= high - 1e-9
    assert found[1] - found[0] < 1.25 * (high - low) + 0.05  # and not much wider
