"""Which steps a walk to a goal plays, and where it thinks it is: walkers whose feet stay where they are told."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.errors import UnreachablePostureError
from strut.gaits.footsteps.foot_poses import sole_places, standing_place
from strut.gaits.footsteps.footsteps import StepLimits, end_of, standing
from strut.gaits.footsteps.goal_walk import AHEAD, BEHIND, CLOSE_M, CLOSE_RAD, MAX_WALKS, _Walker
from strut.gaits.footsteps.phases import PhaseTimes
from strut.gaits.footsteps.step_drafts import StepGait
from strut.place import Footstep, Place, between
from tests.alice import ALICE, LEGS

SEPARATION_M = LEGS.separation_m
STEP_S = 0.02
GAIT = StepGait(
    StepLimits(0.03, 0.02, 0.2, SEPARATION_M),
    0.01,
    0.21,
    PhaseTimes(0.2, 0.3, 0.4),
    0.0,
    (0.0,) * (len(ALICE.joint_names) - 12),
)
QPOS = np.array(ALICE.standing_qpos)
QPOS[:2] = (0.4, -0.3)
QPOS[3] = math.cos(0.2)
QPOS[6] = math.sin(0.2)
HERE = standing_place(ALICE, QPOS)
FEET = sole_places(ALICE, QPOS)


def near(one, other, abs_m=1e-9):
    return pytest.approx((one.x_m, one.y_m, one.heading_rad), abs=abs_m) == (other.x_m, other.y_m, other.heading_rad)


def test_a_walker_starts_at_the_origin_of_the_ground_that_it_imagines_with_nothing_done():
    walker = _Walker(ALICE, LEGS, GAIT, "corrected", None, STEP_S, None)
    right, left = walker._feet
    assert near(right, Place(0.0, -SEPARATION_M / 2.0))
    assert near(left, Place(0.0, SEPARATION_M / 2.0))
    assert near(walker._ground, Place(0.0, 0.0))
    assert (walker._started, walker._taken, walker._foot_error_m, walker._runs) == (False, 0, 0.0, [])


# towards the goal


def walker_to(imagined=HERE, fallen=False):
    """Return a walker that stands still at `HERE`, whatever it walks, and thinks that it stands where told."""
    walked = []
    walker = SimpleNamespace(
        _robot=ALICE,
        _plant=SimpleNamespace(qpos=QPOS),
        _gait=GAIT,
        _feet=list(standing(imagined, SEPARATION_M)),
        _ground=None,
        _walk=walked.append,
        fallen=fallen,
    )
    return walker, walked


@pytest.mark.parametrize(
    ("off", "again"),
    [
        (Place(0.99 * CLOSE_M, 0.0), False),
        (Place(0.0, -1.01 * CLOSE_M), True),
        (Place(0.0, 0.0, 0.99 * CLOSE_RAD), False),
        (Place(0.0, 0.0, 1.01 * CLOSE_RAD), True),
        (Place(0.0, 0.0, -1.01 * CLOSE_RAD), True),
        (Place(0.0, 0.0, 2.0 * math.pi), False),
    ],
)
def test_who_is_not_close_to_the_goal_walks_on_a_few_times(off, again):
    walker, walked = walker_to()
    _Walker.walk_to(walker, HERE.compose(off), ["first"])
    assert walked[0] == ["first"]
    assert len(walked) == (MAX_WALKS if again else 1)


def test_who_has_fallen_does_not_walk_on():
    walker, walked = walker_to(fallen=True)
    _Walker.walk_to(walker, Place(1.0, 0.0), ["first"])
    assert walked == [["first"]]


@pytest.mark.parametrize("imagined", [Place(0.0, 0.0), Place(0.4, -0.2, 0.5)])
def test_new_steps_lead_from_where_it_really_is_to_the_goal(imagined):
    walker, walked = walker_to(imagined)
    goal = HERE.compose(Place(0.08, 0.03, 0.3))
    _Walker.walk_to(walker, goal, [])
    assert near(end_of(HERE, walked[1], SEPARATION_M), goal)
    assert near(walker._ground.compose(between(*walker._feet)), HERE)


# step by step


def stepper(**changes):
    """Return a walker whose feet really are `FEET` all the time, and what it is asked to play."""
    played = []
    told = []
    own = {
        "_robot": ALICE,
        "_plant": SimpleNamespace(qpos=QPOS),
        "_gait": GAIT,
        "_feet": list(FEET),
        "_ground": Place(0.0, 0.0),
        "_started": True,
        "_taken": 0,
        "_foot_error_m": 0.0,
        "_on_step": lambda done, planned: told.append((done, planned)),
        "_play": lambda feet, steps, behind, *, last, whole: played.append((feet, steps, behind, last, whole)),
        "fallen": False,
    }
    return SimpleNamespace(**own | changes), played, told


def on_the_spot(count):
    return [Footstep(number % 2, FEET[number % 2]) for number in range(count)]


def test_a_few_steps_around_the_present_are_planned_and_one_of_them_played():
    walker, played, told = stepper()
    count = 9
    _Walker._walk(walker, on_the_spot(count))
    assert [behind for _, _, behind, _, _ in played] == [min(number, BEHIND) for number in range(count)]
    assert [len(steps) for _, steps, _, _, _ in played] == [
        min(number, BEHIND) + min(AHEAD, count - number) for number in range(count)
    ]
    assert [last for _, _, _, last, _ in played] == [number == count - 1 for number in range(count)]
    assert [whole for _, _, _, _, whole in played] == [number >= count - AHEAD for number in range(count)]
    assert told == [(number, count) for number in range(1, count + 1)]
    assert (walker._taken, walker._foot_error_m) == (count, pytest.approx(0.0, abs=1e-9))
    for number, (_, steps, behind, _, _) in enumerate(played):
        assert steps[behind].foot == number % 2
        assert near(steps[behind].place, FEET[number % 2])


def test_plans_begin_with_the_feet_of_their_first_step():
    """The body walks on, and the real feet stay behind by ever more: each step is wanted 8 mm further."""
    walker, played, _ = stepper()
    wanted = [Footstep(n % 2, FEET[n % 2].compose(Place(0.004 * (n + 1), 0.0))) for n in range(6)]
    _Walker._walk(walker, wanted)
    done = [steps[behind] for _, steps, behind, _, _ in played]
    feet = list(FEET)
    for number in range(6):
        first = max(0, number - BEHIND)
        assert all(near(one, other) for one, other in zip(played[number][0], _after(done[:first]), strict=True))
        assert [step.foot for step in played[number][1][: number - first]] == [step.foot for step in done[first:number]]
        feet[done[number].foot] = done[number].place
    assert all(near(one, other) for one, other in zip(walker._feet, feet, strict=True))
    assert near(walker._ground.compose(done[-1].place), FEET[1])
    assert walker._foot_error_m == pytest.approx(0.004 * 6)


def _after(steps):
    feet = list(FEET)
    for step in steps:
        feet[step.foot] = step.place
    return feet


def test_who_falls_takes_no_further_step_and_who_has_none_still_stands():
    walker, played, told = stepper(fallen=True)
    _Walker._walk(walker, on_the_spot(4))
    assert (len(played), told, walker._taken) == (1, [(1, 4)], 1)
    idle, played, _ = stepper(_started=False)
    _Walker._walk(idle, [])
    ((feet, steps, behind, last, whole),) = played
    assert (steps, behind, last, whole) == ([], 0, True, True)
    assert near(feet[0], FEET[0])
    started, played, _ = stepper()
    _Walker._walk(started, [])
    assert played == []


@pytest.mark.parametrize("failing", [1, 2])
def test_a_step_that_is_too_long_once_corrected_is_walked_as_planned_or_told(failing):
    played = []

    def play(feet, steps, behind, *, last, whole):
        played.append((steps, behind, last, whole))
        if 2 <= len(played) < 2 + failing:
            raise UnreachablePostureError(3, "leg", "too far")

    walker, _, _ = stepper(_play=play)
    steps = on_the_spot(3)
    steps[1] = replace(steps[1], place=FEET[1].compose(Place(0.05, 0.0)))
    walker._ground = Place(0.0, 0.004)  # the ground lies aside of where it was thought to lie
    if failing == 2:
        with pytest.raises(UnreachablePostureError, match="in step 2; a walk with shorter steps"):
            _Walker._walk(walker, steps)
        return
    _Walker._walk(walker, steps)
    again, behind, last, whole = played[2]
    assert (len(again), behind, last, whole) == (2, 1, False, False)
    stance = again[0].place
    assert near(again[1].place.relative_to(stance), steps[1].place.relative_to(steps[0].place), 1e-6)


# piece by piece


def test_pieces_follow_each_other_without_a_gap_and_begin_at_rest():
    asked = []
    goals = []

    class Plant:
        def control(self, time_s, goal_rad, torque_nm):
            assert goal_rad.shape == torque_nm.shape == (len(time_s), len(ALICE.joint_names))
            goals.append(goal_rad[0])
            return time_s[:, None]

        def play(self, time_s, control, start):
            asked.append((time_s, control[:, 0], start))
            return "run"

    walker = _Walker(ALICE, LEGS, GAIT, "corrected", Plant(), STEP_S, None)
    feet = standing(Place(0.0, 0.0), SEPARATION_M)
    steps = [Footstep(0, feet[0].compose(Place(0.02, 0.0))), Footstep(1, feet[1].compose(Place(0.02, 0.0)))]
    walker._play(feet, steps, 0, last=False, whole=True)
    walker._play(feet, steps, 1, last=True, whole=True)
    walker._play(feet, steps[:1], 0, last=True, whole=False)  # closes by itself
    (first, sent, start), (second, rest, none), (alone, _, _) = asked
    step_s = 0.5
    swing_s = 0.3
    settle_s = 0.4
    assert first[0] == 0.0
    assert first[-1] == pytest.approx(2.0 * settle_s + swing_s - STEP_S)
    assert sent[-1] == pytest.approx(first[-1] + STEP_S)  # one goal more than samples: where the next piece begins
    assert second[0] == pytest.approx(first[-1] + STEP_S)
    assert second[-1] == rest[-1] == pytest.approx(2.0 * settle_s + swing_s + step_s + 2.0 * settle_s)
    assert alone[-1] == pytest.approx(second[-1])
    np.testing.assert_array_equal(start[7:], goals[0])
    assert none is None
    assert walker._runs == ["run"] * 3
