"""The problem of following a recording: its mesh, its borders and its end, against sums done by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.anatomy import walking_cycle
from strut.human.reconstruction.recorded_problem import (
    COST_SCALE,
    INTERVAL_S,
    PHASE_TIME_WEIGHT,
    RecordedAngles,
    catmull_rom,
    recorded_problem,
)
from strut.human.table import human_gait
from strut.models.subject import subject
from strut.ocp.contact_schedule import PhaseTime

START_S = 0.2
LASTING = (0.11, 0.25, 0.16, 0.02)


@pytest.fixture(scope="module")
def recorded(heiman):
    """Somebody who stands, said to walk: four phases that begin at 0.2 s and end with the recording."""
    borders = START_S + np.concatenate([[0.0], np.cumsum(LASTING)])
    sets = walking_cycle(heiman).order[:4]
    phases = tuple(PhaseTime(name, *borders[k : k + 2]) for k, name in enumerate(sets))
    time_s = np.linspace(0.0, borders[-1], 75)
    q = np.zeros((75, 34))
    q[:, 2] = heiman.subject.standing_pelvis_height_m
    return RecordedAngles(time_s, q, phases, 0.03)


@pytest.fixture(scope="module")
def problem(heiman, recorded):
    return recorded_problem(heiman, recorded, "samples")[0]


def test_phases_have_intervals_by_their_length_and_may_last_longer_or_shorter_by_the_slack(problem):
    assert [phase.intervals for phase in problem.phases] == [11, 25, 16, 5]  # of 10 ms, and at least five
    assert INTERVAL_S["samples"] == 0.01
    for phase, length in zip(problem.phases[:3], LASTING, strict=False):
        assert_allclose(phase.duration_s, (length - 0.03, length + 0.03))


def test_borders_cost_the_squares_of_how_far_each_moves_and_not_the_end_that_the_recording_cuts(problem):
    cost = next(cost for cost in problem.costs if cost.name == "phase times")
    assert cost.weight == pytest.approx(COST_SCALE * PHASE_TIME_WEIGHT)
    moved_s = np.array([0.004, -0.003, 0.006])
    lasting = np.array(LASTING) + np.diff([0.0, *moved_s, 0.0])
    assert float(cost.value(SimpleNamespace(durations_s=lasting))) == pytest.approx(float(moved_s @ moved_s))
    assert float(cost.value(SimpleNamespace(durations_s=np.array(LASTING)))) == pytest.approx(0.0, abs=1e-20)


def test_a_movement_that_the_recording_cuts_lasts_as_long_as_its_phases(problem):
    (end,) = problem.boundary_constraints
    assert float(end.rows(SimpleNamespace(total_s=sum(LASTING)))) == pytest.approx(0.0, abs=1e-12)
    assert float(end.rows(SimpleNamespace(total_s=sum(LASTING) + 0.1))) == pytest.approx(1.0)


def test_samples_are_weighed_inside_the_phases_alone_each_in_its_interval(recorded, problem):
    cost = next(cost for cost in problem.costs if cost.name == "recording")
    inside = recorded.time_s >= START_S - 1e-9
    assert_allclose(cost.time_s, recorded.time_s[inside] - START_S)
    assert cost.weight == pytest.approx(COST_SCALE * (11 + 25 + 16 + 5 + 4) / inside.sum())
    nodes_s = recorded.node_times([12, 26, 17, 6]) - START_S
    assert (nodes_s[cost.node] <= cost.time_s + 1e-9).all()
    assert (nodes_s[cost.node + 1] >= cost.time_s - 1e-9).all()


def test_retimed_phases_follow_each_other_from_the_same_start(recorded):
    found = recorded.retimed(np.array([0.1, 0.3, 0.1, 0.05])).phases
    assert_allclose([phase.start_s for phase in found], [0.2, 0.3, 0.6, 0.7])
    assert found[-1].stop_s == pytest.approx(0.75)


def test_curves_through_samples_have_the_slopes_of_the_chords_around_each():
    time_s = np.array([0.0, 0.1, 0.3, 0.4, 0.7])
    values = np.column_stack([2.0 + 3.0 * time_s, time_s**2])
    curve = catmull_rom(time_s, values)
    assert_allclose(curve(time_s), values)
    assert_allclose(curve(np.linspace(0.0, 0.7, 9))[:, 0], 2.0 + 3.0 * np.linspace(0.0, 0.7, 9))
    assert_allclose(curve(time_s, 1)[:, 1], [0.1, 0.3, 0.5, 1.0, 1.1])  # of a parabola: the sums of both ends' times


def test_a_recording_that_goes_on_after_the_last_phase_cuts_nothing(heiman, recorded):
    assert recorded.cut
    longer = replace(recorded, time_s=np.linspace(0.0, 0.79, 75))
    assert not longer.cut
    assert not replace(recorded, time_s=recorded.time_s + 2e-5).cut
    assert replace(recorded, time_s=recorded.time_s + 2e-6).cut  # the solver meets times to 1e-8
    problem = recorded_problem(heiman, longer, "samples")[0]
    assert problem.boundary_constraints == ()
    (cost,) = (cost for cost in problem.costs if cost.name == "phase times")
    late = np.array([*LASTING[:3], LASTING[3] + 0.01])
    assert float(cost.value(SimpleNamespace(durations_s=late))) == pytest.approx(1e-4)  # its last border counts, too


def test_borders_that_are_known_neither_move_nor_cost(heiman, recorded):
    known = recorded_problem(heiman, replace(recorded, slack_s=0.0), "samples")[0]
    assert known.boundary_constraints == ()
    assert "phase times" not in {cost.name for cost in known.costs}
    for phase, length in zip(known.phases, LASTING, strict=True):
        assert_allclose(phase.duration_s, (length, length))


def test_feet_that_stand_at_first_are_at_rest_and_later_ones_land_where_something_new_touches(problem):
    assert [phase.arrival for phase in problem.phases] == ["rest", "continuous", "impact", "impact"]
    sole = ("HeelRight", "HalluxRight", "Meta5Right")
    assert [phase.landing for phase in problem.phases] == [sole, (), ("HeelLeft",), ("HalluxLeft", "Meta5Left")]
    assert problem.phases[3].duration_s[0] == 0.015  # no phase is shorter


def test_what_leaves_the_ground_leaves_it_unloaded_in_all_directions_if_no_part_of_its_foot_stays(heiman, recorded):
    toes = ("HalluxRight X", "HalluxRight Y", "HalluxRight Z", "Meta5Right X", "Meta5Right Z")
    for recording, last in ((recorded, ()), (replace(recorded, time_s=np.linspace(0.0, 0.9, 75)), toes)):
        phases = recorded_problem(heiman, recording, "samples")[0].phases
        assert [phase.unloaded for phase in phases] == [("HeelRight Z",), (), (), last]


def test_weights_say_how_near_to_samples_how_small_and_how_smooth(heiman, recorded):
    """Frozen: one scale of all weights, in which a miss of a sample is 1e4 of half its square."""
    node = SimpleNamespace(
        a=np.full(34, 50.0), u=np.array([6.0]), scales=SimpleNamespace(torque=np.array([3.0])), q=np.arange(34.0)
    )
    problem, guess = recorded_problem(heiman, recorded, "samples", smooth=4.0)
    cost = {one.name: one for one in problem.costs}
    assert cost["effort"].weight == pytest.approx(1e-5)
    assert cost["torque rate"].weight == pytest.approx(4.0 * 3e-6)
    assert cost["acceleration"].weight == pytest.approx(1e-8)
    assert cost["acceleration"].value(node) == pytest.approx(34.0)
    assert_allclose(cost["torque rate"].of(node), 2.0)
    assert_allclose(cost["effort"].of(node), 2.0)
    assert_allclose(cost["effort"].reference, np.zeros((len(guess.q), 28)))
    published, _ = recorded_problem(heiman, recorded, "published")
    cost = {one.name: one for one in published.costs}
    assert set(cost) == {"recording", "effort", "phase times"}
    assert (cost["recording"].weight, cost["effort"].weight) == pytest.approx((1e4, 1.0))
    assert [phase.intervals for phase in published.phases[2:]] == [8, 5]  # of 20 ms, and at least five
    assert_allclose(cost["recording"].of(node), np.arange(34.0))


def test_the_guess_is_the_recording_itself_in_its_phases(heiman, recorded):
    q = recorded.q + 0.1 * np.sin(2.0 * recorded.time_s)[:, None] * np.eye(34)[8]
    moving = replace(recorded, q=q)
    problem, guess = recorded_problem(heiman, moving, "samples")
    assert_allclose(guess.duration_s, LASTING)
    assert_allclose(guess.q[:, 8], 0.1 * np.sin(2.0 * (guess.time_s + START_S)), atol=1e-6)
    assert_allclose(guess.v[:, 8], 0.2 * np.cos(2.0 * (guess.time_s + START_S)), atol=1e-4)
    published = recorded_problem(heiman, moving, "published")[0]
    (cost,) = (cost for cost in published.costs if cost.name == "recording")
    node_s = moving.node_times([phase.intervals + 1 for phase in published.phases])
    assert_allclose(cost.reference[:, 8], 0.1 * np.sin(2.0 * node_s), atol=1e-5)
    assert len(problem.phase_of) == 12 + 26 + 17 + 6


def test_a_sample_on_a_border_counts_once_in_the_phase_that_begins(heiman, recorded):
    time_s = 0.01 * np.arange(75)
    exact = replace(recorded, time_s=time_s + 3e-11 * (-1.0) ** np.arange(75), q=recorded.q)
    cost = exact.samples([11, 25, 16, 2], 1.0)
    assert_allclose(cost.time_s, 0.01 * np.arange(55), atol=1e-9)
    firsts = [0, 12, 38, 55]  # nodes where phases begin
    assert_allclose(cost.node[[0, 11, 36, 52]], firsts)
    assert cost.node[-1] == 56  # the end belongs to the last interval
    assert cost.weight == pytest.approx(58 / 55)


def test_bounds_hold_the_recording_the_tables_and_the_joints(heiman, recorded):
    names = ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)
    q = recorded.q.copy()
    q[:, 3] = 0.5
    q[:, 4] = -0.5  # a pelvis that leans further than anybody's
    bounds = recorded_problem(heiman, replace(recorded, q=q), "samples")[0].bounds
    assert_allclose(bounds.q[:, :2], np.array([[-np.inf] * 2, [np.inf] * 2]))
    assert_allclose(bounds.q[:, 2], [0.8, 1.05])
    assert_allclose(bounds.q[:, 3], [-0.2, 0.55])
    assert_allclose(bounds.q[:, 4], [-0.55, 0.28])
    for name in ("KneeLeft_RY", "ElbowRight_RY", "Head_RX"):
        table = human_gait(heiman).reconstruction_range[name]
        joint = heiman.joint_names.index(name)
        lower = min(table[0], heiman.joint_lower_rad[joint], -0.05)
        upper = max(table[1], heiman.joint_upper_rad[joint], 0.05)
        assert_allclose(bounds.q[:, names.index(name)], [lower, upper])
    assert_allclose(bounds.v, np.outer([-15.0, 15.0], np.ones(34)))
    assert_allclose(bounds.u, [-heiman.torque_limit_nm, heiman.torque_limit_nm])
    short = subject(1.55, 52.0)
    size = short.subject.standing_pelvis_height_m / 0.9938
    standing = np.tile(np.eye(34)[2] * short.subject.standing_pelvis_height_m, (75, 1))
    found = recorded_problem(short, replace(recorded, q=standing), "samples")[0].bounds.q[:, 2]
    assert_allclose(found, [0.8 * size, max(1.05 * size, standing[0, 2] + 0.05)])


def test_each_phase_needs_a_duration_a_number_of_nodes_and_one_of_intervals(recorded):
    for wrong in ([0.1, 0.1, 0.1], [0.1] * 5):
        with pytest.raises(ValueError, match="zip"):
            recorded.retimed(np.array(wrong))
        with pytest.raises(ValueError, match="zip"):
            recorded.node_times([3] * len(wrong))
        with pytest.raises(ValueError, match="zip"):
            recorded.samples([3] * len(wrong), 1.0)
