"""Turning strides in numbers: pace along an arc, turned configurations, guesses and costs."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.table import human_gait
from strut.human.transitions.turning_problem import Turning, turned_configuration
from strut.maths.rotation import qpos_from_angles
from strut.ocp.problem import BoundarySymbols, MayerCost


def numbers(expression):
    return np.array(expression).astype(float).ravel()


def test_a_stride_goes_along_the_chord_of_its_arc_at_its_speed(heiman):
    turning = SimpleNamespace(robot=heiman, turn_rad=0.8)
    stride, support = Turning.pace_constraints(turning)
    parameter = {"step_length_m": 0.6, "speed_m_s": 1.2}
    chord = np.sin(0.4) / 0.4
    ends = SimpleNamespace(
        first=SimpleNamespace(q=np.array([0.1, 0.2, 0.9]), parameter=parameter),
        last=SimpleNamespace(q=np.array([0.1 + 1.2 * chord + 0.03, 0.2 - 0.04, 0.9])),
        total_s=0.95,
        durations_s=np.array([0.2, 0.1, 0.05, 0.06, 0.21, 0.11, 0.02, 0.03]),
    )
    assert_allclose(numbers(stride.rows(ends)), [0.03, -0.04, 1.2 - 1.2 * 0.95], atol=1e-12)
    share = human_gait(heiman).limits.double_support_share
    assert_allclose(numbers(support.rows(ends)), [0.11 - share * 0.41, 0.05 - share * 0.37], atol=1e-12)
    assert (support.lower, support.upper) == (-np.inf, 0.0)


def test_turned_configurations_keep_their_places_and_turn_about_the_vertical(heiman):
    q = 0.2 * np.random.default_rng(0).normal(size=(3, heiman.model.nv))
    angle = np.array([0.0, 0.5, -1.0])
    found = turned_configuration(q, angle)
    assert_allclose(found[:, :3], q[:, :3])
    assert_allclose(found[:, 6:], q[:, 6:])
    before, after = (Rotation.from_quat(qpos_from_angles(one)[:, 3:7], scalar_first=True) for one in (q, found))
    assert_allclose((after * before.inv()).as_rotvec(), np.outer(angle, [0.0, 0.0, 1.0]), atol=1e-9)


COARSE = (4, 4, 2, 2)
TURN_RAD = 0.4


@pytest.fixture(scope="module")
def turning(heiman, drawn_step):
    return Turning(heiman, named_gait_options(heiman, [HUMAN]), drawn_step, TURN_RAD, COARSE)


@pytest.fixture(scope="module")
def stride(turning):
    """A guessed stride that turns, from a step whose forces and torques are told apart."""
    rng = np.random.default_rng(0)
    step = turning.step
    pushed = replace(
        step, u=rng.normal(size=step.u.shape), force_n=step.force_n * rng.uniform(0.5, 1.5, step.force_n.shape)
    )
    other = replace(turning, step=pushed)
    problem = other.problem()
    return pushed, problem, other.guess(problem)


def test_a_guessed_stride_goes_round_a_circle_as_long_as_two_steps(stride):
    step, _, guess = stride
    step_m = step.parameter["step_length_m"]
    half = len(step.q)
    radius = 2.0 * step_m / TURN_RAD
    centre = radius * np.array([np.sin(TURN_RAD / 2.0), np.cos(TURN_RAD / 2.0)])  # to the left of where it starts
    aside = np.concatenate([step.q[:, 1], -step.q[:, 1]])  # of the line of the straight walk, to the left
    from_centre = guess.q[:, :2] - centre
    assert_allclose(guess.q[0, :2], 0.0, atol=1e-12)
    assert_allclose(np.hypot(*from_centre.T), radius - aside, atol=1e-9)
    gone = np.arctan2(from_centre[:, 0], -from_centre[:, 1]) + TURN_RAD / 2.0
    along = np.concatenate([step.q[:, 0], step_m + step.q[:, 0]])
    assert_allclose(radius * gone, along, atol=1e-9)
    assert guess.q[-1, 1] == pytest.approx(0.0, abs=1e-9)  # the chord is the x axis
    assert guess.q[half, 2] == pytest.approx(step.q[0, 2])


def test_a_guessed_stride_turns_evenly_in_time_and_its_velocities_with_it(stride, mirror):
    step, _, guess = stride
    straight = {
        name: np.concatenate([getattr(step, name), mirror.image(getattr(step, name))]) for name in ("q", "v", "a")
    }
    total_s = 2.0 * step.time_s[-1]
    assert_allclose(guess.time_s, np.concatenate([step.time_s, step.time_s[-1] + step.time_s]))
    heading = TURN_RAD * (guess.time_s / total_s - 0.5)
    before, after = (
        Rotation.from_quat(qpos_from_angles(q)[:, 3:7], scalar_first=True) for q in (straight["q"], guess.q)
    )
    assert_allclose((after * before.inv()).as_rotvec(), np.outer(heading, [0.0, 0.0, 1.0]), atol=1e-9)
    turn = Rotation.from_rotvec(np.outer(heading, [0.0, 0.0, 1.0]))
    for name in ("v", "a"):
        assert_allclose(getattr(guess, name)[:, :3], turn.apply(straight[name][:, :3]), atol=1e-7)
        assert_allclose(getattr(guess, name)[:, 6:], straight[name][:, 6:], atol=1e-6)
    assert_allclose(guess.v[:, 5], straight["v"][:, 5] + TURN_RAD / total_s)
    assert_allclose(guess.q[:, 6:], straight["q"][:, 6:])


def test_a_guessed_stride_pushes_as_its_step_does_and_as_its_mirror_image(stride, mirror):
    step, problem, guess = stride
    half = len(step.q)
    assert_allclose(guess.u[:half], step.u)
    assert_allclose(guess.u[half:], mirror.image(np.pad(step.u, [(0, 0), (6, 0)]))[:, 6:])
    row = {name: k for k, name in enumerate(problem.contact.row_names)}
    own = {name: k for k, name in enumerate(step.problem.contact.row_names)}
    for side, there, part in (("Right", "Right", slice(None, half)), ("Right", "Left", slice(half, None))):
        for axis, sign in (("X", 1.0), ("Y", 1.0 if there == side else -1.0), ("Z", 1.0)):
            mine = step.force_n[:, own[f"Hallux{side} {axis}"]]
            assert_allclose(guess.force_n[part, row[f"Hallux{there} {axis}"]], sign * mine)
    assert guess.parameter == step.parameter


def test_a_turning_stride_may_face_as_far_aside_as_it_turns_and_starts_at_the_origin(turning):
    problem = turning.problem()
    straight = turning.step.problem.bounds
    widest = np.abs(straight.q[:, 5]).max()
    assert_allclose(problem.bounds.q[:, 5], np.array([-1.0, 1.0]) * (widest + TURN_RAD))
    right = replace(turning, turn_rad=-TURN_RAD).problem()
    assert_allclose(right.bounds.q, problem.bounds.q)
    assert_allclose(problem.bounds.first_q[:, :2], 0.0)
    assert np.isinf(problem.bounds.first_q[:, 2:]).all()
    assert (problem.bounds.first_q[0, 2:] < problem.bounds.first_q[1, 2:]).all()


def test_a_turning_stride_is_a_step_of_either_leg_with_shanks_that_do_not_touch(turning):
    phases = turning.problem().phases
    step = turning.step.problem.phases
    assert [phase.intervals for phase in phases] == [*COARSE, *COARSE]
    assert [phase.arrival for phase in phases] == [phase.arrival for phase in step] * 2
    assert phases[2].landing == ("HeelLeft",)
    assert phases[6].landing == ("HeelRight",)
    assert phases[3].unloaded == step[3].unloaded
    assert [name.split()[0] for name in phases[7].unloaded] == ["HalluxLeft"] * 3 + ["Meta5Left"] * 2
    assert all(phase.constraints[0].name == "distance of the shanks" for phase in phases)
    assert [phase.contact.name for phase in phases[:4]] == [phase.contact.name for phase in step]
    assert phases[4].name == "LeftFlat"


def test_what_adds_up_over_a_stride_counts_half_and_its_heading_nothing(heiman, turning):
    step = turning.step.problem
    hasty = replace(step, costs=(*step.costs, MayerCost("step", 1.0, lambda ends: (ends.total_s - 0.5) ** 2)))
    whole = replace(turning, step=replace(turning.step, problem=hasty)).problem()
    cost = {one.name: one for one in whole.costs}
    own = {one.name: one for one in hasty.costs}
    for name in ("effort", "momentum", "head", "torque rate", "landing"):
        assert cost[name].weight == pytest.approx(own[name].weight / 2.0)
    for name in ("acceleration", "arms", "posture"):  # means over time
        assert cost[name].weight == own[name].weight
    ends = BoundarySymbols(None, None, None, 1.2)
    assert cost["step"].value(ends) == pytest.approx(0.01)
    assert cost["time"].value(ends) == pytest.approx(0.6)
    upright = SimpleNamespace(rotation=lambda segment: np.eye(3))

    def posture(of, q):
        return of["posture"].value(SimpleNamespace(q=q, positions=upright))

    still = np.zeros(34)
    aside = 0.3 * np.eye(34)[5]
    tipped = 0.05 * np.eye(34)[4]
    assert posture(own, aside) - posture(own, still) > 10.0
    assert posture(cost, aside) - posture(cost, still) == pytest.approx(0.03**2)
    assert posture(cost, tipped) - posture(cost, still) == pytest.approx(4.0)  # 0.025 rad by natural criteria
    plain = {one.name: one for one in replace(turning, natural=False).problem().costs}
    assert posture(plain, tipped) - posture(plain, still) == pytest.approx((0.05 / 0.06) ** 2)


def test_a_turn_keeps_the_bearing_of_its_style(heiman, turning):
    bent = replace(turning.options, style=replace(turning.options.style, trunk_pitch_rad=0.2))
    upright = SimpleNamespace(rotation=lambda segment: np.eye(3))
    node = SimpleNamespace(q=np.zeros(34), positions=upright)
    values = []
    for options in (turning.options, bent, replace(turning.options, style=None)):
        (cost,) = (one for one in replace(turning, options=options).problem().costs if one.name == "posture")
        values.append(cost.value(node))
    assert values[1] > values[0] + 100.0
    assert values[2] == pytest.approx(values[0])
