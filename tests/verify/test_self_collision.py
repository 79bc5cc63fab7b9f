"""Self-collision as a limit: who is too near, when, and that walks which pass keep their distance."""

from dataclasses import replace

import numpy as np
import pytest

from strut.draft import Draft
from strut.engines.self_distance import self_distance
from strut.models.catalogue import load_robot
from strut.schemas.collision import CollisionTable
from strut.verify.limits import SelfCollision, limits_for
from strut.verify.measure import measure


def with_least_distance(robot, least_m):
    return replace(robot, tables=replace(robot.tables, collision=CollisionTable(min_distance_m=least_m)))


def crossing_shoes():
    """Return Alice with her legs rolled inwards and back again, both alike, in 1 s."""
    robot = load_robot("alice")
    time_s = np.linspace(0.0, 1.0, 101)
    qpos = np.tile(robot.model.qpos0, (101, 1))
    inwards = 0.1 * np.sin(np.pi * time_s)
    for name, sign in (("R_hip_roll", 1.0), ("L_hip_roll", -1.0)):
        qpos[:, 7 + robot.joint_names.index(name)] = sign * inwards
    wrong_way = self_distance(robot, qpos).smallest_m > 0.0
    if wrong_way:
        qpos[:, 7:] *= -1.0
    return robot, measure(Draft(robot, time_s, qpos, np.ones((101, 2), dtype=bool), None))


def test_the_two_bodies_and_the_instant_are_named():
    _, draft = crossing_shoes()
    found = SelfCollision().violation(draft)
    assert found.limit == "self-collision"
    assert str(found.reason).startswith("self-collision: R_shoe and L_shoe are ")
    assert "mm inside each other at 0.50 s, nearer than 1 mm apart" in str(found.reason)
    assert found.broken[50]
    assert not found.broken[[0, -1]].any()


def test_the_depth_of_a_permitted_overlap_is_reported():
    _, draft = crossing_shoes()
    soft = with_least_distance(draft.robot, -0.001)
    sentence = str(SelfCollision().violation(measure(replace(draft, robot=soft))).reason)
    assert sentence.endswith("nearer than 1 mm inside each other")
    softer = with_least_distance(draft.robot, -0.2)
    assert SelfCollision().violation(measure(replace(draft, robot=softer))) is None


@pytest.mark.parametrize("name", ["alice", "heiman", "mrpete", "pepper"])
def test_every_robot_is_judged_by_it(name):
    assert "self-collision" in {limit.name for limit in limits_for(load_robot(name), margin_m=0.0)}


def test_least_distances_are_data_with_a_usual_value():
    least_m = {name: load_robot(name).collision.min_distance_m for name in ("alice", "heiman", "mrpete", "pepper")}
    assert least_m == {"alice": 0.001, "heiman": -0.04, "mrpete": 0.005, "pepper": 0.005}


def test_while_searching_bodies_keep_a_little_more_apart():
    """A few cycles at a coarse rate do not have the nearest instant."""
    _, draft = crossing_shoes()
    nearest_m = draft.measured.self_distance.smallest_m
    near_limit = measure(replace(draft, robot=with_least_distance(draft.robot, nearest_m - 1e-4)))
    found = {use: limits_for(near_limit.robot, margin_m=0.0, use=use) for use in (1.0, 0.97)}
    broken = {use: [one.name for one in limits if one.violation(near_limit)] for use, limits in found.items()}
    assert "self-collision" not in broken[1.0]
    assert "self-collision" in broken[0.97]
