"""Footsteps of a biped: how many, which foot, and where each ends; lists of them in files."""

import math
from itertools import pairwise

import pytest

from strut.errors import BadFootstepsError, OutOfRangeError
from strut.gaits.footsteps.footsteps import (
    StepLimits,
    closing,
    end_of,
    first_steps,
    footsteps_along,
    footsteps_to,
    read_footsteps,
    standing,
)
from strut.gaits.footsteps.route import Route
from strut.place import LEFT, RIGHT, Footstep, Place

LIMITS = StepLimits(0.1, 0.05, 0.4, 0.2)


def same(place, x_m, y_m, heading_rad=0.0):
    return (place.x_m, place.y_m, place.heading_rad) == pytest.approx((x_m, y_m, heading_rad), abs=1e-9)


def route(pivot="left", first=0.0, direction="forwards", line=0.0, second=0.0):
    return Route(pivot, direction, first, line, second)


def test_feet_of_a_standing_robot_are_half_the_separation_to_each_side():
    right, left = standing(Place(1.0, 2.0, math.pi / 2.0), 0.2)
    assert same(right, 1.1, 2.0, math.pi / 2.0)
    assert same(left, 0.9, 2.0, math.pi / 2.0)


@pytest.mark.parametrize(
    ("one", "parts", "swings"),
    [
        (route(line=0.3), (0, 3, 0), 4),
        (route(line=0.301), (0, 4, 0), 5),
        (route(line=0.1, direction="leftwards"), (0, 2, 0), 4),
        (route(first=0.8, line=0.2, second=-0.5), (2, 2, 2), 9),
        (route(), (0, 0, 0), 0),
    ],
)
def test_routes_are_cut_into_as_many_parts_as_the_limits_ask(one, parts, swings):
    assert LIMITS.parts(one) == parts
    assert LIMITS.swings(one) == swings


def test_a_straight_walk_alternates_and_closes_beside_the_last():
    steps = footsteps_to(Place(0.0, 0.0), [Place(0.25, 0.0)], LIMITS)
    assert [step.foot for step in steps] in ([RIGHT, LEFT, RIGHT, LEFT], [LEFT, RIGHT, LEFT, RIGHT])
    assert [step.place.x_m for step in steps] == pytest.approx([0.25 / 3.0, 0.5 / 3.0, 0.25, 0.25])
    for step in steps:
        assert step.place.y_m == pytest.approx(-0.1 if step.foot == RIGHT else 0.1)


def test_steps_to_the_side_lead_with_the_outer_foot():
    steps = footsteps_along(Place(0.0, 0.0), route(direction="rightwards", line=0.1), LIMITS)
    assert [step.foot for step in steps] == [RIGHT, LEFT, RIGHT, LEFT]
    assert [step.place.y_m for step in steps] == pytest.approx([-0.15, 0.05, -0.2, 0.0])
    left = footsteps_along(Place(0.0, 0.0), route(direction="leftwards", line=0.05), LIMITS)
    assert [(step.foot, round(step.place.y_m, 9)) for step in left] == [(LEFT, 0.15), (RIGHT, -0.05)]


@pytest.mark.parametrize("pivot", ["left", "right"])
@pytest.mark.parametrize("turn", [0.6, -0.6])
def test_a_turn_goes_about_the_foot_that_stays(pivot, turn):
    steps = footsteps_along(Place(0.0, 0.0), route(pivot=pivot, first=turn), LIMITS)
    side = 0.1 if pivot == "left" else -0.1
    own = LEFT if pivot == "left" else RIGHT
    assert [step.foot for step in steps] == ([RIGHT, LEFT, RIGHT] if turn > 0.0 else [LEFT, RIGHT, LEFT])
    for step, share in zip(steps, (0.5, 1.0, 1.0), strict=True):
        angle = share * turn
        if step.foot == own:
            assert same(step.place, 0.0, side, angle)
        else:
            assert same(step.place, 2.0 * side * math.sin(angle), side - 2.0 * side * math.cos(angle), angle)


def test_walks_over_several_places_never_swing_a_foot_twice_in_a_row():
    goals = [Place(0.2, 0.0), Place(0.2, 0.3, 1.0), Place(-0.1, 0.1, -2.0)]
    steps = footsteps_to(Place(0.0, 0.0), goals, LIMITS)
    end = end_of(Place(0.0, 0.0), steps, 0.2)
    assert (end.x_m, end.y_m) == pytest.approx((-0.1, 0.1), abs=1e-9)
    assert math.cos(end.heading_rad + 2.0) == pytest.approx(1.0)
    forwards = footsteps_to(Place(0.0, 0.0), [Place(0.2, 0.0), Place(0.5, 0.0)], LIMITS)
    assert all(one.foot != other.foot for one, other in pairwise(forwards))


def test_too_many_steps_are_refused():
    with pytest.raises(OutOfRangeError, match="at most"):
        footsteps_to(Place(0.0, 0.0), [Place(1000.0, 0.0)], LIMITS)
    far = [Place(290.0, 0.0), Place(580.0, 0.0)]  # 2901 steps each
    with pytest.raises(OutOfRangeError, match="at most 5000"):
        footsteps_to(Place(0.0, 0.0), far, LIMITS)
    for name in ("length_m", "side_m", "turn_rad", "separation_m"):
        values = {"length_m": 0.1, "side_m": 0.1, "turn_rad": 0.1, "separation_m": 0.1} | {name: 0.0}
        with pytest.raises(OutOfRangeError, match="must be above 0"):
            StepLimits(**values)


def test_first_steps_end_side_by_side():
    steps = footsteps_to(Place(0.0, 0.0), [Place(1.0, 0.0)], LIMITS)
    few = first_steps(steps, 4, 0.2)
    assert len(few) == 4
    assert few[:3] == steps[:3]
    assert few[3].foot == 1 - few[2].foot
    assert few[3].place.x_m == pytest.approx(few[2].place.x_m)
    assert few[3].place.y_m == pytest.approx(-few[2].place.y_m)
    assert first_steps(steps, len(steps), 0.2) == tuple(steps)
    after = closing(Footstep(RIGHT, Place(0.5, -0.1, 0.0)), 0.2)
    assert after.foot == LEFT
    assert same(after.place, 0.5, 0.1)
    other = closing(Footstep(LEFT, Place(0.5, 0.1, math.pi / 2.0)), 0.2)
    assert same(other.place, 0.7, 0.1, math.pi / 2.0)


def test_a_list_of_footsteps_is_read_and_its_faults_are_named(tmp_path):
    path = tmp_path / "steps.csv"
    path.write_text("foot,x_m,y_m,heading_deg\n Right ,0.1,-0.1,90\nleft,0.2,0.1,0\n")
    first, second = read_footsteps(path)
    assert first.foot == RIGHT
    assert same(first.place, 0.1, -0.1, math.pi / 2.0)
    assert (second.foot, second.place) == (LEFT, Place(0.2, 0.1, 0.0))
    for text, words in (
        ("foot,x_m,y_m\nleft,0,0\n", "needs a header"),
        ("foot,x_m,y_m,heading_deg\n", "at least one step"),
        ("foot,x_m,y_m,heading_deg\nmiddle,0,0,0\n", "step 1 is of the foot 'middle'"),
        ("foot,x_m,y_m,heading_deg\nleft,0,0,0\nleft,a,0,0\n", "step 2 needs three finite numbers"),
        ("foot,x_m,y_m,heading_deg\nleft,inf,0,0\n", "step 1 needs three finite numbers"),
    ):
        path.write_text(text)
        with pytest.raises(BadFootstepsError, match=words):
            read_footsteps(path)
    with pytest.raises(BadFootstepsError, match="no such file"):
        read_footsteps(tmp_path / "none.csv")
