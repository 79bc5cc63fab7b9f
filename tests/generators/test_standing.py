"""How a robot stands: where the ground shall push weak ankles, how long it is, and that all its feet touch."""

from dataclasses import replace

import numpy as np
import pytest

from strut.generators.standing import AT_MOST_ASIDE, WEAK, foot_stance
from tests.adoption.small_robots import biped, found, quadruped


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return found(biped(), tmp_path_factory.mktemp("two"), "two.urdf")[0]


def with_ankles(robot, torque_nm):
    ankle = np.array(["ankle" in name for name in robot.joint_names])
    return replace(robot, torque_limit_nm=np.where(ankle, torque_nm, robot.torque_limit_nm))


def test_strong_ankles_are_pushed_in_the_middle_of_their_soles(two):
    stance, _ = foot_stance(two)
    np.testing.assert_allclose(stance.push_m, 0.0, atol=1e-9)


def test_weak_ankles_are_pushed_where_they_can_hold_the_weight(two):
    """The sole of this robot lies 30 mm ahead of its ankle."""
    able_m = 0.02
    torque_nm = able_m * two.mass_kg * 9.81 / WEAK
    stance, _ = foot_stance(with_ankles(two, torque_nm))
    np.testing.assert_allclose(stance.push_m[:, 0], able_m - 0.03, atol=2e-3)
    np.testing.assert_allclose(stance.push_m[:, 1], 0.0, atol=1e-6)


def test_no_ankle_is_so_weak_that_the_ground_would_push_at_the_edge(two):
    stance, _ = foot_stance(with_ankles(two, 0.01))
    assert np.abs(stance.push_m[:, 0]).max() <= AT_MOST_ASIDE * 0.11 + 1e-9


def test_a_quadruped_is_as_long_as_its_hips_are_apart_and_stands_on_its_balls(tmp_path):
    stance, _ = foot_stance(found(quadruped(), tmp_path)[0])
    assert stance.length_m == pytest.approx(0.4, abs=1e-6)
    np.testing.assert_allclose(stance.foot_m[:, 2], 0.02, atol=1e-9)
