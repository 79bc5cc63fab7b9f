"""Whole-body inverse kinematics, on Alice."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.engines.task_jacobians import task_jacobians
from strut.kinematics.whole_body import (
    CLOSE_RAD,
    DAMPING,
    BodyTargets,
    _in_legs,
    _Linearised,
    _step,
    _Tasks,
    integrate_step,
    solve_whole_body,
)
from strut.robot import FLOATING
from tests.alice import ALICE

KNEE_STOP_RAD = 0.1  # her own knees bend both ways and meet no stop when they are stretched


def coordinates(robot, rng, samples=6):
    """Return coordinates near the middle of the joints' ranges, somewhere in the world. Shape (T, nq)."""
    middle = (robot.joint_lower_rad + robot.joint_upper_rad) / 2.0
    spread = np.minimum(0.2, 0.2 * (robot.joint_upper_rad - robot.joint_lower_rad))
    qpos = np.zeros((samples, FLOATING + len(middle)))
    qpos[:, :3] = rng.uniform(-0.3, 0.3, (samples, 3))
    qpos[:, 3] = 1.0
    qpos[:, FLOATING:] = middle + spread * rng.uniform(-1.0, 1.0, (samples, len(middle)))
    turn = np.zeros((samples, robot.model.nv))
    turn[:, 3:6] = rng.uniform(-0.3, 0.3, (samples, 3))
    return integrate_step(qpos, turn)


def targets_at(robot, qpos):
    now = task_jacobians(robot, qpos)
    hold = np.ones(now.foot_in_world.shape[:2])
    return BodyTargets(
        now.foot_in_world, now.foot_rotation, hold, now.com_in_world, now.base_rotation, qpos[:, FLOATING:]
    )


def test_jacobians_are_the_derivatives_of_what_they_move():
    rng = np.random.default_rng(1)
    qpos = coordinates(ALICE, rng)
    step = 1e-6
    now = task_jacobians(ALICE, qpos)
    for column in range(ALICE.model.nv):
        change = np.zeros((len(qpos), ALICE.model.nv))
        change[:, column] = step
        ahead = task_jacobians(ALICE, integrate_step(qpos, change))
        moved_m = ahead.foot_in_world - now.foot_in_world
        np.testing.assert_allclose(moved_m / step, now.foot[..., :3, column], atol=1e-4)
        np.testing.assert_allclose((ahead.com_in_world - now.com_in_world) / step, now.com[..., column], atol=1e-4)


def test_a_configuration_is_found_again_from_its_own_end_effectors():
    rng = np.random.default_rng(2)
    qpos = coordinates(ALICE, rng)
    start = integrate_step(qpos, 0.1 * rng.normal(size=(len(qpos), ALICE.model.nv)))
    found = solve_whole_body(ALICE, targets_at(ALICE, qpos), start, length_m=0.3, iterations=25)
    assert found.foot_error_m.max() < 1e-6
    assert found.com_error_m.max() < 1e-5
    np.testing.assert_allclose(found.qpos[:, FLOATING:], qpos[:, FLOATING:], atol=1e-3)


def test_joints_stay_within_their_ranges_when_feet_are_out_of_reach():
    rng = np.random.default_rng(3)
    qpos = coordinates(ALICE, rng)
    targets = targets_at(ALICE, qpos)
    far = replace(targets, foot_in_world=targets.foot_in_world - [0.0, 0.0, 0.5])
    found = solve_whole_body(ALICE, far, qpos, length_m=0.3, iterations=25)
    assert (found.qpos[:, FLOATING:] >= ALICE.joint_lower_rad).all()
    assert (found.qpos[:, FLOATING:] <= ALICE.joint_upper_rad).all()
    assert found.foot_error_m.min() > 0.1  # and it says so


@pytest.mark.parametrize("seed", range(12))
def test_a_leg_comes_to_rest_before_the_stop_of_its_knee_without_a_jolt(seed):
    """Feet are lowered steadily by more than the legs have: trunk and head may jump then, legs do not."""
    knees = [k for k, name in enumerate(ALICE.joint_names) if name.endswith("knee")]
    lower = ALICE.joint_lower_rad.copy()
    lower[knees] = KNEE_STOP_RAD
    robot = replace(ALICE, joint_lower_rad=lower)
    qpos = np.repeat(coordinates(robot, np.random.default_rng(seed), samples=1), 120, axis=0)
    targets = targets_at(robot, qpos)
    lowered = np.linspace(0.0, 0.08, len(qpos))[:, None, None] * np.array([0.0, 0.0, 1.0])
    targets = replace(targets, foot_in_world=targets.foot_in_world - lowered)
    found = solve_whole_body(robot, targets, qpos, length_m=0.3, iterations=40)
    joints = found.qpos[:, FLOATING:]
    assert (joints >= robot.joint_lower_rad).all()
    assert (joints <= robot.joint_upper_rad).all()
    assert joints[:, knees].min() < KNEE_STOP_RAD + CLOSE_RAD  # near enough to feel the stop
    assert found.com_error_m.max() > 0.05  # and more was asked than they have
    assert np.abs(np.diff(joints[:, _in_legs(robot)], axis=0)).max() < 0.2  # who jumps turns by more


def test_a_foot_in_the_air_may_pitch_where_its_ankle_is_at_its_stop():
    rng = np.random.default_rng(5)
    qpos = coordinates(ALICE, rng)
    targets = targets_at(ALICE, qpos)
    tilted = Rotation.from_euler("y", 1.2).as_matrix()  # farther than an ankle turns
    wanted = replace(targets, foot_rotation=targets.foot_rotation @ tilted)
    held = solve_whole_body(ALICE, wanted, qpos, length_m=0.3, iterations=25)
    loose = replace(wanted, foot_hold=np.full_like(wanted.foot_hold, 1e-4))
    free = solve_whole_body(ALICE, loose, qpos, length_m=0.3, iterations=25)
    assert free.com_error_m.max() < 0.1 * held.com_error_m.max()


def linearised(error, jacobian):
    """Return tasks of which all coordinates move feet. Shapes (T, m), (T, m, nv)."""
    samples, _, size = jacobian.shape
    wanted = np.einsum("tmn,tm->tn", jacobian, error)
    return _Linearised(
        cost=np.zeros(samples),
        wanted=wanted,
        feet=jacobian,
        com=np.zeros((samples, 3, size)),
        own=np.zeros((samples, size)),
        movers=np.arange(size),
        others=np.arange(0),
    )


def test_a_step_solves_the_normal_equations_of_all_tasks_with_some_joints_held():
    """Trunk and head, which move no foot, are eliminated first; that must not change the answer."""
    rng = np.random.default_rng(6)
    qpos = coordinates(ALICE, rng)
    tasks = _Tasks(ALICE, 0.3)
    now = tasks.at(integrate_step(qpos, 0.05 * rng.normal(size=(len(qpos), ALICE.model.nv))), targets_at(ALICE, qpos))
    assert 0 < len(now.others) < ALICE.model.nv
    held = rng.random((len(qpos), ALICE.model.nv)) < 0.3
    feet = np.zeros((len(qpos), now.feet.shape[1], ALICE.model.nv))
    feet[:, :, now.movers] = now.feet
    jacobian = np.concatenate([feet, now.com], axis=1)
    step = now.solved(held)
    for sample, still in enumerate(held):
        free = np.flatnonzero(~still)
        rows = jacobian[sample][:, free]
        normal = rows.T @ rows + np.diag(now.own[sample, free] + DAMPING)
        np.testing.assert_allclose(step[sample, free], np.linalg.solve(normal, now.wanted[sample, free]), atol=1e-7)
        np.testing.assert_array_equal(step[sample, still], 0.0)


def test_what_is_wanted_is_against_the_gradient_of_the_cost():
    """By finite differences, one joint near the end of its range; turns are small, so that their errors are linear."""
    rng = np.random.default_rng(2)
    qpos = coordinates(ALICE, rng)
    targets = targets_at(ALICE, qpos)
    tasks = _Tasks(ALICE, 0.3)
    qpos = integrate_step(qpos, 1e-3 * rng.normal(size=(len(qpos), ALICE.model.nv)))
    qpos[:, FLOATING + 2] = ALICE.joint_upper_rad[2] - 0.02
    now = tasks.at(qpos, targets)
    step = 1e-5
    for direction in rng.normal(size=(3, ALICE.model.nv)):
        change = np.tile(step * direction, (len(qpos), 1))
        ahead, back = (tasks.at(integrate_step(qpos, sign * change), targets).cost for sign in (1.0, -1.0))
        size = np.linalg.norm(now.wanted, axis=1) * np.linalg.norm(direction)
        np.testing.assert_allclose((ahead - back) / (2.0 * step) / size, -now.wanted @ direction / size, atol=0.01)


@pytest.mark.parametrize("inside_rad", [0.0, 1e-9, 1e-6])
def test_a_joint_at_the_end_of_its_range_is_not_pushed_beyond_however_near_it_is(inside_rad):
    """The base can do the same: what is cut off at the end of a range would be missing."""
    jacobian = np.zeros((1, 1, 7))
    jacobian[0, 0, [0, 6]] = 1.0
    tasks = linearised(np.full((1, 1), 0.1), jacobian)
    step = _step(tasks, np.full((1, 1), 1.0 - inside_rad), np.zeros(1), np.ones(1))
    assert step[0, 6] == 0.0
    assert step[0, 0] == pytest.approx(0.1, rel=1e-5)


def test_a_joint_that_the_others_would_take_beyond_its_range_stands_still_too():
    """Alone it would turn inwards; solved together with the base it would be turned outwards."""
    jacobian = np.zeros((1, 2, 7))
    jacobian[0, 0, [0, 6]] = 1.0, -1.0
    jacobian[0, 1, [0, 6]] = 1.0, 0.1
    error = np.array([[0.1, 0.5]])
    assert (jacobian[0].T @ error[0])[6] < 0.0 < np.linalg.lstsq(jacobian[0], error[0], rcond=None)[0][6]
    step = _step(linearised(error, jacobian), np.ones((1, 1)), np.zeros(1), np.ones(1))
    assert step[0, 6] == 0.0
