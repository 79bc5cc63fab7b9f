"""`strut reproduce studies`: no published statistic differs without an erratum."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from strut.cli.main import main
from strut.reproduction.studies import band
from strut.reproduction.studies_pepper import audience_model, correlation_p, fisher_interval, printed_correlations
from strut.reproduction.systems import reproduce


@pytest.fixture(scope="module")
def rows():
    return {
        row.quantity if row.verdict != "erratum" else f"{row.erratum}: {row.quantity}": row
        for row in reproduce("studies")
    }


def test_every_published_statistic_is_reproduced_or_explained(rows):
    verdicts = Counter(row.verdict for row in rows.values())
    assert verdicts["differs"] == 0
    assert verdicts["same"] > 70
    assert verdicts["same"] + verdicts["given"] > 200
    assert {row.erratum for row in rows.values() if row.verdict == "erratum"} == {
        "E14", "E15", "E29", "P20", "P21", "P22", "P23", "P24", "P25", "P26",
    }  # fmt: skip


def test_calm_is_not_above_chance_with_the_right_p_value(rows):
    row = rows["P20: p of answers to calm"]
    assert row.published[0] == 0.06
    assert row.ours[0] == pytest.approx(0.1642, abs=5e-5)
    assert row.ours[4] == pytest.approx(0.0611, abs=5e-5)


def test_wilson_intervals_replace_the_printed_ones(rows):
    assert rows["P21: interval of happiness hits"].ours == (pytest.approx(48.0, abs=0.1), pytest.approx(89.1, abs=0.1))
    assert rows["P21: interval of fear hits"].ours == (pytest.approx(3.7, abs=0.05), pytest.approx(37.9, abs=0.05))


def test_corrected_values_are_those_of_the_errata(rows):
    assert rows["E15: chi-squared, uniform"].ours[0] == pytest.approx(135.3333, abs=1e-4)
    assert rows["E29: ratings per clip"].ours[0] == pytest.approx(53.64)
    assert rows["P22: p of dominance, LHL"].ours[0] == pytest.approx(0.044, abs=5e-4)
    assert rows["P23: motions rated with the intended sign"].ours == (4.0, 8.0, 4.0)
    assert rows["P24: effect size, arousal"].ours[0] == pytest.approx(0.05, abs=0.01)


def test_all_45_correlations_are_there_and_rebuilt_from_the_means(rows):
    assert sum(1 for _ in printed_correlations()) == 45
    assert sum(name.startswith(("interval of ", "P25: ")) and " on " in name for name in rows) == 45 + 2
    assert rows["correlations computed from Table 2b, rms difference from the printed ones"].ours[0] < 0.018


def test_the_audience_model_gives_back_the_means_of_its_corners():
    model = audience_model()  # pleasure of LLL: jerky, inactive, averted
    j = 1
    v = -1
    g = -1
    terms = [1, j, v, g, j * v, j * g, v * g, j * v * g]
    assert model[0] @ terms == pytest.approx(-0.59)


def test_the_command_prints_them(capsys):
    assert main(["reproduce", "studies", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) > 250


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


@pytest.mark.parametrize(("mean", "expected"), [(-0.34, -1), (-0.33, 0), (0.33, 0), (0.34, 1)])
def test_slider_means_fall_into_three_bands(mean, expected):
    assert band(mean, 0.33) == expected
