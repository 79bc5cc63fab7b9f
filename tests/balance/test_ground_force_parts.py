"""Parts of the distribution of ground forces, each against the algebra that defines it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from strut.balance.ground_force import (
    _distribute,
    _distribute_over_soles,
    _fit_on_lines,
    _grasp_matrix,
    _minimise_in_balance,
    _minimise_without_pull,
    _minimum_norm_forces,
    _nearest_torque_on_line,
    _patterns,
    _share_within_cones,
    _Stance,
    grip_shares,
    nearest_contact_torque,
    share_ground_force,
)
from strut.engines.inverse_dynamics import InverseDynamics

RNG = np.random.default_rng(5)


def points_and_wrench(samples, count):
    """Points on uneven ground, forces that push at each, and what they add up to."""
    place = RNG.normal(size=(samples, count, 3)) * [1.0, 0.7, 0.2]
    force = RNG.normal(size=(samples, count, 3)) + np.array([0.0, 0.0, 5.0])
    wrench = np.concatenate([force.sum(axis=1), np.cross(place, force).sum(axis=1)], axis=1)
    return place, force, wrench


def inside(force, friction):
    return np.linalg.norm(force[..., :2], axis=-1) <= friction * force[..., 2] + 1e-9


def test_forces_at_points_add_up_to_force_and_moment():
    place, force, wrench = points_and_wrench(3, 4)
    assert_allclose((_grasp_matrix(place) @ force.reshape(3, 12, 1))[..., 0], wrench, atol=1e-12)


def test_samples_are_sorted_by_which_points_are_down():
    down = np.array([[1, 0, 1], [1, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=bool)
    found = {tuple(points.tolist()): rows.tolist() for rows, points in _patterns(down)}
    assert found == {(): [3], (0, 2): [0, 2], (0, 1): [1]}


def test_the_share_of_the_cone_is_where_a_bisection_finds_its_border():
    """Whether feet slide more than they unload or unload more than they slide."""
    quiet = RNG.normal(size=(300, 2, 3)) * [0.2, 0.2, 0.0] + [0.0, 0.0, 2.0]
    wanted = quiet + RNG.normal(size=(300, 2, 3)) * [1.0, 1.0, 1.5]
    share = _share_within_cones(quiet, wanted, 0.5)
    low = np.zeros(300)
    high = np.ones(300)
    for _ in range(60):
        middle = (low + high) / 2.0
        fits = inside(quiet + middle[:, None, None] * (wanted - quiet), 0.5).all(axis=1)
        low = np.where(fits, middle, low)
        high = np.where(fits, high, middle)
    step = wanted - quiet
    slides = (np.linalg.norm(step[..., :2], axis=-1) > 0.5 * np.abs(step[..., 2])).all(axis=1)
    assert 0.1 < (share == 1.0).mean() < 0.9
    assert 0.2 < slides.mean() < 0.8
    assert_allclose(share, high, atol=1e-6)


def test_a_foot_that_unloads_stops_at_the_side_of_its_cone():
    """By (0.1, 0, -1.5) from (0.2, 0, 2) at friction 0.5: 0.2 + 0.1 s = 1 - 0.75 s."""
    quiet = np.array([[[0.2, 0.0, 2.0]]])
    assert_allclose(_share_within_cones(quiet, quiet + np.array([0.1, 0.0, -1.5]), 0.5), [0.8 / 0.85], atol=1e-12)
    straight_down = np.array([0.0, 0.0, -3.0])  # pulls at the end; 0.2 = 1 - 1.5 s
    assert_allclose(_share_within_cones(quiet, quiet + straight_down, 0.5), [0.8 / 1.5], atol=1e-12)


def test_a_step_along_the_side_of_the_cone_has_one_root_of_a_straight_line():
    """From (0.2, 0, 2) by (0.6, 0, 1.2) at friction 0.5: a = 0, so that 0.2 + 0.6 s = 1 + 0.6 s is never reached."""
    quiet = np.array([[[0.2, 0.0, 2.0]]])
    assert _share_within_cones(quiet, quiet + np.array([0.6, 0.0, 1.2]), 0.5) == 1.0
    down = np.array([[[0.5, 0.0, -1.0]]])  # 0.2 + 0.5 s = 0.5 (2 - s): s = 0.8, with a = 0.25 - 0.25
    assert_allclose(_share_within_cones(quiet, quiet + down, 0.5), [0.8], atol=1e-12)
    assert_allclose(_share_within_cones(quiet * 2.0, quiet * 2.0 + down, 0.5), [1.0], atol=1e-12)
    assert_allclose(_share_within_cones(quiet, quiet + 2.0 * down, 0.5), [0.4], atol=1e-12)


def test_forces_of_least_cost_satisfy_the_conditions_of_a_minimum():
    place, _, wrench = points_and_wrench(4, 4)
    root = RNG.normal(size=(4, 12, 12))
    linear = RNG.normal(size=(4, 12))
    quadratic = root @ root.transpose(0, 2, 1) + np.eye(12)
    balance = _grasp_matrix(place)
    force = _minimise_in_balance(quadratic, linear, balance, wrench).reshape(4, 12)
    assert_allclose(np.einsum("tij,tj->ti", balance, force), wrench, atol=1e-9)
    slope = np.einsum("tij,tj->ti", quadratic, force) - linear
    for gradient, rows in zip(slope, balance, strict=True):  # no direction that keeps the balance is downhill
        assert_allclose(np.linalg.svd(rows)[2][6:] @ gradient, 0.0, atol=1e-8)


def test_the_smallest_forces_cost_one_over_the_square_of_what_a_foot_holds():
    place, _, wrench = points_and_wrench(3, 4)
    hold = RNG.uniform(0.3, 1.0, (3, 4))
    balance = _grasp_matrix(place)
    cost = np.stack([np.diag(np.repeat(row**-2.0, 3)) for row in hold])
    assert_allclose(
        _minimum_norm_forces(hold, balance, wrench),
        _minimise_in_balance(cost, np.zeros((3, 12)), balance, wrench),
        atol=1e-8,
    )


def test_corners_that_would_pull_are_let_go_and_carry_nothing_while_balls_keep_pulling():
    place = np.array([[[x, y, 0.0] for x in (-0.1, 0.0, 0.1) for y in (-0.05, 0.05)]])
    balance = _grasp_matrix(place)
    wrench = np.array([[0.0, 0.0, 100.0, 0.0, -9.0, 0.0]])  # pressed at x = 0.09
    force = _minimise_without_pull(np.eye(18)[None], np.zeros((1, 18)), balance, wrench)
    assert_allclose((balance @ force.reshape(1, 18, 1))[..., 0], wrench, atol=1e-3)
    assert_array_equal(force[0, :2], np.zeros((2, 3)))  # those behind, exactly
    assert (force[0, 2:, 2] >= -1e-9).all()
    assert_allclose(force[0, 4:, 2].sum(), 90.0, atol=0.1)  # 0.1 of the way back from the front edge
    balls = np.array([[[-0.1, 0.0, 0.0], [0.1, 0.05, 0.0], [0.1, -0.05, 0.0]]])
    far = np.array([[0.0, 0.0, 100.0, 0.0, -20.0, 0.0]])  # beyond the front edge
    pulled = _minimise_without_pull(np.eye(9)[None], np.zeros((1, 9)), _grasp_matrix(balls), far)
    assert_allclose(pulled[0, :, 2], [-50.0, 75.0, 75.0], atol=1e-9)


def test_what_nobody_can_push_is_left_as_it_is_rather_than_let_go():
    """Pressed a long way outside, only the front edge of two corners would push: two cannot hold a body."""
    place = np.array([[[x, y, 0.0] for x in (-0.1, 0.0, 0.1) for y in (-0.05, 0.05)]])
    wrench = np.array([[0.0, 0.0, 100.0, 0.0, -50.0, 0.0]])
    force = _minimise_without_pull(np.eye(18)[None], np.zeros((1, 18)), _grasp_matrix(place), wrench)
    assert_allclose((_grasp_matrix(place) @ force.reshape(1, 18, 1))[..., 0], wrench, atol=1e-3)
    assert (force[..., 2] < 0.0).any()


def stance_of(place, wrench, joints=6):
    lever = RNG.normal(size=(len(place), 3 * place.shape[1], joints))
    return _Stance((), lever, _grasp_matrix(place), wrench)


@pytest.mark.parametrize("hold", [np.ones((1, 4)), np.array([[1.0, 0.4, 1.0, 0.7]])])
def test_forces_go_from_even_ones_towards_least_torque_as_far_as_the_cone_allows(hold):
    place = np.array([[[0.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [0.3, -0.2, 0.0], [-0.35, -0.2, 0.01]]])
    wrench = np.array([[2.0, 1.0, 80.0, 3.0, -2.0, 0.5]])
    stance = stance_of(place, wrench)
    torque = RNG.normal(size=(1, 6)) * 5.0
    even = _minimum_norm_forces(hold, stance.balance, wrench)
    load = np.maximum(even[..., 2], 0.05 * even[..., 2].max())
    quiet = _minimum_norm_forces(load * hold, stance.balance, wrench)
    soft = 1e-6 * np.diag(np.repeat(hold[0] ** -2.0, 3))
    lever = stance.lever[0]
    eager = _minimise_in_balance((lever @ lever.T + soft)[None], (lever @ torque[0])[None], stance.balance, wrench)
    for friction in (0.2, 100.0):
        share = _share_within_cones(quiet, eager, friction)
        assert_allclose(_distribute(stance, torque, hold, friction), quiet + share * (eager - quiet), atol=1e-6)


def test_of_soles_a_joint_of_half_the_strength_costs_four_times_as_much(mrpete):
    place = np.array([[[x, y, 0.0] for x in (-0.1, 0.0, 0.1) for y in (-0.05, 0.05)]])
    wrench = np.array([[0.0, 0.0, 100.0, 0.1, -0.2, 0.0]])
    joints = len(mrpete.joint_names)
    stance = stance_of(place, wrench, joints)
    torque = RNG.normal(size=(1, joints))
    limits = np.linspace(1.0, 4.0, joints)
    robot = replace(mrpete, torque_limit_nm=limits, friction=1.0)
    strength = limits / 4.0
    weighed = replace(stance, lever=stance.lever / strength)
    expected = _distribute(weighed, torque / strength, np.ones((1, 6)), 0.6)
    assert_allclose(_distribute_over_soles(robot, stance, torque), expected, atol=1e-9)


def test_least_grip_is_a_fiftieth_and_hands_over_at_mid_sample():
    contact = np.ones((80, 3), dtype=bool)
    contact[0, 0] = contact[79, 1] = False
    hold = grip_shares(contact)
    share = (np.arange(78) + 0.5) / 78.0
    assert_allclose(hold[1:79, 0], np.maximum(share, 0.02), atol=1e-12)
    assert_allclose(hold[1:79, 1], np.maximum(1.0 - share, 0.02), atol=1e-12)
    assert hold[1, 0] == hold[78, 1] == 0.02


def dynamics_of(place, wrench, jacobian):
    samples = len(place)
    fields = {name: np.zeros((samples, 1)) for name in InverseDynamics.__dataclass_fields__}
    fields |= {"point_in_world": place, "contact_jacobian": jacobian}
    fields |= {"ground_force_n": wrench[:, :3], "ground_moment_nm": wrench[:, 3:]}
    return InverseDynamics(**fields)


def test_one_and_two_points_carry_the_least_squares_about_their_middle():
    place, _, wrench = points_and_wrench(3, 3)
    down = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 0]], dtype=bool)
    dynamics = dynamics_of(place, wrench, np.zeros((3, 3, 3, 4)))
    force = np.zeros((3, 3, 3))
    _fit_on_lines(dynamics, down, force)
    for sample in (0, 1):
        which = np.flatnonzero(down[sample])
        middle = place[sample, which].mean(axis=0)
        needed = np.concatenate([wrench[sample, :3], wrench[sample, 3:] - np.cross(middle, wrench[sample, :3])])
        balance = _grasp_matrix((place[sample, which] - middle)[None])[0]
        expected = np.linalg.lstsq(balance, needed, rcond=1e-6)[0].reshape(-1, 3)
        assert_allclose(force[sample, which], expected, atol=1e-8)
    assert not force[~down].any()
    assert not force[2].any()


@pytest.mark.parametrize("count", [1, 2])
def test_torques_of_one_or_two_points_are_what_they_carry_and_the_nearest_of_what_they_do_to_each_other(count):
    place, _, wrench = points_and_wrench(2, count)
    jacobian = RNG.normal(size=(2, count, 3, 5))
    torque = RNG.normal(size=(2, 5))
    rows = np.arange(2)
    points = np.arange(count)
    dynamics = dynamics_of(place, wrench, jacobian)
    found = _nearest_torque_on_line(dynamics, rows, points, torque)
    force = np.zeros((2, count, 3))
    _fit_on_lines(dynamics, np.ones((2, count), dtype=bool), force)
    for sample in range(2):
        carried = np.einsum("nij,ni->j", jacobian[sample], force[sample])
        inner = np.zeros(5)
        if count == 2:  # along their line they may press against each other
            along = place[sample, 1] - place[sample, 0]
            turns = np.einsum("ij,i->j", jacobian[sample, 0] - jacobian[sample, 1], along)
            inner = turns * (turns @ (torque[sample] - carried)) / (turns @ turns)
        assert_allclose(found[sample], carried + inner, atol=1e-8)


def test_nearest_torques_of_three_points_are_those_of_balanced_forces(mrpete):
    """What the forces of four feet leave open is a space of six: the nearest torque differs by what is outside it."""
    place, _, wrench = points_and_wrench(2, 4)
    jacobian = RNG.normal(size=(2, 4, 3, 12))
    torque = RNG.normal(size=(2, 12))
    contact = np.ones((2, 4), dtype=bool)
    found = nearest_contact_torque(mrpete, dynamics_of(place, wrench, jacobian), contact, torque)
    for sample in range(2):
        lever = jacobian[sample].reshape(12, 12)
        balance = _grasp_matrix(place[sample][None])[0]
        particular = np.linalg.lstsq(balance, wrench[sample], rcond=None)[0]
        free = np.linalg.svd(balance)[2][6:].T
        reach = lever.T @ free
        step = np.linalg.lstsq(reach, torque[sample] - lever.T @ particular, rcond=None)[0]
        assert_allclose(found[sample], lever.T @ (particular + free @ step), atol=1e-4)


def test_a_body_without_feet_keeps_its_torques(mrpete):
    place, _, wrench = points_and_wrench(2, 4)
    dynamics = dynamics_of(place, wrench, np.zeros((2, 4, 3, 1)))
    bare = share_ground_force(replace(mrpete, feet=()), dynamics, np.ones((2, 0), dtype=bool))
    assert bare.force_n.shape == (2, 0, 3)
    assert bare.torque_nm is dynamics.torque_nm
