"""The gait problem under other weights: starts from solved gaits, and its sensitivities foretell other weights."""

from copy import copy
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.inverse import weighted_gait
from strut.human.inverse.recorded_steps import SHARES
from strut.human.inverse.weighted_gait import WeightedGait
from strut.human.table import human_gait
from strut.ocp.interior_point import SOLVED_BARRIER

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
    assert warm == SOLVED_BARRIER
    far = copy(gait)
    far.speed_m_s = 5.0
    drawn, cold = far.initial_guess(gait.program)
    assert cold == 0.0
    q, length_m = gait.step(drawn)
    lean = q[len(q) // 2, 1] - q[0, 1]
    assert lean == pytest.approx(-0.02, abs=2e-3)  # as guessed steps sway
    assert drawn.shape == x.shape
    assert length_m > gait.step(x)[1]


def test_a_weighted_step_is_read_at_shares_of_its_time_with_its_length(monkeypatch):
    asked = []

    def at(time_s):
        asked.append(time_s)
        return np.zeros((len(time_s), 2)), None, None

    path = SimpleNamespace(time_s=np.array([0.0, 0.2, 0.5]), q=np.array([[0.1, 0.0], [0.3, 0.0], [0.7, 0.0]]), at=at)
    monkeypatch.setattr(weighted_gait, "trajectory_of", lambda layout, x: path)
    gait = SimpleNamespace(program=SimpleNamespace(layout=None))
    q, length_m = WeightedGait.step(gait, None)
    assert_allclose(asked[0], 0.5 * SHARES)
    assert q.shape == (len(SHARES), 2)
    assert length_m == pytest.approx(0.6)


def test_sensitivities_are_central_differences_along_the_shifts(monkeypatch):
    slopes = np.array([[1.0, 2.0], [3.0, -1.0]])
    monkeypatch.setattr(weighted_gait, "solution_sensitivities", lambda program, outcome, gradients: slopes)
    monkeypatch.setattr(weighted_gait, "cost_gradients", lambda program, names, x: np.ones(2))
    gait = SimpleNamespace(
        is_linear=np.array([False, True]),
        factors=lambda parameters: np.array([2.0, 3.0]),
        program=None,
        names=("a", "b"),
        step=lambda x: (np.array([[x[0] ** 2, x[1]]]), 5.0 * x[1]),
    )
    x = np.array([0.5, 0.25])
    solved = SimpleNamespace(outcome=SimpleNamespace(x=x), parameters=None, program=None)
    q, length = WeightedGait.sensitivities(gait, solved)
    assert_allclose(q[0], [[2.0 * 0.5 * 1.0, 2.0 * 0.5 * 2.0], [3.0, -1.0]], atol=1e-6)
    assert_allclose(length, [15.0, -5.0], atol=1e-6)
    gait.costs_per_factor = lambda solved: np.array([1.0, 4.0])
    assert_allclose(WeightedGait.costs(gait, solved), [2.0, 12.0])
