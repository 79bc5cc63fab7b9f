"""How ground forces are shared: contact points and Jacobians are drawn at random, and each case has its own algebra."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls

from strut.balance.ground_force import grip_shares, nearest_contact_torque, share_ground_force
from strut.engines.inverse_dynamics import InverseDynamics
from tests.alice import ALICE

JOINTS = 18


def random_dynamics(rng, samples, count, joints=JOINTS, weight_n=80.0):
    """Points on uneven ground under a body, with random Jacobians and torques."""
    corners = np.array([[0.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [0.3, -0.2, 0.0], [-0.35, -0.2, 0.01]])[:count]
    place = corners + rng.normal(size=(samples, count, 3)) * [0.02, 0.02, 0.01]
    force = rng.normal(size=(samples, 3)) * [3.0, 3.0, 5.0] + [0.0, 0.0, weight_n]
    moment = np.cross(place.mean(axis=1), force) + rng.normal(size=(samples, 3)) * 2.0
    return dynamics_of(
        place, force, moment, rng.normal(size=(samples, count, 3, joints)), 20.0 * rng.normal(size=(samples, joints))
    )


def dynamics_of(place, force, moment, jacobian, torque):
    fields = {name: np.zeros((len(place), 1)) for name in InverseDynamics.__dataclass_fields__}
    fields |= {"point_in_world": place, "contact_jacobian": jacobian, "torque_nm": torque}
    fields |= {"ground_force_n": force, "ground_moment_nm": moment}
    return InverseDynamics(**fields)


def grasp_matrix(place):
    """Return the map of forces at points (k, 3) to force and moment about the origin: one unit force per column."""
    columns = []
    for point in place:
        columns += [np.concatenate([axis, np.cross(point, axis)]) for axis in np.eye(3)]
    return np.array(columns).T


def smallest_forces(hold, balance, wrench):
    """Return the forces in balance with the least sum of |f / hold|^2."""
    scale = np.repeat(hold, 3)
    return scale * np.linalg.lstsq(balance * scale, wrench, rcond=None)[0]


def in_cones(force, friction):
    force = force.reshape(-1, 3)
    return np.all(np.linalg.norm(force[:, :2], axis=1) <= friction * force[:, 2] + 1e-9)


def expected_forces(dynamics, sample, feet, hold, friction):
    """Return the forces from a null space and a bisection, and the share of the way to those of least torque.

    No share is NaN: even the even forces slide, so that nothing is claimed but balance.
    """
    balance = grasp_matrix(dynamics.point_in_world[sample, feet])
    wrench = np.concatenate([dynamics.ground_force_n[sample], dynamics.ground_moment_nm[sample]])
    lever = dynamics.contact_jacobian[sample, feet].reshape(3 * len(feet), -1)
    load = smallest_forces(hold, balance, wrench).reshape(-1, 3)[:, 2]
    quiet = smallest_forces(np.maximum(load, 0.05 * load.max()) * hold, balance, wrench)
    free = np.linalg.svd(balance)[2][6:].T
    tied = 1e-3 * np.repeat(1.0 / hold, 3)[:, None]
    rows = np.vstack([lever.T @ free, tied * free])
    rest = np.concatenate([dynamics.torque_nm[sample] - lever.T @ quiet, -tied[:, 0] * quiet])
    eager = quiet + free @ np.linalg.lstsq(rows, rest, rcond=None)[0]
    low = 0.0 if in_cones(quiet, friction) else np.nan
    high = 1.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if in_cones(quiet + middle * (eager - quiet), friction) else (low, middle)
    share = 1.0 if in_cones(eager, friction) else low
    return (quiet + share * (eager - quiet)).reshape(-1, 3), share


@pytest.mark.parametrize("friction", [1.5, 2.0, 1e4])
def test_forces_go_from_even_ones_towards_least_torque_as_far_as_the_cones_allow(mrpete, friction):
    """0.6 of the friction is for this. At the samples between three feet and four, feet hold less."""
    dynamics = random_dynamics(np.random.default_rng(5), 40, 4)
    contact = np.ones((40, 4), dtype=bool)
    contact[0, 0] = contact[-1, 3] = False
    hold = grip_shares(contact)
    found = share_ground_force(replace(mrpete, friction=friction), dynamics, contact)
    shares = []
    for sample in range(40):
        feet = np.flatnonzero(contact[sample])
        force, share = expected_forces(dynamics, sample, feet, hold[sample, feet], 0.6 * friction)
        if not np.isnan(share):
            assert_allclose(found.force_n[sample, feet], force, atol=1e-4)
        shares.append(share)
    assert_allclose(found.force_n.sum(axis=1), dynamics.ground_force_n, atol=1e-8)
    assert np.isnan(shares).mean() < 0.7
    assert not found.force_n[~contact].any()
    inside = [share for share in shares if 0.0 < share < 1.0]
    assert inside if friction < 10.0 else shares.count(1.0) > 20


def test_one_and_two_points_carry_the_least_squares_about_their_middle(mrpete):
    dynamics = random_dynamics(np.random.default_rng(6), 3, 4)
    contact = np.array([[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=bool)
    force = share_ground_force(mrpete, dynamics, contact).force_n
    for sample in (0, 1):
        feet = np.flatnonzero(contact[sample])
        place = dynamics.point_in_world[sample, feet]
        middle = place.mean(axis=0)
        moment = dynamics.ground_moment_nm[sample] - np.cross(middle, dynamics.ground_force_n[sample])
        wrench = np.concatenate([dynamics.ground_force_n[sample], moment])
        expected = np.linalg.lstsq(grasp_matrix(place - middle), wrench, rcond=1e-6)[0].reshape(-1, 3)
        assert_allclose(force[sample, feet], expected, atol=1e-8)
    assert not force[~contact].any()


@pytest.mark.parametrize("feet", [(2,), (0, 3)])
def test_torques_nearest_on_one_or_two_points_are_those_of_the_load_and_of_pressing_along_their_line(mrpete, feet):
    dynamics = random_dynamics(np.random.default_rng(7), 2, 4)
    contact = np.zeros((2, 4), dtype=bool)
    contact[:, feet] = True
    torque = np.random.default_rng(8).normal(size=(2, JOINTS))
    found = nearest_contact_torque(mrpete, dynamics, contact, torque)
    force = share_ground_force(mrpete, dynamics, contact).force_n
    carried = np.einsum("tnij,tni->tj", dynamics.contact_jacobian, force)
    for sample in range(2):
        inner = np.zeros(JOINTS)
        if len(feet) == 2:  # along their line they may press against each other
            along = dynamics.point_in_world[sample, feet[1]] - dynamics.point_in_world[sample, feet[0]]
            jacobian = dynamics.contact_jacobian[sample]
            turns = along @ (jacobian[feet[0]] - jacobian[feet[1]])
            inner = turns * (turns @ (torque[sample] - carried[sample])) / (turns @ turns)
        assert_allclose(found[sample], carried[sample] + inner, atol=1e-8)


def test_nearest_torques_of_four_points_are_those_of_balanced_forces(mrpete):
    """What the forces of four feet leave open is a space of six: the nearest torque differs by what is outside it."""
    dynamics = random_dynamics(np.random.default_rng(9), 2, 4, joints=12)
    torque = np.random.default_rng(10).normal(size=(2, 12))
    found = nearest_contact_torque(mrpete, dynamics, np.ones((2, 4), dtype=bool), torque)
    for sample in range(2):
        lever = dynamics.contact_jacobian[sample].reshape(12, 12)
        balance = grasp_matrix(dynamics.point_in_world[sample])
        wrench = np.concatenate([dynamics.ground_force_n[sample], dynamics.ground_moment_nm[sample]])
        particular = np.linalg.lstsq(balance, wrench, rcond=None)[0]
        reach = lever.T @ np.linalg.svd(balance)[2][6:].T
        step = np.linalg.lstsq(reach, torque[sample] - lever.T @ particular, rcond=None)[0]
        assert_allclose(found[sample], lever.T @ particular + reach @ step, atol=1e-4)


SOLES = np.array([[x, y, 0.0] for y in (0.1, -0.1) for x in (-0.1, 0.1) for y in (y - 0.04, y + 0.04)])


def vertical_forces(pressed_at_m, *, wanted_n=0.0, limits=None):
    """Return the vertical forces at eight corners of two soles, each of which is felt by a joint of its own."""
    joints = len(ALICE.joint_names)
    jacobian = np.zeros((1, 8, 3, joints))
    jacobian[0, range(8), 2, range(8)] = 1.0
    torque = np.zeros((1, joints))
    torque[:, :8] = wanted_n
    force = np.array([[0.0, 0.0, 100.0]])
    dynamics = dynamics_of(SOLES[None], force, np.cross([*pressed_at_m, 0.0], force), jacobian, torque)
    robot = replace(ALICE, friction=100.0, torque_limit_nm=np.ones(joints) if limits is None else limits)
    found = share_ground_force(robot, dynamics, np.ones((1, 2), dtype=bool))
    corners = (torque - found.torque_nm)[0, :8]
    assert_allclose(found.force_n[0, :, 2], corners.reshape(2, 4).sum(axis=1), atol=1e-9)
    return corners


PRESSES = np.vstack([np.ones(8), SOLES[:, 0], SOLES[:, 1]])


@pytest.mark.parametrize("pressed_at_m", [(0.0, 0.0), (0.085, 0.0), (0.07, 0.06)])
def test_no_corner_of_a_sole_pulls(pressed_at_m):
    """The oracle is nonnegative least squares with heavy rows for the balance."""
    corners = vertical_forces(pressed_at_m)
    wrench = 100.0 * np.array([1.0, *pressed_at_m])
    expected = nnls(np.vstack([1e4 * PRESSES, np.eye(8)]), np.concatenate([1e4 * wrench, np.zeros(8)]))[0]
    assert_allclose(PRESSES @ corners, wrench, atol=1e-2)
    assert_allclose(corners, expected, atol=0.1)
    assert_array_equal(corners == 0.0, expected < 1e-9)


@pytest.mark.parametrize("pressed_at_m", [(0.3, 0.0), (0.5, 0.0), (0.0, -0.5)])
def test_forces_add_up_to_what_the_movement_needs_even_if_some_have_to_pull(pressed_at_m):
    """Statics: with the pressure outside of both soles, forces that only push cannot be in balance."""
    corners = vertical_forces(pressed_at_m)
    assert_allclose(PRESSES @ corners, 100.0 * np.array([1.0, *pressed_at_m]), atol=1e-2)
    assert corners.min() < 0.0


def test_of_soles_a_joint_of_half_the_strength_costs_four_times_as_much():
    limits = np.ones(len(ALICE.joint_names))
    limits[1] = limits[6] = 0.5
    wanted_n = np.linspace(10.0, 15.0, 8)
    cost = np.repeat(1.0, 8)
    cost[[1, 6]] = 4.0
    right = np.concatenate([cost * wanted_n, [100.0, 0.0, 0.0]])
    stationary = np.block([[np.diag(cost), PRESSES.T], [PRESSES, np.zeros((3, 3))]])
    expected = np.linalg.solve(stationary, right)[:8]
    assert_allclose(vertical_forces((0.0, 0.0), wanted_n=wanted_n, limits=limits), expected, atol=1e-3)


def test_least_grip_is_a_fiftieth_and_hands_over_at_mid_sample():
    contact = np.ones((80, 3), dtype=bool)
    contact[0, 0] = contact[79, 1] = False
    hold = grip_shares(contact)
    share = (np.arange(78) + 0.5) / 78.0
    assert_allclose(hold[1:79, 0], np.maximum(share, 0.02), atol=1e-12)
    assert_allclose(hold[1:79, 1], np.maximum(1.0 - share, 0.02), atol=1e-12)
    assert hold[1, 0] == hold[78, 1] == 0.02


def test_a_body_without_feet_keeps_its_torques(mrpete):
    dynamics = random_dynamics(np.random.default_rng(11), 2, 4)
    bare = share_ground_force(replace(mrpete, feet=()), dynamics, np.ones((2, 0), dtype=bool))
    assert bare.force_n.shape == (2, 0, 3)
    assert bare.torque_nm is dynamics.torque_nm
