"""A walk at hand as a start: its step, its torques and its forces, at the nodes of the problem that is asked."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadMotionError
from strut.human.problem.criteria import named_criteria
from strut.human.problem.gait_problem import gait_problem
from strut.human.synthesis.warm_start import warm_step
from tests.walker import walked


def problem_of(robot):
    return gait_problem(robot, named_criteria(robot, "multi"), speed_m_s=1.3)


def test_a_written_gait_gives_back_the_step_it_was_made_of(gait, heiman):
    start = warm_step(heiman, problem_of(heiman), gait.motion(steps=4))
    true = gait.trajectory.on_mesh(start.problem)
    assert_allclose(start.duration_s, true.duration_s, atol=0.011)  # borders are known to a sample
    assert start.parameter["speed_m_s"] == pytest.approx(gait.speed_m_s, rel=0.02)
    assert np.abs(start.q - true.q).max() < 0.12
    assert np.sqrt(np.mean((start.q[:, 6:] - true.q[:, 6:]) ** 2)) < 0.02
    rows = start.problem.contact.rows
    phases = start.problem.phases
    in_contact = np.array([[row in phase.contact.rows for row in rows] for phase in phases])[start.phase_of]
    assert not start.force_n[~in_contact].any()
    assert np.sqrt(np.mean((start.force_n - true.force_n)[in_contact] ** 2)) < 0.05 * heiman.mass_kg * 9.81
    assert np.sqrt(np.mean((start.u - true.u) ** 2)) < 0.1 * np.abs(true.u).max()


def test_a_walk_without_torques_and_forces_is_a_start_too(gait, heiman):
    bare = replace(gait.motion(steps=2), torque_nm=None, ground_force_n=None)
    start = warm_step(heiman, problem_of(heiman), bare)
    assert not start.u.any()
    assert start.force_n.sum(axis=1).min() > 0.9 * heiman.mass_kg * 9.81  # the points that touch share the weight


def test_a_walk_whose_feet_land_flat_has_no_such_step(heiman):
    with pytest.raises(BadMotionError, match="holds no step"):
        warm_step(heiman, problem_of(heiman), walked(heiman, 4))
