"""Whole-body inverse kinematics, on Alice."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.engines.task_jacobians import task_jacobians
from strut.kinematics import whole_body
from strut.kinematics.whole_body import (
    WALL_RAD,
    BodyTargets,
    evaluate_solution,
    integrate_step,
    solve_whole_body,
    whole_body_qpos,
)
from strut.robot import FLOATING
from tests.alice import ALICE

KNEE_STOP_RAD = 0.1  # Alice's own knees bend both ways and have no limit at the straight leg


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


def in_legs(robot):
    """Return which joints belong to legs. Shape (n_joints,)."""
    return np.array([any(joint in leg.joints for leg in robot.legs) for joint in robot.joint_names])


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
    assert joints[:, knees].min() < KNEE_STOP_RAD + WALL_RAD  # near enough to be slowed down
    assert found.com_error_m.max() > 0.05  # the targets are out of reach
    assert np.abs(np.diff(joints[:, in_legs(robot)], axis=0)).max() < 0.2  # a jump is larger


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


def weighted_cost(robot, targets, qpos, length_m):
    """Return half the sum of squared task errors and penalties, as the module documents its weights. Shape (T,)."""
    current = task_jacobians(robot, qpos)
    joints = qpos[:, FLOATING:]
    legs = in_legs(robot)
    foot = whole_body.FOOT_WEIGHT * (targets.foot_in_world - current.foot_in_world) / length_m
    com = whole_body.COM_WEIGHT * (targets.com_in_world - current.com_in_world) / length_m
    to_foot = np.swapaxes(current.foot_rotation, -1, -2)
    turn = Rotation.from_matrix((to_foot @ targets.foot_rotation).reshape(-1, 3, 3)).as_rotvec()
    turn = whole_body.FOOT_WEIGHT * turn.reshape(foot.shape) * robot.foot_turns
    turn[..., 1] *= targets.foot_hold
    lean = np.swapaxes(current.base_rotation, -1, -2) @ targets.base_rotation
    lean = whole_body.ATTITUDE_WEIGHT * Rotation.from_matrix(lean).as_rotvec()
    weight = np.where(legs, whole_body.LEG_POSTURE_WEIGHT, whole_body.UPPER_POSTURE_WEIGHT)
    posture = weight * (targets.joint_rad - joints)
    lower = robot.joint_lower_rad[legs]
    upper = robot.joint_upper_rad[legs]
    width = np.minimum(WALL_RAD, (upper - lower) / 4.0)
    depth = np.maximum(joints[:, legs] - upper + width, 0.0) + np.maximum(lower + width - joints[:, legs], 0.0)
    wall = whole_body.WALL_WEIGHT * (depth / width) ** 2
    return 0.5 * sum(
        (error.reshape(len(qpos), -1) ** 2).sum(axis=1) for error in (foot, com, turn, lean, posture, wall)
    )


def cost_gradient(robot, targets, qpos, length_m):
    """Return the gradient of `weighted_cost` by central differences. Shape (T, nv)."""
    gradient = np.empty((len(qpos), robot.model.nv))
    for column in range(robot.model.nv):
        step = np.zeros(gradient.shape)
        step[:, column] = 1e-5
        ahead, behind = (
            weighted_cost(robot, targets, integrate_step(qpos, sign * step), length_m) for sign in (1.0, -1.0)
        )
        gradient[:, column] = (ahead - behind) / 2e-5
    return gradient


def test_a_solution_is_the_minimum_of_the_weighted_errors():
    """Contradicting targets, with a joint of a leg near its limit, where the penalty counts."""
    rng = np.random.default_rng(6)
    start = coordinates(ALICE, rng)
    start[:, FLOATING + 2] = ALICE.joint_upper_rad[2] - 0.06
    assert in_legs(ALICE)[2]
    exact = targets_at(ALICE, start)
    tilt = Rotation.from_rotvec(0.003 * rng.normal(size=(len(start) * 2, 3))).as_matrix().reshape(-1, 2, 3, 3)
    targets = replace(
        exact,
        foot_in_world=exact.foot_in_world + 1e-3 * rng.normal(size=exact.foot_in_world.shape),
        foot_rotation=tilt @ exact.foot_rotation,
        foot_hold=rng.uniform(0.2, 1.0, exact.foot_hold.shape),
        com_in_world=exact.com_in_world + 1e-3 * rng.normal(size=exact.com_in_world.shape),
        joint_rad=exact.joint_rad + 0.05 * rng.normal(size=exact.joint_rad.shape),
    )
    found = whole_body_qpos(ALICE, targets, start, length_m=0.3, iterations=100, converged=1e-12)
    assert weighted_cost(ALICE, targets, found, 0.3).min() > 1e-9  # not all targets can be met
    before = np.abs(cost_gradient(ALICE, targets, start, 0.3)).max()
    assert np.abs(cost_gradient(ALICE, targets, found, 0.3)).max() < 1e-6 * before


def test_a_step_is_integrated_as_mujoco_does():
    qpos = coordinates(ALICE, np.random.default_rng(4), samples=4)
    step = np.random.default_rng(5).normal(size=(4, ALICE.model.nv))
    found = integrate_step(qpos, step)
    for k in range(4):
        later = qpos[k].copy()
        mujoco.mj_integratePos(ALICE.model, later, step[k], 1.0)
        assert_allclose(np.abs(found[k, 3:7] @ later[3:7]), 1.0, atol=1e-9)
        assert found[k, 3:7] @ qpos[k, 3:7] >= 0.0
        assert_allclose(np.delete(found[k], range(3, 7)), np.delete(later, range(3, 7)), atol=1e-9)


def test_errors_of_a_solution_are_distances_of_feet_and_centre_of_mass():
    qpos = coordinates(ALICE, np.random.default_rng(7))
    current = task_jacobians(ALICE, qpos)
    away_m = np.array([0.003, -0.004, 0.012])
    exact = targets_at(ALICE, qpos)
    targets = replace(
        exact, foot_in_world=exact.foot_in_world + away_m, com_in_world=current.com_in_world - 2.0 * away_m
    )
    found = evaluate_solution(ALICE, targets, qpos)
    assert found.qpos is qpos
    assert_allclose(found.foot_error_m, 0.013, atol=1e-9)
    assert_allclose(found.com_error_m, 0.026, atol=1e-9)
