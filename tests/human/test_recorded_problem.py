"""The problem of following a recording: its mesh, its borders and its end, against sums done by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.anatomy import walking_cycle
from strut.human.recorded_problem import BORDER, INTERVAL_S, SHARPNESS, RecordedAngles, recorded_problem
from strut.optimal.contact_schedule import PhaseTime

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
    assert cost.weight == pytest.approx(SHARPNESS * BORDER)
    moved_s = np.array([0.004, -0.003, 0.006])
    lasting = np.array(LASTING) + np.diff([0.0, *moved_s, 0.0])
    assert float(cost.value(SimpleNamespace(durations_s=lasting))) == pytest.approx(float(moved_s @ moved_s))
    assert float(cost.value(SimpleNamespace(durations_s=np.array(LASTING)))) == pytest.approx(0.0, abs=1e-20)


def test_a_movement_that_the_recording_cuts_lasts_as_long_as_its_phases(problem):
    (end,) = problem.ends
    assert float(end.rows(SimpleNamespace(total_s=sum(LASTING)))) == pytest.approx(0.0, abs=1e-12)
    assert float(end.rows(SimpleNamespace(total_s=sum(LASTING) + 0.1))) == pytest.approx(1.0)


def test_samples_are_weighed_inside_the_phases_alone_each_in_its_interval(recorded, problem):
    cost = next(cost for cost in problem.costs if cost.name == "recording")
    inside = recorded.time_s >= START_S - 1e-9
    assert_allclose(cost.time_s, recorded.time_s[inside] - START_S)
    assert cost.weight == pytest.approx(SHARPNESS * (11 + 25 + 16 + 5 + 4) / inside.sum())
    nodes_s = recorded.node_times([12, 26, 17, 6]) - START_S
    assert (nodes_s[cost.node] <= cost.time_s + 1e-9).all()
    assert (nodes_s[cost.node + 1] >= cost.time_s - 1e-9).all()


def test_retimed_phases_follow_each_other_from_the_same_start(recorded):
    found = recorded.retimed(np.array([0.1, 0.3, 0.1, 0.05])).phases
    assert_allclose([phase.start_s for phase in found], [0.2, 0.3, 0.6, 0.7])
    assert found[-1].stop_s == pytest.approx(0.75)
