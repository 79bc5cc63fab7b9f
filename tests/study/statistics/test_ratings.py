"""Ratings: means, correlations and mixed models with the right number of people."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats

from strut.errors import AnswersError
from strut.study.statistics.answers import Answers
from strut.study.statistics.logistic_model import fit_logistic
from strut.study.statistics.mixed import mixed_choice, mixed_rating
from strut.study.statistics.ratings import correlations, one_sample, person_means, rating_means, sd_from_interval
from strut.study.statistics.study_statistics import study_statistics
from tests.study.null_data import indifferent_ratings


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


def test_equal_ratings_have_no_test_where_their_mean_is_rounded():
    table = {"participant": [f"p{k}" for k in range(10) for _ in range(3)], "trial": [1, 2, 3] * 10, "intended": "sad"}
    for rating in (0.1, 0.7, 1.0 / 3.0):
        (row,) = rating_means(Answers(pd.DataFrame({**table, "rating": rating})))
        assert (row.p_value, row.effect_size) == (None, None)


def test_a_summary_gives_back_its_own_interval():
    sd = sd_from_interval(-0.74, -0.44, 30)
    _, p_value, interval = one_sample(-0.59, sd, 30)
    assert interval == (pytest.approx(-0.74), pytest.approx(-0.44))
    assert p_value < 1e-6


def test_ratings_follow_a_factor_of_the_stimuli():
    rng = np.random.default_rng(1)
    answers = indifferent_ratings(rng, emotions=3, motions=4, stimulus_sd=0.1, slope_sd=0.1)
    answers = Answers(answers.table.drop(columns="factor_level"))
    levels = {name: k / 10 for k, name in enumerate(sorted(answers.table["stimulus"].unique()))}
    factor = answers.table["stimulus"].map(levels)
    table = answers.table.assign(factor_speed=factor, pleasure=answers.table["pleasure"] + 1.5 * factor)
    (row,) = correlations(Answers(table), [])
    means = table.groupby("stimulus")[["factor_speed", "pleasure"]].mean()
    assert row.n == 12
    assert row.r == pytest.approx(stats.spearmanr(means["factor_speed"], means["pleasure"]).statistic)
    assert row.low < 1.5 * factor.std(ddof=0) < row.high
    assert row.dof < 12  # stimuli count, not answers
    assert row.p_holm < 0.001


def test_a_factor_of_too_few_stimuli_is_named_as_left_out(rated_answers):
    left_out = []
    assert correlations(rated_answers, left_out) == ()
    assert left_out[0] == "pleasure against intended pleasure: it takes 4 stimuli and 3 people."


@pytest.mark.parametrize(("motions", "stimulus_sd"), [(1, 0.0), (3, 0.2)])
def test_slopes_of_people_and_motions_do_not_pass_for_the_emotion(motions, stimulus_sd):
    rng = np.random.default_rng(5)
    made = [indifferent_ratings(rng, motions=motions, slope_sd=0.2, stimulus_sd=stimulus_sd) for _ in range(25)]
    false = np.mean([mixed_rating(answers, "pleasure").p_value < 0.05 for answers in made])
    assert false <= 0.16  # 5 % expected; intercepts alone give 13 to 22 % (benchmarks/bench_study_null.py: 1000 each)


def test_the_linear_mixed_model_is_that_of_statsmodels_where_both_fit_it(rated_answers):
    table = rated_answers.table.assign(stimulus="one")
    ours = mixed_rating(Answers(table), "pleasure")
    model = smf.mixedlm(
        "pleasure ~ C(intended, Treatment('neutral'))", table, groups=table["participant"],
        vc_formula={"slope": "0 + C(intended)"}, re_formula="1",
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = model.fit(reml=True)
    np.testing.assert_allclose([term.estimate for term in ours.terms], oracle.fe_params, atol=1e-6)
    np.testing.assert_allclose([term.standard_error for term in ours.terms], oracle.bse_fe, rtol=2e-3)
    assert ours.sds["participant"] == pytest.approx(np.sqrt(oracle.cov_re.iloc[0, 0]), abs=2e-3)


def test_degrees_of_freedom_are_those_of_the_repeated_measures_anova():  # balanced: Satterthwaite is exact
    answers = indifferent_ratings(np.random.default_rng(3), slope_sd=0.2)
    model = mixed_rating(answers, "pleasure")
    means = answers.table.groupby(["participant", "intended"])["pleasure"].mean().reset_index()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = pg.rm_anova(means, dv="pleasure", within="intended", subject="participant").iloc[0]
    assert model.dof == (pytest.approx(4), pytest.approx(76, rel=1e-3))
    assert model.statistic == pytest.approx(oracle["F"], rel=1e-4)


def test_a_model_says_what_the_design_cannot_tell_apart(rated_answers):
    assert "(1 | participant:emotion)" in mixed_rating(rated_answers, "pleasure").name
    assert "holds for these motions" in mixed_rating(rated_answers, "pleasure").note
    once = indifferent_ratings(np.random.default_rng(0), times=1)
    assert "participant:emotion" not in mixed_rating(once, "pleasure").name
    crossed = mixed_rating(indifferent_ratings(np.random.default_rng(0), motions=3), "pleasure")
    assert "(1 | stimulus)" in crossed.name
    assert crossed.note == ""


def test_hits_on_several_motions_of_an_emotion_are_crossed_with_people():
    answers = indifferent_ratings(np.random.default_rng(2), motions=3)
    seen = np.where(answers.table["pleasure"] > 0.1, answers.table["intended"], "other")
    model = mixed_choice(Answers(answers.table.drop(columns="pleasure").assign(perceived=seen)))
    assert model.outcome == "the share of hits"
    assert "(1 | stimulus)" in model.name


def test_emotions_without_coordinates_correlate_with_nothing(rated_answers):
    renamed = rated_answers.table["intended"] + " thing"
    assert correlations(Answers(rated_answers.table.assign(intended=renamed)), []) == ()


def test_the_mixed_model_finds_emotion_and_habit(rated_answers):
    model = mixed_rating(rated_answers, "pleasure")
    terms = {term.name: term for term in model.terms}
    assert terms["happy"].low < 0.5 < terms["happy"].high
    assert terms["sad"].low < -0.4 < terms["sad"].high
    assert model.reference == "neutral"
    assert model.sds["participant"] == pytest.approx(0.2, abs=0.07)
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


def test_the_logistic_mixed_model_finds_slopes():
    rng = np.random.default_rng(14)
    odds = rng.normal(0.0, 0.8, size=(120, 1)) + rng.normal(0.0, 0.6, size=(120, 3)) + np.array([0.5, 0.0, -1.0])
    hits = rng.binomial(6, 1.0 / (1.0 + np.exp(-odds))).astype(float)
    ours = fit_logistic(hits, np.full((120, 3), 6.0), slopes=True)
    assert ours.participant_sd == pytest.approx(0.8, abs=0.25)
    assert ours.slope_sd == pytest.approx(0.6, abs=0.25)
    assert np.abs((ours.estimate - [0.5, -0.5, -1.5]) / ours.standard_error).max() < 2.6


def test_standard_errors_of_the_logistic_mixed_model_are_honest():
    rng = np.random.default_rng(13)
    estimates = []
    promised = []
    for _ in range(40):
        chance = 1.0 / (1.0 + np.exp(-(rng.normal(0.0, 0.8, size=(40, 1)) + np.array([0.8, -0.4]))))
        fit = fit_logistic(rng.binomial(6, chance).astype(float), np.full((40, 2), 6.0))
        estimates.append(fit.estimate)
        promised.append(fit.standard_error)
    np.testing.assert_allclose(np.std(estimates, axis=0), np.mean(promised, axis=0), rtol=0.3)


def test_an_emotion_that_is_always_recognized_has_no_finite_odds():
    with pytest.raises(AnswersError, match="odds are infinite"):
        fit_logistic(np.array([[4.0, 1.0], [4.0, 2.0]]), np.full((2, 2), 4.0))


def test_mixed_models_refuse_too_few_people():
    table = {"participant": ["a", "b"], "trial": 1, "intended": ["sad", "happy"], "rating": [0.1, 0.5]}
    answers = Answers(pd.DataFrame(table))
    with pytest.raises(AnswersError, match="a mixed model of rating needs three people"):
        mixed_rating(answers, "rating")


def people_who_repeat_themselves(rating_of):
    """Answers of eight people to three motions of each of three emotions, twice; `rating_of` takes person, emotion."""
    rows = [
        (f"p{person}", block, 10 * emotion + motion, f"e{emotion}", f"e{emotion}m{motion}", rating_of(person, emotion))
        for person in range(8)
        for block in (1, 2)
        for emotion in range(3)
        for motion in range(3)
    ]
    return Answers(pd.DataFrame(rows, columns=["participant", "block", "trial", "intended", "stimulus", "rating"]))


HABITS = np.random.default_rng(0).normal(size=8)


@pytest.mark.parametrize(
    "rating_of",
    [
        lambda person, emotion: (1.0, -1.0, 1.0)[emotion],  # all people at the ends of the scale
        lambda person, emotion: HABITS[person],
        lambda person, emotion: HABITS[person] + emotion,
    ],
)
def test_ratings_that_never_vary_within_a_person_and_an_emotion_are_not_testable(rating_of):
    with pytest.raises(AnswersError, match="a mixed model of rating is not testable: the answers do not vary"):
        mixed_rating(people_who_repeat_themselves(rating_of), "rating")


def test_a_report_names_the_model_that_is_not_testable():
    found = study_statistics(people_who_repeat_themselves(lambda _person, emotion: (1.0, -1.0, 1.0)[emotion]))
    assert not found.models
    assert any("a mixed model of rating is not testable" in reason for reason in found.left_out)


def test_degrees_of_freedom_do_not_depend_on_the_unit_of_the_ratings(rated_answers):
    table = rated_answers.table
    small = mixed_rating(Answers(table.assign(pleasure=1e-3 * table["pleasure"])), "pleasure")
    model = mixed_rating(rated_answers, "pleasure")
    assert small.statistic == pytest.approx(model.statistic, rel=1e-3)
    assert small.dof == pytest.approx(model.dof, rel=1e-2)


@pytest.mark.parametrize("seed", range(4))
def test_degrees_of_freedom_are_at_most_those_of_independent_answers(seed):
    rng = np.random.default_rng(seed)
    answers = people_who_repeat_themselves(lambda _person, emotion: float(emotion > 0) + 1e-4 * rng.normal())
    model = mixed_rating(answers, "rating")
    assert max(term.dof for term in model.terms) <= model.n - len(model.terms) + 1e-6
    assert model.dof[1] <= model.n - len(model.terms) + 1e-6
