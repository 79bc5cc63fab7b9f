"""Errata of the thesis that only the numbers can show: what it says of its poses and what its tables hold."""

import numpy as np
import pytest

import strut
from strut.gaits.crawl.key_pose import key_pose
from strut.style import Style

# Tables 12 and 14: answers to the gaits, rows emitted, columns neutral, happy, sad, anger, fear, 15 trials a row
COUNTS = {
    "neutral": [13, 2, 0, 0, 0],
    "happy": [2, 11, 1, 0, 1],
    "sad": [0, 0, 5, 0, 10],
    "anger": [4, 0, 1, 9, 1],
    "fear": [1, 0, 5, 0, 9],
}
LAST_BLOCK_PERCENT = {"neutral": 80, "happy": 80, "sad": 60, "anger": 60, "fear": 80}


@pytest.fixture(scope="module")
def expression():
    return strut.load_robot("mrpete").expression


@pytest.fixture(scope="module")
def poses(expression):
    return expression.parameter.postures.pose


def test_e14_percentages_follow_from_the_counts():
    own = {name: 100.0 * row[index] / 15 for index, (name, row) in enumerate(COUNTS.items())}
    assert 100.0 * COUNTS["anger"][0] / 15 == pytest.approx(26.67, abs=0.01)  # printed 26
    assert own["sad"] == pytest.approx(33.33, abs=0.01)  # the outlook says 30
    assert [name for name in own if LAST_BLOCK_PERCENT[name] <= own[name]] == ["neutral", "anger"]  # not neutral alone


def test_e16_poses_go_against_part_of_the_feedback(expression, poses):
    assert expression.anchor["happy"].stride < 1.0  # asked: longer
    assert poses["happy"]["front"].step_height_m == 0.0  # asked: higher
    assert expression.anchor["happy"].speed < 1.0  # asked: faster
    assert min(poses["sad"][end].step_height_m for end in ("front", "hind")) > 0.0  # asked: the same


def test_e17_happy_front_feet_end_behind_neutral(poses):
    first_version_x_m = poses["happy"]["front"].foot_m[0] - (-0.080)  # Table 8: changed by -80 mm
    assert first_version_x_m == pytest.approx(0.0344)
    assert poses["happy"]["front"].foot_m[0] < 0.0


def test_e18_speed_is_absolute_so_fear_turns_round_at_two_thirds(expression):
    assert 1.0 + 2.0 / 3.0 * (expression.anchor["fearful"].speed - 1.0) == pytest.approx(0.0)


@pytest.mark.parametrize("steps", [0, 1, 7])
def test_e19_subtracting_the_unit_vector_is_scaling(steps):
    robot = strut.load_robot("mrpete")
    deviation = key_pose(robot, Style(postures=(("sad", 1.0),))).foot_change_m
    norm = np.linalg.norm(deviation)
    shrunk = deviation - steps * 0.01 * deviation / norm
    weaker = key_pose(robot, Style(postures=(("sad", float(1.0 - steps * 0.01 / norm)),))).foot_change_m
    np.testing.assert_allclose(shrunk, weaker, atol=1e-15)
