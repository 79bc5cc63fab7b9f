"""How a robot stands: where the ground shall push weak ankles, how long it is, and that all its feet touch."""

from dataclasses import replace

import numpy as np
import pytest

from strut.engines.task_jacobians import task_jacobians
from strut.errors import BadTableError
from strut.gaits.pattern.standing import AT_MOST_ASIDE, NUDGE_RAD, WEAK, _error_m, _nudged, _places, _sunk, foot_stance
from tests.adoption.small_robots import biped, import_robot, quadruped


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("two"), "two.urdf")[0]


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


def test_a_short_sole_is_pushed_half_way_to_its_edge_where_its_ankle_is_weak(two):
    """Of a sole of 40 mm, a quarter is half of half of it; the weight would have to be 30 mm behind its middle."""

    def short(foot):
        points = [
            replace(point, position_m=(foot.frame_m[0] + 0.02 * np.sign(x), *point.position_m[1:]))
            for point, (x, _) in zip(foot.points, foot.outline_m, strict=True)
        ]
        return replace(foot, points=tuple(points))

    weak = with_ankles(two, 0.01)
    stance, _ = foot_stance(replace(weak, feet=tuple(short(foot) for foot in weak.feet)))
    np.testing.assert_allclose(stance.push_m[:, 0], -0.01, atol=1e-9)


def test_a_quadruped_is_as_long_as_its_hips_are_apart_and_stands_on_its_balls(tmp_path):
    stance, _ = foot_stance(import_robot(quadruped(), tmp_path)[0])
    assert stance.length_m == pytest.approx(0.4, abs=1e-6)
    np.testing.assert_allclose(stance.foot_m[:, 2], 0.02, atol=1e-9)


def test_straight_legs_are_nudged_towards_the_middle_of_their_range_one_joint_after_the_other(two):
    """The range from -0.3 to 1.3 has its middle at 0.5."""
    lower = np.full(len(two.joint_names), -0.3)
    upper = np.full(len(two.joint_names), 1.3)
    robot = replace(two, joint_lower_rad=lower, joint_upper_rad=upper)
    qpos = np.array(two.standing_qpos)
    for angle, nudge in ((0.45, NUDGE_RAD), (0.55, -NUDGE_RAD)):
        qpos[7:] = angle
        starts = _nudged(robot, qpos)
        assert len(starts) == max(len(leg.joints) for leg in robot.legs)
        for place, start in enumerate(starts):
            moved = {leg.joints[min(place, len(leg.joints) - 1)] for leg in robot.legs}
            expected = [nudge if name in moved else 0.0 for name in robot.joint_names]
            np.testing.assert_allclose(start[7:] - qpos[7:], expected, atol=1e-12)
            np.testing.assert_array_equal(start[:7], qpos[:7])


def test_a_body_that_sinks_keeps_its_feet_and_has_a_share_of_its_height(two):
    qpos = foot_stance(two)[1]
    now = task_jacobians(two, qpos[None])
    sunk = _sunk(two, qpos, qpos, 0.97)
    after = task_jacobians(two, sunk.qpos)
    np.testing.assert_allclose(after.com_in_world, now.com_in_world * [1.0, 1.0, 0.97], atol=1e-3)
    np.testing.assert_allclose(after.foot_in_world, now.foot_in_world, atol=1e-3)
    assert _error_m(sunk) == pytest.approx(float(sunk.foot_error_m.max() + sunk.com_error_m.max()))


def test_a_stand_is_seen_from_the_middle_of_its_feet_at_the_height_of_its_mass(two):
    stance, qpos = foot_stance(two)
    now = task_jacobians(two, qpos[None])
    np.testing.assert_allclose(now.foot_in_world[0, :, :2].mean(axis=0), 0.0, atol=1e-12)
    assert stance.height_m == pytest.approx(now.com_in_world[0, 2])
    assert stance.length_m == 0.0
    np.testing.assert_allclose(stance.foot_m[:, :2], now.foot_in_world[0, :, :2], atol=1e-12)
    assert not qpos.flags.writeable


@pytest.mark.parametrize(
    ("feet", "places"),
    [
        ([(0.0, 0.1), (0.0, -0.1)], ("left", "right")),
        (
            [(0.2, 0.1), (-0.2, -0.1), (-0.2, 0.1), (0.2, -0.1)],
            ("front left", "hind right", "hind left", "front right"),
        ),
        ([(0.0, 0.1), (0.1, 0.1)], None),
    ],
)
def test_places_of_feet_are_told_by_where_they_stand_and_none_is_taken_twice(two, feet, places):
    if places is None:
        with pytest.raises(BadTableError, match="one foot at each corner: left, left"):
            _places(two, np.array(feet))
    else:
        assert _places(two, np.array(feet)) == places
