"""Where walks end against their goals; the oracle is a body that is put somewhere by hand."""

import math

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.place import Place
from strut.verify.goal_ending import goal_of, measure_goal_ending
from strut.viewer.receipt_text import goal_words


def _walked(start: Place, reached: Place, goal: Place) -> Motion:
    """Return a robot that stands at one place and then at another, seen from the first, with a goal in its file."""
    robot = load_robot("alice")
    rows = []
    for place in (start, start.compose(reached)):
        qpos = robot.standing_qpos.copy()
        base = place.compose(Place(float(qpos[0]), float(qpos[1])))
        half = base.heading_rad / 2.0
        qpos[:2] = (base.x_m, base.y_m)
        qpos[3:7] = (math.cos(half), 0.0, 0.0, math.sin(half))
        rows.append(qpos)
    options = {"goal": [goal.x_m, goal.y_m, goal.heading_rad]}
    feet = np.ones((2, 2), dtype=bool)
    return Motion(
        "alice",
        np.array([0.0, 0.02]),
        np.array(rows),
        robot.joint_names,
        feet,
        robot.foot_names,
        meta={"options": options},
    )


def test_an_end_fifteen_per_cent_too_far_is_reported_from_any_start():
    start = Place(0.7, -0.2, 2.0)
    goal = Place(0.8, 0.6, 0.5)
    reached = Place(1.15 * goal.x_m, 1.15 * goal.y_m, goal.heading_rad + 0.1)
    found = measure_goal_ending(_walked(start, reached, goal))
    assert found.goal_distance_m == pytest.approx(1.0)
    assert found.goal_error_m == pytest.approx(0.15)
    assert found.too_far_m == pytest.approx(0.15)
    assert found.to_left_m == pytest.approx(0.0, abs=1e-9)
    assert found.heading_error_rad == pytest.approx(0.1)
    told = "150 mm from its goal (150 mm too far), 15 % farther than asked, turned 5.7° farther left than asked"
    assert goal_words(found) == told


def test_an_end_short_of_the_goal_and_to_the_left_is_reported():
    found = measure_goal_ending(_walked(Place(0.0, 0.0), Place(0.98, 0.03), Place(1.0, 0.0)))
    assert (found.too_far_m, found.to_left_m) == pytest.approx((-0.02, 0.03))
    assert goal_words(found) == "36 mm from its goal (20 mm short of it, 30 mm to the left), facing as asked"


def test_a_goal_on_the_spot_is_measured_along_its_heading():
    found = measure_goal_ending(_walked(Place(0.0, 0.0), Place(0.0, 0.02, math.pi / 2), Place(0.0, 0.0, math.pi / 2)))
    assert (found.too_far_m, found.to_left_m) == pytest.approx((0.02, 0.0), abs=1e-9)


def test_goals_are_read_as_any_gait_writes_them():
    place = {"x_m": 1.0, "y_m": 0.3, "heading_rad": 0.5}
    assert goal_of({"options": {"goals": [{"x_m": 0.2, "y_m": 0.0}, place]}}) == Place(1.0, 0.3, 0.5)
    assert goal_of({"options": {"goal": [1.0, 0.3, 0.5]}}) == Place(1.0, 0.3, 0.5)
    assert goal_of({"options": {"goals": (place,)}}) == Place(1.0, 0.3, 0.5)  # as a walk has it before it is saved


@pytest.mark.parametrize(
    "options",
    [None, 5, {}, {"goals": []}, {"goals": 3}, {"goals": "abc"}, {"goal": "abc"}, {"goal": [1]}, {"goal": [1, None]}],
)
def test_a_file_that_names_no_goal_has_no_ending(options):
    assert goal_of({"options": options}) is None
