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
    with pytest.raises(BadTableError, match=r"robot\.toml says no wheels_m of its platform"):
        wheel_margin(without(robot, "wheels_m"), STANDING, np.zeros((1, 2)))
    with pytest.raises(BadTableError, match=r"robot\.toml says no force_limit_n of its platform"):
        drive_use(without(robot, "force_limit_n"), STANDING, np.ones((1, 3)))
