"""Starts and stops in numbers: their phases, what is left free, and the guess that blends a stand with a step."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.anatomy import LEFT, RIGHT
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.transitions.quiet_stand import BOTH_FEET_FLAT, either_side_bounds, heading_of_foot, stance
from strut.human.transitions.transition_problem import Transition
from strut.ocp.continuity_constraints import BoundaryState

COARSE = (4, 4, 2, 2)
STEP_PUSH = 11.0
STAND_PUSH = 1.0  # torques of all joints, in the step and in the stand


@pytest.fixture(scope="module")
def transition(heiman, drawn_step):
    upright = np.zeros(34)
    upright[2] = heiman.subject.standing_pelvis_height_m
    upright[[9, 16]] = 0.06
    rest = BoundaryState(upright, np.zeros(34), np.full(28, STAND_PUSH))
    step = replace(drawn_step, u=np.full_like(drawn_step.u, STEP_PUSH))
    return Transition(heiman, named_gait_options(heiman, [HUMAN]), step, rest, COARSE)


@pytest.fixture(scope="module")
def started(transition):
    return transition.start()


@pytest.fixture(scope="module")
def stopped(transition):
    return transition.stop()


def step_share(guess):
    """How much of the step a guess has at its nodes, by its torques."""
    return (guess.u[:, 0] - STAND_PUSH) / (STEP_PUSH - STAND_PUSH)


def smooth(share):
    """A step that begins and ends without speed: the area under a parabola."""
    clipped = np.clip(share, 0.0, 1.0)
    return 3.0 * clipped**2 - 2.0 * clipped**3


def test_a_start_shifts_the_weight_lifts_a_heel_and_steps(transition, started):
    problem, guess = started
    assert [phase.name for phase in problem.phases[:2]] == ["Shift", "HeelOff"]
    assert [phase.intervals for phase in problem.phases] == [16, 7, *COARSE]
    assert [phase.duration_s for phase in problem.phases[:2]] == [(0.30, 0.50), (0.15, 0.30)]
    assert_allclose(guess.duration_s, [0.45, 0.25, *transition.step.duration_s])
    assert problem.phases[0].contact.name == BOTH_FEET_FLAT
    assert problem.phases[0].unloaded == ("HeelLeft Z",)


def test_a_stop_steps_and_brings_the_other_foot_alongside(transition, stopped):
    problem, guess = stopped
    assert [phase.name for phase in problem.phases[4:]] == ["Alongside", "Settle"]
    assert [phase.intervals for phase in problem.phases] == [*COARSE, 14, 16]
    assert_allclose(guess.duration_s, [*transition.step.duration_s, 0.4, 0.55])
    assert problem.phases[-1].landing == ("HeelRight", "HalluxRight", "Meta5Right")
    assert [phase.arrival for phase in problem.phases] == ["continuous"] * 2 + ["impact"] * 2 + ["continuous", "impact"]


@pytest.mark.parametrize("kind", ["start", "stop"])
def test_steps_of_a_transition_last_a_quarter_shorter_or_longer_and_every_point_that_stands_presses(
    transition, started, stopped, kind
):
    problem, _ = started if kind == "start" else stopped
    first = 2 if kind == "start" else 0
    for phase, lasting in zip(problem.phases[first : first + 4], transition.step.duration_s, strict=True):
        assert_allclose(phase.duration_s, (0.75 * lasting, 1.25 * lasting))
    assert all(phase.min_load_n == 1.0 for phase in problem.phases)
    known = transition.step.parameter
    assert [(one.lower, one.upper) for one in problem.parameters] == [
        (known[one.name],) * 2 for one in problem.parameters
    ]
    assert {cost.name for cost in problem.costs} == {cost.name for cost in transition.step.problem.costs} - {"time"}


def test_a_transition_may_face_as_far_aside_as_its_step_or_its_stand(heiman, transition, started):
    wide = either_side_bounds(heiman, transition.step.problem).q
    furthest = np.abs(transition.step.q[:, 5]).max()
    assert 0.09 < furthest < 0.11
    assert_allclose(started[0].bounds.q[:, 5], wide[:, 5] + furthest * np.array([-1.0, 1.0]))
    turned = replace(transition.stand, q=transition.stand.q - 0.4 * np.eye(34)[5])
    found = replace(transition, stand=turned).stop()[0].bounds.q
    assert_allclose(found[:, 5], wide[:, 5] + np.array([-0.4, 0.4]))
    assert_allclose(np.delete(found, 5, axis=1), np.delete(wide, 5, axis=1))


def test_feet_of_a_transition_that_are_in_the_air_stay_above_the_ground(transition, started, stopped):
    def heights(phase):
        return {
            one.name: (one.lower, one.nodes) for one in phase.constraints if one.name.startswith(("height", "clear"))
        }

    assert heights(started[0].phases[0]) == {}  # both soles stand
    assert heights(started[0].phases[1]) == {"height of the left heel": (0.0, "not first")}
    assert heights(stopped[0].phases[4]) == {
        "height of the right foot": (0.0, "inner"),
        "clearance of the right foot": (transition.options.clearance_m, "middle"),
    }
    assert heights(stopped[0].phases[5]) == {}
    assert all(phase.constraints[0].name == "distance of the legs" for phase in started[0].phases)
    foot, toes = stopped[0].phases[4].constraints[1:]
    assert foot.row_names == ("the right heel", "the right big toe", "the right little toe")
    assert toes.row_names == ("the right big toe", "the right little toe")


def test_the_guess_of_a_start_stands_for_a_fifth_of_its_time_and_then_fades_into_the_step(transition, started):
    guess = started[1]
    share = guess.time_s / guess.time_s[-1]
    assert_allclose(step_share(guess), smooth((share - 0.2) / 0.8), atol=2e-4)
    assert_allclose(guess.q[0, 1:], transition.stand.q[1:], atol=1e-9)
    assert_allclose(guess.q[-1, 1:], transition.step.q[-1, 1:], atol=1e-9)


def test_the_guess_of_a_stop_fades_from_the_step_and_stands_for_its_last_fifth(transition, stopped):
    guess = stopped[1]
    share = guess.time_s / guess.time_s[-1]
    assert_allclose(step_share(guess), 1.0 - smooth(share / 0.8), atol=2e-4)
    assert_allclose(guess.q[0, 1:], transition.step.q[0, 1:], atol=1e-9)
    assert_allclose(guess.q[-1, 1:], transition.stand.q[1:], atol=1e-9)


@pytest.mark.parametrize("kind", ["start", "stop"])
def test_a_guessed_transition_moves_on_with_the_root_of_its_share_of_the_step(started, stopped, kind):
    guess = (started if kind == "start" else stopped)[1]
    time_s = np.linspace(0.0, guess.time_s[-1], 4001)
    share = time_s / time_s[-1]
    walked = smooth((share - 0.2) / 0.8) if kind == "start" else 1.0 - smooth(share / 0.8)
    way_m = np.append(0.0, np.cumsum(0.5 * (walked[1:] ** 0.5 + walked[:-1] ** 0.5) * np.diff(time_s))) * 1.3
    assert_allclose(guess.q[:, 0], np.interp(guess.time_s, time_s, way_m), atol=2e-3)
    inner = slice(1, -1)
    assert_allclose(guess.v[inner, 0], 1.3 * np.interp(guess.time_s, time_s, walked**0.5)[inner], atol=0.06)


def test_a_guessed_start_follows_the_step_in_the_time_of_the_step(transition, started):
    """Between stand and step a coordinate has its share of the way to where the step is by then."""
    guess = started[1]
    step = transition.step
    before_s = 0.7
    late = guess.time_s > before_s + 1e-9
    share = step_share(guess)[late]
    own = np.append(np.diff(step.time_s) > 0.0, True)
    within = np.interp(guess.time_s[late] - before_s, step.time_s[own], step.q[own, 5])
    assert_allclose(guess.q[late, 5], share * within, atol=2e-3)


def test_bounds_of_either_side_let_the_pelvis_go_anywhere_up_to_standing(heiman, natural_problem, mirror):
    wide = either_side_bounds(heiman, natural_problem)
    own = natural_problem.bounds
    assert_allclose(wide.q[:, :2], [[-np.inf] * 2, [np.inf] * 2])
    assert_allclose(wide.q[:, 2], [own.q[0, 2], heiman.subject.standing_pelvis_height_m + 0.02])
    at = natural_problem.tree.velocity_names.index
    for right, left in (("KneeRight_RY", "KneeLeft_RY"), ("HipRight_RY", "HipLeft_RY")):
        either = own.q[:, [at(right), at(left)]]
        assert_allclose(wide.q[:, at(right)], [either[0].min(), either[1].max()])
        assert_allclose(wide.q[:, at(left)], wide.q[:, at(right)])
    inwards = own.q[:, [at("ShoulderRight_RX"), at("ShoulderLeft_RX")]] * [-1.0, 1.0]
    assert_allclose(wide.q[:, at("ShoulderLeft_RX")], [inwards.min(), inwards.max()])
    joint = heiman.joint_names.index
    assert_allclose(wide.u[:, joint("AnkleLeft_RY")], [-100.0, 300.0])
    assert_allclose(wide.v, own.v)


def test_a_stand_on_both_soles_has_all_their_rows(heiman):
    both = stance(heiman, BOTH_FEET_FLAT)
    assert len(both.rows) == 12
    assert {row.point.name for row in both.rows} == set(heiman.foot_names)
    assert stance(heiman, "LeftFlat").name == "LeftFlat"


@pytest.mark.parametrize(("side", "name"), [(RIGHT, "HipRight_RZ"), (LEFT, "HipLeft_RZ")])
def test_a_foot_heads_where_its_own_leg_turns_it(heiman, natural_problem, side, name):
    q = np.zeros(34)
    q[natural_problem.tree.velocity_names.index(name)] = 0.3
    assert heading_of_foot(heiman, q, side) == pytest.approx(0.3, abs=1e-6)
    assert heading_of_foot(heiman, q, LEFT if side == RIGHT else RIGHT) == pytest.approx(0.0, abs=1e-6)
