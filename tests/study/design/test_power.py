"""Power: sizes of studies against published numbers and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from strut.cli.main import main
from strut.errors import OutOfRangeError
from strut.study.design.power import (
    binomial_power,
    binomial_trials,
    chi2_observations,
    chi2_power,
    mean_participants,
    participants_needed,
    sample_size,
    smallest_hits,
)


def test_the_quadruped_study_needs_fifteen_subjects():
    assert chi2_observations(0.3, 16) == pytest.approx(214.087, abs=1e-3)
    assert chi2_power(0.3, 16, 225) == pytest.approx(0.8248, abs=5e-5)


def test_pepper_needs_seven_hits_of_fifteen():
    assert smallest_hits(15, 0.2) == 7


def test_the_size_found_has_the_power_asked_for_and_simulation_agrees():
    shown = binomial_trials(0.5, 0.2)
    assert all(binomial_power(0.5, 0.2, shown + more) >= 0.8 for more in range(20))
    hits = np.random.default_rng(0).binomial(shown, 0.5, 4000)
    found = np.mean([stats.binomtest(int(k), shown, 0.2, alternative="greater").pvalue <= 0.05 for k in hits])
    assert found == pytest.approx(binomial_power(0.5, 0.2, shown), abs=0.025)


def test_a_medium_effect_needs_34_participants():  # J. Cohen (1988), d = 0.5, two-sided
    assert np.ceil(mean_participants(0.5)) == 34


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: binomial_trials(0.2, 0.2),
        lambda: chi2_observations(0.0, 3),
        lambda: mean_participants(0.5, power=0.01),
        lambda: mean_participants(-1.0),
        lambda: mean_participants(float("nan")),
        lambda: mean_participants(float("inf")),
        lambda: participants_needed(10, 0, 0.0),
        lambda: participants_needed(10, 2, 1.5),
    ],
)
def test_impossible_wishes_are_refused(wrong):
    with pytest.raises(OutOfRangeError):
        wrong()


def test_answers_of_one_person_are_worth_less_the_more_alike_they_are():
    assert participants_needed(60, 4, 0.0) == 15  # independent: as many people as answers divided
    assert participants_needed(60, 4, 0.2) == 24  # Kish (1965): 60 x (1 + 3 x 0.2) / 4
    assert participants_needed(60, 4, 1.0) == 60  # the same answer four times is one answer


def test_ratings_of_one_person_count_once(capsys):
    assert main(["study", "power", "--effect", "0.5"]) == 0
    assert "34 participants with 1 each: two-sided t test" in capsys.readouterr().out
    assert main(["study", "power", "--effect", "0.5", "--per-participant", "10"]) == 2
    assert "averaged and count once" in capsys.readouterr().err
    assert main(["study", "power", "--effect", "nan"]) == 2
    assert main(["study", "power", "--rate", "0.5", "--per-participant", "4"]) == 0
    assert "are treated as independent, but they correlate" in capsys.readouterr().err


def test_an_intraclass_correlation_asks_for_more_people(capsys):
    asked = ["study", "power", "--rate", "0.5", "--per-participant", "4", "--icc", "0.5"]
    assert main(asked) == 0
    said = capsys.readouterr()
    needed = sample_size(rate=0.5, per_participant=4, intraclass_correlation=0.5).participants
    assert f"{needed} participants with 4 each" in said.out
    assert "taken as independent" not in said.err
    assert needed > sample_size(rate=0.5, per_participant=4).participants
    assert main([*asked[:-2], "--likeness", "0.5"]) == 2


@pytest.mark.parametrize("asked", [{"effect": 1e9}, {"effect": 1e-9}, {"w": 1e9}])
def test_an_effect_that_no_study_fits_is_refused_in_words(asked):
    with pytest.raises(OutOfRangeError, match="No number of participants fits an effect size of"):
        sample_size(**asked)


def test_exactly_one_effect_is_expected():
    assert sample_size(rate=0.5, options=6, tests=5).participants == 21
    for asked in ({}, {"rate": 0.5, "w": 0.3}):
        with pytest.raises(OutOfRangeError, match="exactly one of rate"):
            sample_size(**asked)
