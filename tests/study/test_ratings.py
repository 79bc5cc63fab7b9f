"""Ratings: means, correlations and mixed models with the right number of people."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
import statsmodels.api as sm
from scipy import stats

from strut.errors import AnswersError
from strut.study.answers import Answers
from strut.study.mixed import fit_logistic, mixed_choice, mixed_rating
from strut.study.ratings import (
    band,
    correlation_p,
    correlations,
    fisher_interval,
    one_sample,
    person_means,
    rating_means,
    sd_from_interval,
    within_participants,
)


def test_ratings_of_one_person_do_not_count_as_new_people(rated_answers):
    rows = {row.emotion: row for row in rating_means(rated_answers)}
    assert rows["happy"].n == 40  # and not the 80 ratings
    own = person_means(rated_answers, "pleasure")["happy"]
    oracle = stats.ttest_1samp(own, 0.0)
    assert rows["happy"].t == pytest.approx(oracle.statistic)
    assert rows["happy"].effect_size == pytest.approx(own.mean() / own.std(ddof=1))
    assert rows["happy"].undecided == 0
    assert rows["happy"].p_holm < 0.001
    assert rows["sad"].high < 0.0


def test_undecided_ratings_are_counted_and_left_out(rated_answers):
    table = rated_answers.table
    open_ones = table["pleasure"].mask(table["participant"] == "p0")
    rows = {row.emotion: row for row in rating_means(Answers(table.assign(pleasure=open_ones)))}
    assert (rows["sad"].n, rows["sad"].undecided) == (39, 2)


def test_a_unanimous_rating_has_a_mean_and_no_test():
    answers = Answers(pd.DataFrame({"participant": ["a", "b"], "trial": 1, "intended": "sad", "rating": 0.5}))
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
    oracle = stats.spearmanr(rated_answers.table["intended"].map(pleasure), rated_answers.table["pleasure"])
    assert found.r == pytest.approx(oracle.statistic)
    assert found.n == 240
    assert found.within_dof == 240 - 40 - 1
    assert found.within_r > found.r  # habits of people blur the correlation of the pooled answers


def test_the_correlation_within_participants_is_that_of_pingouin():
    rng = np.random.default_rng(8)
    who = np.repeat(np.arange(12), 7)
    factor = rng.normal(size=84)
    rating = 0.4 * factor + np.repeat(rng.normal(size=12), 7) + rng.normal(size=84)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # pingouin calls pandas in a way that will end one day
        table = pd.DataFrame({"who": who, "x": factor, "y": rating})
        oracle = pg.rm_corr(table, x="x", y="y", subject="who").iloc[0]
    r, dof, p_value = within_participants(factor, rating, who)
    assert (r, dof) == (pytest.approx(oracle["r"]), oracle["dof"])
    assert p_value == pytest.approx(oracle["pval"])
    assert within_participants(np.repeat(factor[:12], 7), rating, who) is None


def test_emotions_without_coordinates_correlate_with_nothing(rated_answers):
    renamed = rated_answers.table["intended"] + " thing"
    assert correlations(Answers(rated_answers.table.assign(intended=renamed))) == ()


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


def test_the_logistic_mixed_model_is_plain_logistic_regression_where_people_do_not_differ():
    rng = np.random.default_rng(11)
    shown = np.full((200, 3), 8.0)
    hits = rng.binomial(8, [0.8, 0.5, 0.3], size=(200, 3)).astype(float)
    answer = np.concatenate([np.repeat([1.0, 0.0], [n, 1600 - n]) for n in hits.sum(axis=0).astype(int)])
    emotion = np.repeat(np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 0.0, 1.0]]), 1600, axis=0)
    oracle = sm.Logit(answer, emotion).fit(disp=False)
    ours = fit_logistic(hits, shown)
    np.testing.assert_allclose(ours.estimate, oracle.params, atol=0.02)
    np.testing.assert_allclose(ours.standard_error, oracle.bse, rtol=0.05)
    assert ours.participant_sd < 0.25


def test_the_logistic_mixed_model_finds_what_people_were_made_of():
    rng = np.random.default_rng(12)
    habit = rng.normal(0.0, 1.0, size=(400, 1))
    chance = 1.0 / (1.0 + np.exp(-(habit + np.array([1.0, 0.0, -1.5]))))
    ours = fit_logistic(rng.binomial(10, chance).astype(float), np.full((400, 3), 10.0))
    assert np.abs((ours.estimate - [1.0, -1.0, -2.5]) / ours.standard_error).max() < 2.6
    assert ours.participant_sd == pytest.approx(1.0, abs=0.1)


def test_standard_errors_of_the_logistic_mixed_model_are_honest():
    rng, estimates, promised = np.random.default_rng(13), [], []
    for _ in range(40):
        chance = 1.0 / (1.0 + np.exp(-(rng.normal(0.0, 0.8, size=(40, 1)) + np.array([0.8, -0.4]))))
        fit = fit_logistic(rng.binomial(6, chance).astype(float), np.full((40, 2), 6.0))
        estimates.append(fit.estimate)
        promised.append(fit.standard_error)
    np.testing.assert_allclose(np.std(estimates, axis=0), np.mean(promised, axis=0), rtol=0.3)


def test_an_emotion_that_everybody_sees_has_no_finite_odds():
    with pytest.raises(AnswersError, match="odds are infinite"):
        fit_logistic(np.array([[4.0, 1.0], [4.0, 2.0]]), np.full((2, 2), 4.0))


def test_mixed_models_refuse_too_few_people():
    table = {"participant": ["a", "b"], "trial": 1, "intended": ["sad", "happy"], "rating": [0.1, 0.5]}
    answers = Answers(pd.DataFrame(table))
    with pytest.raises(AnswersError, match="a mixed model of rating needs three people"):
        mixed_rating(answers, "rating")


@pytest.mark.parametrize(("mean", "expected"), [(-0.34, -1), (-0.33, 0), (0.33, 0), (0.34, 1)])
def test_slider_means_fall_into_three_bands(mean, expected):
    assert band(mean, 0.33) == expected
