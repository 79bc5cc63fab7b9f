"""Swing foot and attitude: cubics with right ends and derivatives, rotations that agree with another implementation."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.pilot.controllers.swing_foot import cubic, swing_height
from strut.simulation.attitude import angle_between, attitude_error, attitude_matrix


def test_a_cubic_has_the_ends_that_it_is_given():
    assert cubic(0.1, -0.5, 0.4, 0.7, 0.3, 0.0)[:2] == pytest.approx((0.1, -0.5))
    assert cubic(0.1, -0.5, 0.4, 0.7, 0.3, 0.3 - 1e-12)[:2] == pytest.approx((0.4, 0.7))
    assert cubic(0.1, -0.5, 0.4, 0.7, 0.3, 1.0) == (0.4, 0.0, 0.0)


@pytest.mark.parametrize("time_s", [0.03, 0.1, 0.2, 0.33, 0.4])
def test_speed_and_acceleration_of_a_swing_are_derivatives_of_its_height(time_s):
    before, here, after = (swing_height(0.0, 0.12, -0.01, -0.3, 0.35, time_s + dt) for dt in (-1e-5, 0.0, 1e-5))
    assert here[1] == pytest.approx((after[0] - before[0]) / 2e-5, abs=1e-5)
    assert here[2] == pytest.approx((after[1] - before[1]) / 2e-5, abs=1e-3)


def test_a_swing_clears_the_ground_and_lands_with_its_speed():
    heights = [swing_height(0.0, 0.12, -0.01, -0.3, 0.35, t)[0] for t in np.linspace(0.0, 0.35, 50)]
    assert max(heights) == pytest.approx(0.12, abs=1e-3)
    assert swing_height(0.0, 0.12, -0.01, -0.3, 0.35, 0.3499999)[:2] == pytest.approx((-0.01, -0.3), abs=1e-4)


def test_attitude_matrix_is_roll_then_pitch_then_yaw():
    wanted = Rotation.from_euler("xyz", (0.1, -0.2, 0.7)).as_matrix()
    np.testing.assert_allclose(attitude_matrix(0.1, -0.2, 0.7), wanted, atol=1e-12)


def test_attitude_error_is_the_sine_of_the_turn_in_base_axes():
    base = Rotation.from_euler("xyz", (0.05, 0.1, 1.0))
    turn = np.array([0.1, -0.05, 0.2])
    wanted = (base * Rotation.from_rotvec(turn)).as_matrix()
    angle = float(np.linalg.norm(turn))
    error = attitude_error(base.as_matrix(), tuple(map(tuple, wanted)))
    np.testing.assert_allclose(error, turn / angle * math.sin(angle), atol=1e-12)


def test_turns_go_the_short_way():
    assert angle_between(3.0, -3.0) == pytest.approx(math.tau - 6.0)
