"""Standing: preferred centres of pressure for weak ankles, length of the body, bent knees, places of the feet."""

import copy
from dataclasses import replace

import numpy as np
import pytest

from strut.engines.task_jacobians import task_jacobians
from strut.errors import BadTableError
from strut.gaits.pattern.standing import MAX_OFFSET, WEAK, foot_stance
from tests.adoption.small_robots import biped, import_robot, quadruped


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("two"), "two.urdf")[0]


def with_ankles(robot, torque_nm):
    ankle = np.array(["ankle" in name for name in robot.joint_names])
    return replace(robot, torque_limit_nm=np.where(ankle, torque_nm, robot.torque_limit_nm))


def standing_in(robot, qpos):
    """Return the robot with another posture of standing."""
    model = copy.copy(robot.model)
    standing = model.key("standing").qpos if model.nkey else model.qpos0
    standing[:] = qpos
    return replace(robot, model=model)


def test_strong_ankles_stand_on_the_middle_of_their_soles(two):
    stance, _ = foot_stance(two)
    np.testing.assert_allclose(stance.cop_m, 0.0, atol=1e-9)


def test_weak_ankles_stand_where_they_can_hold_the_weight(two):
    """The sole of this robot lies 30 mm ahead of its ankle."""
    held_m = 0.02
    torque_nm = held_m * two.mass_kg * 9.81 / WEAK
    stance, _ = foot_stance(with_ankles(two, torque_nm))
    np.testing.assert_allclose(stance.cop_m[:, 0], held_m - 0.03, atol=2e-3)
    np.testing.assert_allclose(stance.cop_m[:, 1], 0.0, atol=1e-6)


def test_no_ankle_is_so_weak_that_it_stands_on_the_edge_of_its_sole(two):
    stance, _ = foot_stance(with_ankles(two, 0.01))
    assert np.abs(stance.cop_m[:, 0]).max() <= MAX_OFFSET * 0.11 + 1e-9


def test_a_weak_ankle_stands_half_way_to_the_edge_of_a_short_sole(two):
    """Of a sole of 40 mm, a quarter is half of half of it; the weight would have to be 30 mm behind its middle."""

    def short(foot):
        points = [
            replace(point, position_m=(foot.frame_m[0] + 0.02 * np.sign(x), *point.position_m[1:]))
            for point, (x, _) in zip(foot.points, foot.outline_m, strict=True)
        ]
        return replace(foot, points=tuple(points))

    weak = with_ankles(two, 0.01)
    stance, _ = foot_stance(replace(weak, feet=tuple(short(foot) for foot in weak.feet)))
    np.testing.assert_allclose(stance.cop_m[:, 0], -0.01, atol=1e-9)


def test_a_quadruped_is_as_long_as_its_hips_are_apart_and_stands_on_its_balls(tmp_path):
    stance, _ = foot_stance(import_robot(quadruped(), tmp_path)[0])
    assert stance.length_m == pytest.approx(0.4, abs=1e-6)
    np.testing.assert_allclose(stance.foot_m[:, 2], 0.02, atol=1e-9)


@pytest.mark.parametrize("bend_rad", [0.0, 0.02])
def test_straight_legs_are_bent_and_keep_their_feet(two, bend_rad):
    """A robot that stands with straight knees gets a lower body over the same footprints."""
    knees = [two.joint_names.index(name) for name in two.joint_names if "knee" in name]
    pitches = [k for k, name in enumerate(two.joint_names) if "hip_pitch" in name or "knee" in name or "ankle" in name]
    straight_qpos = np.array(two.standing_qpos)
    straight_qpos[7 + np.array(pitches)] = 0.0
    straight_qpos[7 + np.array(knees)] = bend_rad
    feet_m = task_jacobians(two, straight_qpos[None]).foot_in_world[0]
    straight_qpos[2] -= feet_m[:, 2].min()
    straight = standing_in(two, straight_qpos)
    stance, qpos = foot_stance(straight)
    before = task_jacobians(two, straight_qpos[None])
    after = task_jacobians(two, qpos[None])
    assert np.abs(qpos[7:] - straight_qpos[7:]).max() > 0.2
    assert stance.height_m == pytest.approx(0.97 * before.com_in_world[0, 2], abs=2e-3)
    apart_m = np.diff(before.foot_in_world[0, :, :2], axis=0)
    np.testing.assert_allclose(np.diff(after.foot_in_world[0, :, :2], axis=0), apart_m, atol=2e-3)


def test_a_stance_is_relative_to_the_middle_of_the_feet(two):
    stance, qpos = foot_stance(two)
    now = task_jacobians(two, qpos[None])
    np.testing.assert_allclose(now.foot_in_world[0, :, :2].mean(axis=0), 0.0, atol=1e-12)
    assert stance.height_m == pytest.approx(now.com_in_world[0, 2])
    assert stance.length_m == 0.0
    np.testing.assert_allclose(stance.foot_m[:, :2], now.foot_in_world[0, :, :2], atol=1e-12)
    assert not qpos.flags.writeable


def test_feet_are_named_by_their_places(two, tmp_path):
    assert dict(zip(two.foot_names, foot_stance(two)[0].places, strict=True)) == {
        name: "left" if "left" in name else "right" for name in two.foot_names
    }
    four = import_robot(quadruped(), tmp_path)[0]
    places = foot_stance(four)[0].places
    assert sorted(places) == ["front left", "front right", "hind left", "hind right"]
    foot_m = foot_stance(four)[0].foot_m
    for place, (x, y, _) in zip(places, foot_m, strict=True):
        assert place == f"{'front' if x > 0.0 else 'hind'} {'left' if y > 0.0 else 'right'}"


def test_a_robot_with_two_feet_at_one_place_is_refused(tmp_path):
    """Turned by 45 degrees, a long quadruped has its two left feet in front and its two right feet behind."""
    four = import_robot(quadruped(), tmp_path)[0]
    turned_qpos = np.array(four.standing_qpos)
    turned_qpos[3:7] = [np.cos(np.pi / 8.0), 0.0, 0.0, np.sin(np.pi / 8.0)]
    with pytest.raises(BadTableError, match="does not stand with one foot at each corner"):
        foot_stance(standing_in(four, turned_qpos))
