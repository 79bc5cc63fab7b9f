"""Wheels: what keeps a platform from tipping, and what its table must say."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from strut.balance.wheels import drive_use, wheel_margin
from strut.errors import BadTableError
from strut.models.catalogue import load_robot

STANDING = np.zeros((1, 18))


def without(robot, entry):
    platform = msgspec.structs.replace(robot.platform, **{entry: ()})
    return replace(
        robot, tables=replace(robot.tables, robot=msgspec.structs.replace(robot.tables.robot, platform=platform))
    )


def test_the_margin_is_the_distance_to_the_nearest_edge_and_turns_with_the_platform():
    robot = load_robot("pepper")
    ahead, side, _ = np.array(robot.platform.wheels_m)
    on_the_front_edge = (ahead + side) / 2.0
    assert wheel_margin(robot, STANDING, on_the_front_edge[None]) == pytest.approx(0.0, abs=1e-12)
    turned = STANDING.copy()
    turned[0, :3] = 1.0, 2.0, np.pi / 2.0
    moved = np.array([[1.0 - on_the_front_edge[1], 2.0 + on_the_front_edge[0]]])
    assert wheel_margin(robot, turned, moved) == pytest.approx(0.0, abs=1e-12)
    assert wheel_margin(robot, STANDING, np.array([[0.0, 0.0]])) > 0.05


def test_what_is_bolted_down_cannot_tip():
    bolted = replace(load_robot("pepper"), base_size=0)
    assert wheel_margin(bolted, STANDING, np.array([[9.0, 9.0]])) == np.inf


def test_a_platform_without_a_number_is_refused_by_name():
    robot = load_robot("pepper")
    with pytest.raises(BadTableError, match=r"robot\.toml has no `wheels_m`"):
        wheel_margin(without(robot, "wheels_m"), STANDING, np.zeros((1, 2)))
    with pytest.raises(BadTableError, match=r"robot\.toml has no `force_limit_n`"):
        drive_use(without(robot, "force_limit_n"), STANDING, np.ones((1, 3)))


def test_the_drive_uses_the_share_of_each_limit_that_it_needs():
    robot = load_robot("pepper")
    platform = msgspec.structs.replace(
        robot.platform, speed_limit_m_s=2.0, turn_limit_rad_s=4.0, force_limit_n=50.0, moment_limit_nm=8.0
    )
    table = msgspec.structs.replace(robot.tables.robot, platform=platform)
    robot = replace(robot, tables=replace(robot.tables, robot=table))
    qvel = np.array([[0.3, -0.4, -1.0, 9.0], [0.0, 2.0, 4.0, 9.0]])
    use = drive_use(robot, qvel, np.array([[-30.0, 40.0, -2.0], [10.0, 0.0, 16.0]]))
    np.testing.assert_allclose(use, [[0.25, 0.25, 1.0, 0.25], [1.0, 1.0, 0.2, 2.0]], atol=1e-12)
    assert drive_use(robot, qvel, np.zeros((2, 0))).shape == (2, 0)


def test_in_a_slanting_frame_the_margin_is_that_of_the_point_seen_from_the_platform():
    robot = load_robot("pepper")
    turned = STANDING.copy()
    inside = np.array([[0.02, -0.03]])
    turned[0, :3] = 0.7, -0.4, 0.6
    rotation = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
    seen = wheel_margin(robot, turned, inside @ rotation.T + turned[:, :2])
    np.testing.assert_allclose(seen, wheel_margin(robot, STANDING, inside), atol=1e-12)
    platform = msgspec.structs.replace(robot.platform, wheels_m=((0.0, 0.1), (0.0, -0.1), (0.0, 0.3)))
    table = msgspec.structs.replace(robot.tables.robot, platform=platform)
    in_line = replace(robot, tables=replace(robot.tables, robot=table))
    with pytest.raises(BadTableError, match="stand on one line"):
        wheel_margin(in_line, STANDING, inside)
