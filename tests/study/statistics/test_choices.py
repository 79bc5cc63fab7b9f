"""Choices: confusion, chance, agreement and learning against published numbers and other implementations."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from strut.errors import AnswersError
from strut.study.design.published import published
from strut.study.statistics.answers import DO_NOT_KNOW, Answers
from strut.study.statistics.confusion import (
    Confusion,
    chi2_independence,
    chi2_uniform,
    cohens_kappa_of,
    confusion,
    cramers_v,
    fleiss_kappa_of,
    kappa_of_counts,
    learning,
)
from strut.study.statistics.recognition import named_answers, recognitions, shuffled_hits, wagner_pairs
from strut.study.statistics.significance import benjamini_hochberg, binomial_p, holm, permutation_p, wilson_interval
from tests.study.null_data import unlearned_answers


def table(rows):
    columns = ["participant", "block", "intended", "perceived"]
    return Answers(pd.DataFrame(rows, columns=columns).assign(trial=range(len(rows))))


def test_the_quadrupeds_two_chi_squared_tests_have_their_own_degrees_of_freedom(quadruped_answers):
    matrix = confusion(quadruped_answers)
    uniform = chi2_uniform(matrix)
    independence = chi2_independence(matrix)
    assert (uniform.statistic, uniform.dof) == (pytest.approx(135.3333, abs=1e-4), 20)
    assert uniform.p_value == pytest.approx(3.87e-19, rel=1e-2)
    assert (independence.statistic, independence.dof) == (pytest.approx(130.8150, abs=1e-4), 16)
    assert independence.p_value == pytest.approx(4.46e-20, rel=1e-2)
    assert "below 5" in independence.note
    assert cramers_v(matrix) == pytest.approx(0.6603, abs=5e-5)


def test_sad_alone_is_not_above_chance_in_the_quadruped_study(quadruped_answers):
    matrix = confusion(quadruped_answers)
    counts = {name: (int(k), int(n)) for name, k, n in zip(matrix.intended, matrix.hits, matrix.shown, strict=True)}
    p_values = {name: binomial_p(*count, 0.2) for name, count in counts.items()}
    assert [name for name, p_value in p_values.items() if p_value > 0.05] == ["sad"]
    assert p_values["neutral"] == pytest.approx(5.70e-8, rel=1e-2)
    assert p_values["sad"] == pytest.approx(0.164, abs=5e-4)
    assert wilson_interval(*counts["sad"]) == (pytest.approx(0.152, abs=5e-4), pytest.approx(0.583, abs=5e-4))
    own = list(p_values.values())
    assert all(p <= bh <= h for p, bh, h in zip(own, benjamini_hochberg(own), holm(own), strict=True))


def test_rows_of_unequal_size_keep_their_own_expectation():
    matrix = Confusion(("a", "b"), ("a", "b", DO_NOT_KNOW), np.array([[8, 1, 0], [10, 10, 10]]))
    expected = stats.chisquare([8, 1, 0]).statistic + stats.chisquare([10, 10, 10]).statistic
    assert chi2_uniform(matrix).statistic == pytest.approx(expected)
    assert chi2_uniform(matrix).dof == 4


def test_options_that_were_never_chosen_still_count_for_chance(quadruped_answers):
    options = (*published("quadruped")["emotions"], "bored", DO_NOT_KNOW)
    matrix = confusion(quadruped_answers, options)
    assert matrix.perceived == options
    assert chi2_independence(matrix).statistic == pytest.approx(130.8150, abs=1e-4)


def test_permutation_within_one_participant_agrees_with_scipy():
    rng = np.random.default_rng(3)
    meant = rng.integers(0, 3, 9)
    seen = np.where(rng.random(9) < 0.5, meant, rng.integers(0, 3, 9))
    oracle = stats.permutation_test(
        (meant, seen), lambda x, y: float((x == y).sum()), permutation_type="pairings", alternative="greater",
        n_resamples=20_000, vectorized=False, rng=np.random.default_rng(0),
    )  # fmt: skip
    answers = table([("p", 1, str(a), str(b)) for a, b in zip(meant, seen, strict=True)])
    _, _, ours = recognitions(answers, rng, permutations=20_000)
    assert ours.p_value == pytest.approx(oracle.pvalue, abs=0.015)


def test_hits_by_chance_are_hypergeometric_person_by_person():
    rows = [("p", 1, m, s) for m, s in zip("aaaabbbbbb", "aabbaaabbb", strict=True)]
    hits = shuffled_hits(named_answers(table(rows)), np.random.default_rng(0), 20_000)[:, 0]
    exact = stats.hypergeom(10, 4, 5)
    for count in range(5):
        assert (hits == count).mean() == pytest.approx(exact.pmf(count), abs=0.012)


def test_permutation_forgives_a_liking_that_a_binomial_test_takes_for_skill():
    rows = [("p", 1, "sad", "sad")] * 18 + [("p", 1, "happy", "sad")] * 2  # always says sad; sad was shown most
    emotions, whole, test = recognitions(table(rows), np.random.default_rng(0))
    assert binomial_p(18, 20, 0.5) < 0.001
    assert test.p_value == 1.0
    assert not whole.recognised
    assert not any(row.recognised for row in emotions)


def test_permutation_stays_within_participants():
    rows = [("a", 1, "sad", "sad")] * 10 + [("b", 1, "happy", "happy")] * 10  # each saw one emotion only
    assert recognitions(table(rows), np.random.default_rng(0))[2].p_value == 1.0


def test_not_knowing_is_counted_apart_and_is_no_guess():
    rows = [(f"p{k}", 1, m, s) for k in range(4) for m, s in (("a", "a"), ("b", DO_NOT_KNOW), ("b", "b"), ("a", "b"))]
    (a, b), whole, _ = recognitions(table(rows), np.random.default_rng(0))
    assert (b.hits, b.shown, b.do_not_know, b.rate, b.rate_named) == (4, 8, 4, 0.5, 1.0)
    assert (a.rate, a.rate_named) == (0.5, 0.5)
    assert whole.expected == pytest.approx(4 * 4 / 3, abs=0.1)  # of three named answers each: 2/3 + 2/3


def test_wagners_unbiased_hit_rate_is_that_of_the_textbook():  # hits squared over showings times uses of the word
    rows = [("p", 1, "a", "a")] * 6 + [("p", 1, "a", "b")] * 4 + [("p", 1, "b", "a")] * 2 + [("p", 1, "b", "b")] * 8
    (a, b), _, _ = recognitions(table(rows), np.random.default_rng(0))
    assert (a.unbiased, b.unbiased) == (pytest.approx(36 / (10 * 8)), pytest.approx(64 / (10 * 12)))


def test_chance_of_wagners_test_is_the_mean_of_all_orders():
    rows = [("p", 1, m, s) for m, s in zip("abcde", "aabcd", strict=True)]
    named = named_answers(table(rows))
    _, chance = wagner_pairs(named, 0)
    hits = shuffled_hits(named, np.random.default_rng(1), 20_000)[:, 0]
    assert chance[0] == pytest.approx(np.arcsin(hits / np.sqrt(1 * 2)).mean(), abs=0.01)
    _, published_chance = wagner_pairs(named, 0, as_published=True)
    assert published_chance[0] == pytest.approx(np.arcsin(np.sqrt(2) / 5))
    assert published_chance[0] < chance[0]  # so guessing would pass for seeing


def test_no_emotion_is_recognised_where_all_together_are_not():
    rng = np.random.default_rng(6)
    rows = []
    for person in range(12):
        rows += [(f"p{person}", 1, "a", "a" if rng.random() < 0.9 else "b") for _ in range(2)]
        rows += [(f"p{person}", 1, name, "a") for name in "bcd" for _ in range(2)]  # says a, whatever is shown
    emotions, whole, _ = recognitions(table(rows), rng)
    assert not whole.recognised or all(row.p_holm >= 0.05 for row in emotions if not row.recognised)
    assert [row.recognised for row in emotions] == [False] * 4


def test_p_values_of_permutations_are_never_zero():
    assert permutation_p(5, np.zeros(99, dtype=np.int64)) == 0.01


def test_cohens_kappa_is_the_published_one_and_that_of_scikit_learn(quadruped_answers):
    matrix = confusion(quadruped_answers)
    ours = cohens_kappa_of(quadruped_answers, matrix, np.random.default_rng(0))
    assert ours.value == pytest.approx(0.5333, abs=5e-5)
    told = quadruped_answers.table
    assert ours.value == pytest.approx(cohen_kappa_score(told["intended"], told["perceived"]))
    assert ours.low < ours.value < ours.high
    assert kappa_of_counts(matrix).low == pytest.approx(0.398, abs=5e-4)


def test_an_answer_that_was_never_shown_lowers_kappa_but_does_not_break_it():
    study = published("pepper")
    counts = np.array([study["counts"][name] for name in study["emotions"]])
    kappa = kappa_of_counts(Confusion(tuple(study["emotions"]), tuple(study["answers"]), counts))
    intended = np.repeat(study["emotions"], counts.sum(axis=1))
    perceived = np.concatenate([np.repeat(study["answers"], row) for row in counts])
    assert kappa.value == pytest.approx(cohen_kappa_score(intended, perceived))


def test_fleiss_kappa_of_the_textbook_example():  # J. L. Fleiss (1971): fourteen raters, ten subjects, kappa 0.210
    counts = [[0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
              [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]]  # fmt: skip
    rows = []
    for subject, row in enumerate(counts):
        given = np.repeat(np.arange(5), row)
        rows += [(f"p{rater}", 1, f"s{subject}", f"c{category}") for rater, category in enumerate(given)]
    kappa = fleiss_kappa_of(table(rows))
    assert kappa.value == pytest.approx(0.210, abs=5e-4)
    assert kappa.low < kappa.value < kappa.high


def test_fleiss_says_whom_it_leaves_out(quadruped_answers):
    told = quadruped_answers.table
    assert fleiss_kappa_of(Answers(told[:-1])).note == "1 participant saw other or fewer stimuli and is left out"
    with pytest.raises(AnswersError, match="two participants"):
        fleiss_kappa_of(Answers(told[:15]))


def test_learning_is_found_where_people_learn_and_only_there():
    rng = np.random.default_rng(5)
    rows = []
    for person in range(60):
        for block in (1, 2, 3, 4):
            for _ in range(4):
                right = rng.random() < 1.0 / (1.0 + np.exp(-(-1.0 + 0.5 * block)))
                rows.append((f"p{person}", block, "sad", "sad" if right else "fear"))
    found = learning(table(rows))
    assert found.low < np.exp(0.5) < found.high
    assert found.p_value < 0.001
    still = learning(table([(p, 1 + k % 2, m, s) for k, (p, _, m, s) in enumerate(rows)]))
    assert still.p_value > 0.05


def test_few_people_who_differ_seldom_seem_to_learn():
    rng = np.random.default_rng(8)
    sets = 120
    false = sum(learning(unlearned_answers(rng, people=8)).p_value < 0.05 for _ in range(sets))
    assert false / sets <= 0.06 + 1.5 * np.sqrt(0.06 * 0.94 / sets)  # the covariance that is usual has 11 %


def test_learning_says_why_it_cannot_be_tested(quadruped_answers):
    assert learning(table([("a", 1, "sad", "sad")])).note == "there is only one block"
    perfect = [(f"p{k}", block, "sad", "sad") for k in range(5) for block in (1, 2, 3)]
    assert learning(table(perfect)).note == "all answers are hits or all are misses, so the odds cannot change"
    assert learning(quadruped_answers).odds_ratio is not None


def test_corrections_are_those_of_the_textbook():
    p_values = [0.01, 0.04, 0.03, 0.005]
    assert holm(p_values) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert benjamini_hochberg(p_values) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert holm([]) == []


def test_wilson_stays_honest_at_no_hits():
    assert wilson_interval(0, 15) == (0.0, pytest.approx(0.2039, abs=1e-4))
