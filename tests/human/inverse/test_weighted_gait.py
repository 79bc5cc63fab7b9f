"""The gait problem under other weights: starts from solved gaits, and its sensitivities foretell other weights."""

from copy import copy

import numpy as np
import pytest

from strut.human.inverse.weighted_gait import WeightedGait
from strut.human.table import human_gait
from strut.ocp.interior_point import SOLVED

COARSE = (4, 4, 2, 2)
CHANGE = 0.05  # of the logarithm of a weight


@pytest.fixture(scope="module")
def gait(heiman):
    return WeightedGait(heiman, 1.3, intervals=COARSE)


@pytest.fixture(scope="module")
def usual(gait):
    return gait.solve(gait.usual)


def test_usual_weights_start_from_solved_gaits(usual):
    assert usual.outcome.iterations < 25  # 60 from a guessed step


def test_shares_of_criteria_add_up_to_the_cost_of_the_gait(gait, usual):
    assert gait.costs(usual).sum() == pytest.approx(usual.outcome.cost, rel=1e-9)
    assert gait.costs(usual)[gait.is_linear] == pytest.approx(0.0)


def test_sensitivities_foretell_the_gait_of_other_weights(gait, usual):
    weight = gait.names.index("momentum")
    other = gait.solve(gait.usual + CHANGE * np.eye(len(gait.names))[weight], usual)
    q, length_m = gait.step(usual.outcome.x)
    moved, moved_m = gait.step(other.outcome.x)
    q_slope, length_slope = gait.sensitivities(usual)
    missed = moved - q - CHANGE * q_slope[:, :, weight]
    assert np.abs(moved - q).max() > 1e-3
    assert np.abs(missed).max() < 0.2 * np.abs(moved - q).max()
    assert moved_m - length_m == pytest.approx(CHANGE * length_slope[weight], abs=2e-4)


def test_parameters_are_logarithms_of_factors_and_a_weight_that_is_usually_none_is_itself(gait, heiman):
    assert gait.names[:3] == ("effort", "momentum", "head")
    assert gait.is_linear.tolist() == [name == "time" for name in gait.names]
    parameters = np.where(gait.is_linear, 0.7, np.log(3.0))
    assert gait.factors(parameters) == pytest.approx(np.where(gait.is_linear, 0.7, 3.0))
    weight = dict(zip(gait.names, gait.weight, strict=True))
    table = human_gait(heiman)
    assert (weight["effort"], weight["head"], weight["time"]) == (1.0, 3.0, 1.0)
    assert (weight["posture"], weight["landing"]) == (table.posture.weight, table.natural_criteria.landing)


def test_a_speed_that_no_solved_gait_is_near_starts_from_a_guessed_step(gait):
    x, warm = gait.initial_guess(gait.program)
    assert warm == SOLVED
    far = copy(gait)
    far.speed_m_s = 5.0
    drawn, cold = far.initial_guess(gait.program)
    assert cold == 0.0
    q, length_m = gait.step(drawn)
    lean = q[len(q) // 2, 1] - q[0, 1]
    assert lean == pytest.approx(-0.02, abs=2e-3)  # as guessed steps sway
    assert drawn.shape == x.shape
    assert length_m > gait.step(x)[1]
