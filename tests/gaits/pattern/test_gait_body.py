"""Gait body: what is told of a gait is told of the samples that are delivered."""

from dataclasses import replace

import numpy as np
import pytest

from strut.engines.task_jacobians import task_jacobians
from strut.gaits.pattern.gait_body import solved_gait
from strut.gaits.pattern.gait_drafts import LARGEST_FOOT_ERROR_M, LARGEST_SWING_ERROR, GaitDrafts, _reach_shortfall
from strut.gaits.pattern.request import PatternGait
from strut.style import Style
from tests.adoption.small_robots import biped, import_robot


@pytest.fixture(scope="module")
def body(tmp_path_factory):
    robot, _ = import_robot(biped(), tmp_path_factory.mktemp("biped"))
    return GaitDrafts(robot, PatternGait(cycles=2), 50.0)._body(Style(lift=1.5)).with_fallback(0.94, 1.0)


@pytest.fixture(scope="module")
def found_gait(body):
    """Return a plan, the posture of its body, and the gait that was found for it."""
    plan = body.plan(50.0, cycles=2)
    posture = body.body_posture(plan)
    start = body.start(plan, posture)
    return plan, posture, solved_gait(body.robot, plan, posture, start, length_m=body.stance.height_m, rounds=1)


def test_errors_of_a_gait_are_those_of_its_own_samples(body, found_gait):
    plan, posture, gait = found_gait
    now = task_jacobians(body.robot, gait.solved.qpos)
    solved = gait.solved
    away_m = np.linalg.norm(now.foot_in_world - plan.foot_in_world, axis=-1)  # flat feet do not roll
    np.testing.assert_allclose(solved.foot_error_m, away_m, atol=1e-12)
    wanted = np.column_stack([gait.com_m, posture.height_m])
    np.testing.assert_allclose(solved.com_error_m, np.linalg.norm(now.com_in_world - wanted, axis=-1), atol=1e-12)


def test_feet_on_the_ground_stay_there_and_feet_in_the_air_keep_near_their_paths(body, found_gait):
    plan, _, gait = found_gait
    error_m = gait.solved.foot_error_m
    down = plan.schedule.contact
    assert error_m[down].max() < 3e-4
    assert 1e-3 < error_m[~down].max() < 0.01 * body.stance.height_m


@pytest.mark.parametrize(("down", "share", "short"), [(True, 0.9, 0), (True, 1.1, 1), (False, 0.9, 0), (False, 1.1, 1)])
def test_feet_on_the_ground_may_miss_less_than_feet_in_the_air(body, found_gait, down, share, short):
    plan, _, gait = found_gait
    sample = int(np.flatnonzero(plan.schedule.contact[:, 0] == down)[0])
    may_m = LARGEST_FOOT_ERROR_M if down else LARGEST_SWING_ERROR * body.stance.height_m
    error_m = np.zeros_like(gait.solved.foot_error_m)
    error_m[sample, 0] = share * may_m
    solved = replace(gait.solved, foot_error_m=error_m)
    violations = _reach_shortfall(body, plan, solved)
    assert len(violations) == short
    assert body._miss(plan, replace(solved, com_error_m=np.zeros(len(error_m)))) == pytest.approx(share)
    assert all(np.flatnonzero(one.broken).tolist() == [sample] for one in violations)
