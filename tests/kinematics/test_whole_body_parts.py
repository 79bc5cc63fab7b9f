"""Whole-body inverse kinematics part by part: gradients against differences, walls, held joints and steps."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from strut.engines.task_jacobians import task_jacobians
from strut.kinematics import whole_body
from strut.kinematics.planted_body import PlantedTargets, _reduction, _tasks
from strut.kinematics.planted_body import _step as planted_step
from strut.kinematics.whole_body import (
    BodyTargets,
    _in_legs,
    _Linearised,
    _outwards,
    _step,
    _Tasks,
    evaluate_solution,
    integrate_step,
)
from strut.models.coupled_joints import CoupledJoints
from tests.alice import ALICE, LEGS

NV = ALICE.model.nv
JOINTS = len(ALICE.joint_names)


def postures(count=3):
    rng = np.random.default_rng(2)
    qpos = np.tile(ALICE.standing_qpos, (count, 1))
    qpos[:, 7:] += 0.2 * rng.normal(size=(count, JOINTS))
    qpos[:, 7:] = np.clip(qpos[:, 7:], ALICE.joint_lower_rad + 1e-3, ALICE.joint_upper_rad - 1e-3)
    turn = Rotation.from_rotvec(0.3 * rng.normal(size=(count, 3)))
    qpos[:, 3:7] = turn.as_quat(scalar_first=True)
    return qpos


def targets_near(qpos, away=1e-3):
    """Return targets a little away from where coordinates are, so that turns add up as vectors."""
    rng = np.random.default_rng(3)
    now = task_jacobians(ALICE, qpos)
    tilt = Rotation.from_rotvec(away * rng.normal(size=(len(qpos) * 2, 3))).as_matrix().reshape(-1, 2, 3, 3)
    lean = Rotation.from_rotvec(away * rng.normal(size=(len(qpos), 3))).as_matrix()
    return BodyTargets(
        foot_in_world=now.foot_in_world + away * rng.normal(size=now.foot_in_world.shape),
        foot_rotation=tilt @ now.foot_rotation,
        foot_hold=rng.uniform(0.2, 1.0, (len(qpos), 2)),
        com_in_world=now.com_in_world + away * rng.normal(size=(len(qpos), 3)),
        base_rotation=lean @ now.base_rotation,
        joint_rad=qpos[:, 7:] + away * rng.normal(size=(len(qpos), JOINTS)),
    )


def test_what_is_wanted_is_downhill():
    """Differences of the cost along every velocity coordinate; joints near their ends feel their walls."""
    qpos = postures()
    tasks = _Tasks(ALICE, 0.25)
    targets = targets_near(qpos)
    now = tasks.at(qpos, targets)
    slope = np.zeros((len(qpos), NV))
    for column in range(NV):
        step = np.zeros((len(qpos), NV))
        step[:, column] = 1e-5
        ahead, behind = (tasks.at(integrate_step(qpos, sign * step), targets).cost for sign in (1.0, -1.0))
        slope[:, column] = (ahead - behind) / 2e-5
    assert_allclose(now.wanted, -slope, rtol=2e-3, atol=2e-3 * np.abs(slope).max())


def test_errors_are_weighed_by_what_they_are_of():
    qpos = postures(1)
    tasks = _Tasks(ALICE, 0.25)
    exact = targets_near(qpos, 0.0)
    walls = tasks.at(qpos, exact).cost[0]
    off = replace(exact, foot_in_world=exact.foot_in_world + np.array([[[0.01, 0.0, 0.0], [0.0, 0.0, 0.0]]]))
    assert tasks.at(qpos, off).cost[0] - walls == pytest.approx(0.5 * (whole_body.FOOT * 0.01 / 0.25) ** 2, rel=1e-6)
    for axis in range(3):
        shift = np.zeros(3)
        shift[axis] = 0.01
        cost = tasks.at(qpos, replace(exact, com_in_world=exact.com_in_world + shift)).cost[0] - walls
        assert cost == pytest.approx(0.5 * (whole_body.COM[axis] * 0.01 / 0.25) ** 2, rel=1e-6)
    legs = _in_legs(ALICE)
    assert legs.sum() == 12
    for joint in (0, int(np.flatnonzero(~legs)[0])):
        bent = exact.joint_rad.copy()
        bent[:, joint] += 0.1
        hold = whole_body.FREE if legs[joint] else whole_body.HELD
        assert tasks.at(qpos, replace(exact, joint_rad=bent)).cost[0] - walls == pytest.approx(0.5 * (0.1 * hold) ** 2)
    lean = Rotation.from_rotvec([0.0, 0.02, 0.0]).as_matrix() @ exact.base_rotation
    leant = tasks.at(qpos, replace(exact, base_rotation=lean)).cost[0] - walls
    assert leant == pytest.approx(0.5 * (0.02 * whole_body.ATTITUDE) ** 2, rel=1e-6)
    for axis, hold in ((0, 1.0), (1, exact.foot_hold[0, 1]), (2, 1.0)):  # a pitching sole may be held less
        turn = np.eye(3)[axis] * 0.02
        tilted = exact.foot_rotation.copy()
        tilted[0, 1] = tilted[0, 1] @ Rotation.from_rotvec(turn).as_matrix()
        cost = tasks.at(qpos, replace(exact, foot_rotation=tilted)).cost[0] - walls
        keeps = ALICE.foot_turns[1, axis]
        assert cost == pytest.approx(0.5 * (0.02 * whole_body.FOOT * hold * keeps) ** 2, rel=1e-5, abs=1e-15)


def test_walls_grow_as_squares_from_where_they_are_felt():
    tasks = _Tasks(ALICE, 0.25)
    legs = np.flatnonzero(_in_legs(ALICE))
    lower = ALICE.joint_lower_rad[legs]
    upper = ALICE.joint_upper_rad[legs]
    close = np.minimum(whole_body.CLOSE_RAD, (upper - lower) / 4.0)
    assert_allclose(tasks._wall(np.stack([lower + close, upper - close]), NV)[0], 0.0, atol=1e-12)
    for share in (0.5, 1.0):
        low = lower + (1.0 - share) * close
        high = upper - (1.0 - share) * close
        error, slope = tasks._wall(np.stack([low, high]), NV)
        wall = whole_body.WALL * share**2
        assert_allclose(error[0, 6 + legs], wall)
        assert_allclose(error[1, 6 + legs], -wall)
        ahead, _ = tasks._wall(np.stack([low + 1e-7, high + 1e-7]), NV)
        behind, _ = tasks._wall(np.stack([low - 1e-7, high - 1e-7]), NV)
        assert_allclose(slope[:, 6 + legs], -(ahead - behind)[:, 6 + legs] / 2e-7, rtol=1e-5)
    others = np.setdiff1d(np.arange(NV), 6 + legs)
    assert not error[:, others].any()


def test_only_joints_at_their_end_that_would_leave_it_are_held():
    lower = np.array([-1.0, -1.0, -1.0])
    upper = np.array([1.0, 2.0, 1.0])
    joint = np.array([[-1.0, 2.0, 0.0], [1.0, -1.0, 1.0]])
    move = np.ones((2, 9))
    move[0, 6:] = [-0.1, 0.1, 9.0]
    move[1, 6:] = [-0.1, 0.1, 0.2]
    beyond = _outwards(move, joint, lower, upper)
    assert_array_equal(beyond[:, 6:], [[True, True, False], [False, False, True]])
    assert not beyond[:, :6].any()  # nothing stops the base
    near = whole_body.AT_END_RAD
    almost = np.array([[-1.0 + 0.9 * near, 2.0 - 0.9 * near, 1.0 - 1.1 * near]])
    outwards = np.concatenate([np.zeros((1, 6)), [[-1.0, 1.0, 1.0]]], axis=1)
    assert_array_equal(_outwards(outwards, almost, lower, upper)[:, 6:], [[True, True, False]])


def linearised(wanted, normal):
    """Return tasks with given normal equations, of which all coordinates move feet. Shapes (nv,), (nv, nv)."""
    size = len(wanted)
    return _Linearised(
        cost=np.zeros(1),
        wanted=wanted[None],
        feet=np.linalg.cholesky(normal).T[None],
        com=np.zeros((1, 3, size)),
        own=np.zeros((1, size)),
        movers=np.arange(size),
        others=np.arange(0),
    )


def test_what_the_others_take_along_is_held_too_and_long_steps_are_cut():
    lower = -np.ones(2)
    upper = np.ones(2)
    loose = np.zeros((1, 2))
    normal = np.eye(8)
    wanted = np.zeros(8)
    normal[6, 7] = normal[7, 6] = -0.9
    wanted[6:] = 0.3, -0.01  # the second would stay inside alone; the first would take it along
    plain = np.linalg.solve(normal, wanted)
    assert plain[7] > 0.0
    step = _step(linearised(wanted, normal), np.array([[0.0, 1.0]]), lower, upper)
    assert_allclose(step[0, 6:], [0.3, 0.0], rtol=1e-5)
    coupled = _step(linearised(wanted, normal), loose, lower, upper)
    assert np.abs(plain).max() > whole_body.LONGEST_STEP_RAD
    assert_allclose(coupled[0], plain * whole_body.LONGEST_STEP_RAD / np.abs(plain[3:]).max(), rtol=1e-5)
    far = np.zeros(8)
    far[:3] = 5.0
    assert_allclose(_step(linearised(far, np.eye(8)), loose, lower, upper)[0], far, rtol=1e-5)  # places are not cut


def test_coordinates_move_as_mujoco_integrates_them():
    qpos = postures(4)
    step = np.random.default_rng(5).normal(size=(4, NV))
    found = integrate_step(qpos, step)
    for k in range(4):
        later = qpos[k].copy()
        mujoco.mj_integratePos(ALICE.model, later, step[k], 1.0)
        assert_allclose(np.abs(found[k, 3:7] @ later[3:7]), 1.0, atol=1e-9)
        assert found[k, 3:7] @ qpos[k, 3:7] >= 0.0
        assert_allclose(np.delete(found[k], range(3, 7)), np.delete(later, range(3, 7)), atol=1e-9)


def test_errors_of_a_solution_are_distances_of_feet_and_mass():
    qpos = postures()
    targets = targets_near(qpos, 0.01)
    now = task_jacobians(ALICE, qpos)
    found = evaluate_solution(ALICE, targets, qpos)
    assert found.qpos is qpos
    assert_allclose(found.foot_error_m, np.linalg.norm(targets.foot_in_world - now.foot_in_world, axis=-1))
    assert_allclose(found.com_error_m, np.linalg.norm(targets.com_in_world - now.com_in_world, axis=-1))


@pytest.mark.parametrize("by_mass", [False, True])
def test_tasks_of_planted_feet_move_as_their_jacobian_says(by_mass):
    qpos = postures()
    now = task_jacobians(ALICE, qpos)
    tilt = Rotation.from_rotvec(1e-4 * np.random.default_rng(6).normal(size=(6, 3))).as_matrix().reshape(3, 2, 3, 3)
    targets = PlantedTargets(
        foot_in_world=now.foot_in_world + 0.01,
        foot_rotation=tilt @ now.foot_rotation,
        base_rotation=now.base_rotation,
        place_m=qpos[:, :3] + 0.02,
        joint_rad=qpos[:, 7:],
        by_mass=by_mass,
    )
    turning = ALICE.foot_turns
    error, jacobian = _tasks(targets, now, qpos, turning)
    assert_allclose(error[:, :6], 0.01, atol=1e-9)
    place = now.com_in_world if by_mass else qpos[:, :3]
    from_here = (targets.place_m - place)[:, :2]
    scale = error[:, -1] / 0.02
    assert_allclose(error[:, -3:-1], from_here * scale[:, None], atol=1e-9)
    for column in range(NV):
        if column in (3, 4, 5):
            continue  # the base's turn is given
        step = np.zeros((3, NV))
        step[:, column] = 1e-6
        ends = []
        for sign in (1.0, -1.0):
            there = integrate_step(qpos, sign * step)
            ends.append(_tasks(targets, task_jacobians(ALICE, there), there, turning)[0])
        assert_allclose(jacobian[:, :, column], -(ends[0] - ends[1]) / 2e-6, atol=1e-3 * np.abs(jacobian).max())


def test_a_planted_step_holds_joints_at_their_ends_and_is_never_too_long():
    rng = np.random.default_rng(7)
    jacobian = rng.normal(size=(1, 6, 5))
    error = 0.01 * rng.normal(size=(1, 6))
    wide = np.full((1, 2), 9.0)
    free = planted_step(error, jacobian, np.zeros((1, 2)), -wide, wide)
    damped = jacobian[0].T @ jacobian[0]
    assert_allclose(damped @ free[0], jacobian[0].T @ error[0], atol=1e-4)
    stop = np.where(free[:, 3:] > 0.0, 0.0, 9.0)
    stop[0, 1] = 9.0
    below = np.where(free[:, 3:] > 0.0, -9.0, 0.0)
    below[0, 1] = -9.0
    held = planted_step(error, jacobian, np.zeros((1, 2)), below, stop)
    assert abs(held[0, 3]) < 1e-12
    kept = [0, 1, 2, 4]
    alone = np.linalg.lstsq(jacobian[0][:, kept], error[0], rcond=None)[0]
    assert_allclose(held[0, kept], alone, atol=1e-4)
    long = planted_step(1e3 * error, jacobian, np.zeros((1, 2)), -1e9 * wide, 1e9 * wide)
    assert_allclose(long / np.abs(long[0, 3:]).max(), free / np.abs(free[0, 3:]).max(), atol=1e-6)
    assert np.abs(long[0, 3:]).max() < 1.0


def test_the_base_moves_but_does_not_turn_and_followers_go_along():
    follow = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, -2.0]])
    reduction = _reduction(CoupledJoints(np.array([0, 1]), np.zeros(3), follow))
    expected = np.zeros((9, 5))
    expected[:3, :3] = np.eye(3)
    expected[6:, 3:] = follow
    assert_array_equal(reduction, expected)


def test_nine_masses_hang_between_their_joints_with_their_own_offsets():
    rng = np.random.default_rng(8)
    legs = replace(LEGS, mass_offset_m=rng.normal(size=(9, 3)))
    joints = rng.normal(size=(2, 8, 3))
    heading = rng.normal(size=(2, 2))
    body = rng.normal(size=2)
    found = legs.masses_in_world(joints, heading, body)
    plain = np.einsum("kp,npi->nki", legs.mass_on_points, joints)
    turned = {0: heading[:, 0], 4: body, 8: heading[:, 1]}
    for k in range(9):
        offset = np.zeros((2, 3))
        if k in turned:
            for n, angle in enumerate(turned[k]):
                offset[n] = Rotation.from_rotvec([0.0, 0.0, angle]).apply(np.array(legs.mass_offset_m[k]))
        assert_allclose(found[:, k], plain[:, k] + offset, atol=1e-12)
    share = legs.mass_kg / legs.mass_kg.sum()
    shift = sum(share[k] * (found[:, k] - plain[:, k])[:, :2] for k in turned)
    assert_allclose(legs.offset_of_com(heading, body), shift, atol=1e-12)


def test_alices_masses_are_on_the_points_that_carry_them():
    """Rows sum to one; feet hang on ankles, the body between the hips, links between neighbours."""
    on = LEGS.mass_on_points
    assert_allclose(on.sum(axis=1), 1.0)
    assert_array_equal(np.flatnonzero(on[0]), [0])
    assert_array_equal(np.flatnonzero(on[8]), [7])
    assert_allclose(on[4, [3, 4]], 0.5)
    for link in range(3):
        assert set(np.flatnonzero(on[3 - link])) <= {3 - link, 2 - link}
        assert set(np.flatnonzero(on[5 + link])) <= {4 + link, 5 + link}
        assert_allclose(on[3 - link, 3 - link], on[5 + link, 4 + link])  # right and left alike
    assert LEGS.separation_m == pytest.approx(np.linalg.norm(LEGS.link_m[3]))
    assert LEGS.longest_leg_m == pytest.approx(LEGS.link_m[:3].sum())
    order = [*range(5, -1, -1), *range(6, 12)]
    assert_allclose(LEGS.joint_lower_rad, ALICE.joint_lower_rad[order])
    assert LEGS.upper_joints == JOINTS - 12
