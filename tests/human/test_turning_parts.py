"""Turning strides and weighted gaits in numbers: pace along an arc, turned postures, sensitivities."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.human import weighted_gait
from strut.human.recorded_steps import SHARES
from strut.human.turning_problem import Turning, turned_configuration
from strut.human.weighted_gait import WeightedGait
from strut.rotation import qpos_from_angles


def numbers(expression):
    return np.array(expression).astype(float).ravel()


def test_a_stride_goes_along_the_chord_of_its_arc_at_its_speed(heiman):
    turning = SimpleNamespace(robot=heiman, turn_rad=0.8)
    stride, support = Turning._pace(turning)
    parameter = {"step_length_m": 0.6, "speed_m_s": 1.2}
    chord = np.sin(0.4) / 0.4
    ends = SimpleNamespace(
        first=SimpleNamespace(q=np.array([0.1, 0.2, 0.9]), parameter=parameter),
        last=SimpleNamespace(q=np.array([0.1 + 1.2 * chord + 0.03, 0.2 - 0.04, 0.9])),
        total_s=0.95,
        durations_s=np.array([0.2, 0.1, 0.05, 0.06, 0.21, 0.11, 0.02, 0.03]),
    )
    assert_allclose(numbers(stride.rows(ends)), [0.03, -0.04, 1.2 - 1.2 * 0.95], atol=1e-12)
    share = heiman.human_gait.limits.double_support_share
    assert_allclose(numbers(support.rows(ends)), [0.11 - share * 0.41, 0.05 - share * 0.37], atol=1e-12)
    assert (support.lower, support.upper) == (-np.inf, 0.0)


def test_turned_configurations_keep_their_places_and_turn_about_the_vertical(heiman):
    q = 0.2 * np.random.default_rng(0).normal(size=(3, heiman.model.nv))
    angle = np.array([0.0, 0.5, -1.0])
    found = turned_configuration(q, angle)
    assert_allclose(found[:, :3], q[:, :3])
    assert_allclose(found[:, 6:], q[:, 6:])
    before, after = (Rotation.from_quat(qpos_from_angles(one)[:, 3:7], scalar_first=True) for one in (q, found))
    assert_allclose((after * before.inv()).as_rotvec(), np.outer(angle, [0.0, 0.0, 1.0]), atol=1e-9)


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
        idle=np.array([False, True]), factors=lambda parameters: np.array([2.0, 3.0]), program=None, names=("a", "b"),
        step=lambda x: (np.array([[x[0] ** 2, x[1]]]), 5.0 * x[1]),
    )  # fmt: skip
    x = np.array([0.5, 0.25])
    solved = SimpleNamespace(outcome=SimpleNamespace(x=x), parameters=None, program=None)
    q, length = WeightedGait.sensitivities(gait, solved)
    assert_allclose(q[0], [[2.0 * 0.5 * 1.0, 2.0 * 0.5 * 2.0], [3.0, -1.0]], atol=1e-6)
    assert_allclose(length, [15.0, -5.0], atol=1e-6)
    gait.costs_per_factor = lambda solved: np.array([1.0, 4.0])
    assert_allclose(WeightedGait.costs(gait, solved), [2.0, 12.0])
