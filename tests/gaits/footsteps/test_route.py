"""Routes and footsteps: every goal is reached exactly, with the exactly shorter pivot and the fewest steps."""

import math
from itertools import pairwise

import numpy as np
import pytest

from strut.errors import BadFootstepsError, OutOfRangeError
from strut.gaits.footsteps.footsteps import (
    LEFT,
    RIGHT,
    StepLimits,
    end_of,
    foot_gap_m,
    footsteps_to,
    read_footsteps,
    standing,
)
from strut.gaits.footsteps.route import DIRECTION_RAD, pivot_displacement, route_in_direction, route_to, shorter_pivots
from strut.place import Place, wrap_angle
from tests.alice import ALICE

SEPARATION_M = 0.0898
LIMITS = StepLimits(0.04, 0.025, math.radians(20.0), SEPARATION_M)
HERE = Place(0.0, 0.0, 0.0)


def random_goals(count, seed):
    rng = np.random.default_rng(seed)
    special = [Place(0.5, 0.0, 0.0), Place(-0.5, 0.0, 0.0), Place(0.0, 0.0, math.pi), Place(0.0, 0.3, 0.0), HERE]
    drawn = rng.uniform([-1.0, -1.0, -math.pi], [1.0, 1.0, math.pi], (count - len(special), 3))
    return [*special, *(Place(*row) for row in drawn.tolist())]


def miss(place, goal):
    return max(place.distance_m(goal), abs(wrap_angle(place.heading_rad - goal.heading_rad)))


def test_turn_line_turn_reaches_ten_thousand_goals_exactly():
    for goal in random_goals(10_000, 0):
        route = route_to(goal, SEPARATION_M, LIMITS.swings)
        assert miss(route.end(SEPARATION_M), goal) < 1e-9


def test_every_pivot_and_manner_reaches_every_goal():
    for goal in random_goals(200, 1):
        for pivot in ("right", "left"):
            for direction in DIRECTION_RAD:
                assert miss(route_in_direction(goal, SEPARATION_M, pivot, direction).end(SEPARATION_M), goal) < 1e-9


def test_pivot_is_the_one_with_the_shorter_line():
    for goal in random_goals(2_000, 2):
        length = {pivot: math.hypot(*pivot_displacement(goal, SEPARATION_M, pivot)) for pivot in ("right", "left")}
        for pivot in shorter_pivots(goal, SEPARATION_M):
            assert length[pivot] <= min(length.values()) + 1e-9


def test_rule_of_thumb_by_the_side_of_the_goal_picks_the_longer_line_for_a_quarter_of_them():
    goals = random_goals(4_000, 3)[5:]
    thumb = [("left" if goal.y_m > 0.0 else "right") in shorter_pivots(goal, SEPARATION_M) for goal in goals]
    assert np.mean(thumb) == pytest.approx(0.749, abs=0.02)


@pytest.mark.parametrize("degrees", [-170, -60, 30, 90, 180])
def test_turning_on_the_spot_is_two_half_turns_and_a_short_line(degrees):
    alpha = math.radians(degrees)
    route = route_in_direction(Place(0.0, 0.0, alpha), SEPARATION_M, "right", "forwards" if alpha > 0 else "backwards")
    assert route.first_turn_rad == pytest.approx(alpha / 2.0)
    assert route.second_turn_rad == pytest.approx(alpha / 2.0)
    assert route.line_m == pytest.approx(abs(SEPARATION_M * math.sin(alpha / 2.0)))


def test_goals_behind_and_beside_are_walked_to_without_turning_round():
    assert route_to(Place(-0.1, 0.0), SEPARATION_M, LIMITS.swings).direction == "backwards"
    assert route_to(Place(0.0, 0.05), SEPARATION_M, LIMITS.swings).direction == "leftwards"
    assert route_to(Place(0.0, -0.05), SEPARATION_M, LIMITS.swings).direction == "rightwards"
    assert route_to(Place(1.0, 0.0), SEPARATION_M, LIMITS.swings).direction == "forwards"


def test_footsteps_end_at_the_goal_side_by_side():
    for goal in random_goals(1_000, 4):
        steps = footsteps_to(HERE, [goal], LIMITS)
        assert miss(end_of(HERE, steps, SEPARATION_M), goal) < 1e-9
        feet = list(standing(HERE, SEPARATION_M))
        for step in steps:
            feet[step.foot] = step.place
        wanted = standing(goal, SEPARATION_M)
        assert max(miss(foot, place) for foot, place in zip(feet, wanted, strict=True)) < 1e-9


def test_steps_keep_their_limits_and_feet_never_touch():
    for goal in random_goals(60, 5):
        feet = list(standing(HERE, SEPARATION_M))
        for step in footsteps_to(HERE, [goal], LIMITS):
            feet[step.foot] = step.place
            assert abs(wrap_angle(feet[LEFT].heading_rad - feet[RIGHT].heading_rad)) <= LIMITS.turn_rad + 1e-9
            apart = feet[LEFT].relative_to(feet[RIGHT])
            assert math.hypot(apart.x_m, apart.y_m) <= math.hypot(SEPARATION_M + LIMITS.side_m, LIMITS.length_m) + 1e-9
            assert foot_gap_m(ALICE, feet[RIGHT], feet[LEFT]) > 0.0


def test_feet_alternate_unless_a_step_to_the_side_begins():
    for goal in random_goals(200, 6):
        feet = [step.foot for step in footsteps_to(HERE, [goal], LIMITS)]
        same = sum(a == b for a, b in pairwise(feet))
        assert same <= 2


@pytest.mark.parametrize(("length_m", "swings"), [(0.04, 2), (0.16, 5), (0.161, 6), (1.0, 26)])
def test_straight_walk_takes_the_fewest_steps(length_m, swings):
    steps = footsteps_to(HERE, [Place(length_m, 0.0)], LIMITS)
    assert len(steps) == swings
    assert {round(step.place.y_m, 9) for step in steps} == {-0.0449, 0.0449}


def test_way_points_are_passed_in_order():
    goals = [Place(0.2, 0.0, 0.5), Place(0.2, 0.3, 2.0), Place(0.0, 0.0, 0.0)]
    steps = footsteps_to(HERE, goals, LIMITS)
    assert miss(end_of(HERE, steps, SEPARATION_M), goals[-1]) < 1e-9
    feet = list(standing(HERE, SEPARATION_M))
    passed = 0
    for step in steps:
        feet[step.foot] = step.place
        if passed < 3 and miss(feet[RIGHT], standing(goals[passed], SEPARATION_M)[RIGHT]) < 1e-9:
            passed += miss(feet[LEFT], standing(goals[passed], SEPARATION_M)[LEFT]) < 1e-9
    assert passed == 3


def test_a_place_must_be_finite():
    with pytest.raises(OutOfRangeError, match="The heading of a place is nan; it must be a finite number"):
        Place(0.0, 0.0, math.nan)


def test_footsteps_survive_their_file(tmp_path):
    steps = footsteps_to(HERE, [Place(0.1, 0.05, 0.4)], LIMITS)
    places = [(step.place.x_m, step.place.y_m, math.degrees(step.place.heading_rad)) for step in steps]
    rows = [(("right", "left")[step.foot], *place) for step, place in zip(steps, places, strict=True)]
    lines = ["foot,x_m,y_m,heading_deg", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "steps.csv").write_text("\n".join(lines), encoding="utf-8")
    read = read_footsteps(tmp_path / "steps.csv")
    assert [step.foot for step in read] == [step.foot for step in steps]
    assert max(miss(a.place, b.place) for a, b in zip(read, steps, strict=True)) < 2e-6


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("foot,x_m,y_m,heading_deg\nright,0.02,-0.045,0\nmiddle,0,0,0\n", "step 2 is of the foot 'middle'"),
        ("foot,x_m,y_m,heading_deg\nright,nan,0,0\n", "step 1 needs three finite numbers"),
        ("foot,x_m,y_m,heading_deg\nright,0.1\n", "step 1 needs three finite numbers"),
        ("foot,x,y\nright,0,0\n", "needs a header with foot, x_m, y_m, heading_deg"),
        ("", "needs a header"),
    ],
)
def test_impossible_lists_name_the_step(tmp_path, text, words):
    (tmp_path / "steps.csv").write_text(text, encoding="utf-8")
    with pytest.raises(BadFootstepsError, match=words):
        read_footsteps(tmp_path / "steps.csv")
