"""Ratings: means, correlations and mixed models with the right number of people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from strut.errors import AnswersError
from strut.study.answers import Answers
from strut.study.correlation import correlation_p, correlations, fisher_interval
from strut.study.mixed import mixed_choice, mixed_rating
from strut.study.ratings import band, one_sample, per_person_means, rating_means, sd_from_interval


def test_ratings_of_one_person_do_not_count_as_new_people(rated_answers):
    rows = {row.emotion: row for row in rating_means(rated_answers)}
    assert rows["happy"].n == 40  # and not the 80 ratings
    own, undecided = per_person_means(rated_answers, rated_answers.ratings["pleasure"], "happy")
    oracle = stats.ttest_1samp(own, 0.0)
    assert rows["happy"].t == pytest.approx(oracle.statistic)
    assert rows["happy"].effect_size == pytest.approx(own.mean() / own.std(ddof=1))
    assert undecided == 0
    assert rows["happy"].p_holm < 0.001
    assert rows["sad"].high < 0.0


def test_undecided_ratings_are_counted_and_left_out(rated_answers):
    values = rated_answers.ratings["pleasure"].copy()
    values[:6] = np.nan  # everything the first participant said
    rows = {row.emotion: row for row in rating_means(replace(rated_answers, ratings={"pleasure": values}))}
    assert (rows["sad"].n, rows["sad"].undecided) == (39, 2)


def test_a_unanimous_rating_has_a_mean_and_no_test():
    answers = Answers(("a", "b"), np.ones(2), np.ones(2), ("sad", "sad"), ratings={"rating": np.array([0.5, 0.5])})
    (row,) = rating_means(answers)
    assert (row.mean, row.p_value, row.effect_size) == (0.5, None, None)


def test_a_summary_gives_back_its_own_interval():
    sd = sd_from_interval(-0.74, -0.44, 30)
    _, p_value, interval = one_sample(-0.59, sd, 30)
    assert interval == (pytest.approx(-0.74), pytest.approx(-0.44))
    assert p_value < 1e-6


def test_pepper_direct_gaze_is_not_significant_with_the_right_n():  # erratum P26
    assert correlation_p(0.12, 240, "greater") == pytest.approx(0.03, abs=0.005)
    assert correlation_p(0.12, 120, "greater") == pytest.approx(0.096, abs=5e-4)
    assert correlation_p(0.12, 120) == pytest.approx(0.19, abs=5e-3)
    low, high = fisher_interval(0.12, 120)
    assert low < 0.0 < high


def test_correlation_p_is_that_of_scipy():
    rng = np.random.default_rng(2)
    x = rng.normal(size=50)
    y = x + rng.normal(size=50) * 2.0
    oracle = stats.pearsonr(x, y)
    assert correlation_p(oracle.statistic, 50) == pytest.approx(oracle.pvalue)
    ci = oracle.confidence_interval()
    assert fisher_interval(oracle.statistic, 50) == (pytest.approx(ci.low), pytest.approx(ci.high))


def test_ratings_follow_the_intended_pleasure(rated_answers):
    rows = {row.factor: row for row in correlations(rated_answers)}
    found = rows["intended pleasure"]
    pleasure = {"neutral": 0.0, "happy": 0.81, "sad": -0.63}
    oracle = stats.spearmanr([pleasure[name] for name in rated_answers.intended], rated_answers.ratings["pleasure"])
    assert found.r == pytest.approx(oracle.statistic)
    assert found.n == 240
    assert found.within_dof == 240 - 40 - 1
    assert found.within_r > found.r  # habits of people blur the correlation of the pooled answers


def test_emotions_without_coordinates_correlate_with_nothing(rated_answers):
    renamed = tuple(f"{name} thing" for name in rated_answers.intended)
    assert correlations(replace(rated_answers, intended=renamed, stimulus=renamed)) == ()


def test_the_mixed_model_finds_emotion_and_habit(rated_answers):
    model = mixed_rating(rated_answers, "pleasure")
    terms = {term.name: term for term in model.terms}
    assert terms["happy"].low < 0.5 < terms["happy"].high
    assert terms["sad"].low < -0.4 < terms["sad"].high
    assert model.reference == "neutral"
    assert model.participant_sd == pytest.approx(0.2, abs=0.07)
    assert model.residual_sd == pytest.approx(0.3, abs=0.03)
    assert model.p_value < 1e-10


def test_the_mixed_model_of_choices_orders_the_emotions(quadruped_answers):
    terms = {term.name: term.estimate for term in mixed_choice(quadruped_answers).terms}
    assert terms["sad"] < terms["anger"] < terms["happy"] < 0.0  # neutral, the reference, was recognised best


def test_mixed_models_refuse_too_few_people():
    answers = Answers(("a", "b"), np.ones(2), np.ones(2), ("sad", "happy"), ratings={"rating": np.array([0.1, 0.5])})
    with pytest.raises(AnswersError, match="too few"):
        mixed_rating(answers, "rating")


@pytest.mark.parametrize(("mean", "expected"), [(-0.34, -1), (-0.33, 0), (0.33, 0), (0.34, 1)])
def test_slider_means_fall_into_three_bands(mean, expected):
    assert band(mean, 0.33) == expected
