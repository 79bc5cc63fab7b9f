"""Ground forces of a real walk: statics, friction cones, least torque, and no jumps."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from strut import walk
from strut.balance.ground_force import grip_shares, nearest_contact_torque, share_ground_force
from strut.engines.inverse_dynamics import inverse_dynamics
from tests.alice import ALICE


@pytest.fixture(scope="module")
def dynamics(mrpete, happy_walk):
    return inverse_dynamics(mrpete, happy_walk.time_s, happy_walk.qpos)


@pytest.fixture(scope="module")
def shared(mrpete, happy_walk, dynamics):
    return share_ground_force(mrpete, dynamics, happy_walk.contact)


def contact_points(mrpete, dynamics):
    return dynamics.foot_in_world - [0.0, 0.0, mrpete.feet[0].radius_m]


def test_forces_of_the_feet_add_up_to_the_wrench_that_the_movement_needs(mrpete, dynamics, shared):
    assert_allclose(shared.force_n.sum(axis=1), dynamics.ground_force_n, atol=1e-8)
    moment = np.cross(contact_points(mrpete, dynamics), shared.force_n).sum(axis=1)
    assert_allclose(moment, dynamics.ground_moment_nm, atol=1e-8)


def test_feet_in_the_air_carry_nothing(happy_walk, shared):
    assert_array_equal(shared.force_n[~happy_walk.contact], np.zeros(((~happy_walk.contact).sum(), 3)))


def test_feet_only_push_and_stay_in_their_friction_cones(mrpete, shared):
    """While the load is handed over a foot that carries nothing may seem to pull by 0.3 % of the weight, no more."""
    weight_n = mrpete.mass_kg * 9.81
    load = shared.force_n[..., 2]
    assert load.min() >= -0.003 * weight_n
    sideways = np.linalg.norm(shared.force_n[..., :2], axis=-1)
    assert (sideways <= mrpete.friction * np.maximum(load, 0.003 * weight_n) + 1e-9).all()


def test_torques_are_those_of_the_forces(dynamics, shared):
    expected = dynamics.torque_nm - np.einsum("tnij,tni->tj", dynamics.contact_jacobian, shared.force_n)
    assert_allclose(shared.torque_nm, expected, atol=1e-12)


def test_virtual_work_of_the_floating_base_vanishes(mrpete, happy_walk, dynamics, shared):
    """With the feet's forces the base needs no force of its own: d'Alembert for six more coordinates."""
    resultant = shared.force_n.sum(axis=1) - dynamics.ground_force_n
    assert np.abs(resultant).max() < 1e-8


def even_forces(mrpete, dynamics, contact, sample):
    """Return the smallest forces that do the same: what feet without servos' help would share."""
    feet = np.flatnonzero(contact[sample])
    point = contact_points(mrpete, dynamics)[sample, feet]
    cross = [np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]]) for p in point]
    balance = np.vstack([np.hstack([np.eye(3)] * len(feet)), np.hstack(cross)])
    wrench = np.concatenate([dynamics.ground_force_n[sample], dynamics.ground_moment_nm[sample]])
    force = np.zeros((4, 3))
    force[feet] = np.linalg.lstsq(balance, wrench, rcond=None)[0].reshape(-1, 3)
    return force, balance


def test_sharing_asks_less_torque_than_even_forces(mrpete, happy_walk, dynamics, shared):
    ours = []
    even = []
    for sample in range(0, len(happy_walk.time_s), 20):
        force, _ = even_forces(mrpete, dynamics, happy_walk.contact, sample)
        torque = dynamics.torque_nm[sample] - np.einsum("nij,ni->j", dynamics.contact_jacobian[sample], force)
        ours.append(np.sum(shared.torque_nm[sample] ** 2))
        even.append(np.sum(torque**2))
    assert np.mean(ours) < 0.95 * np.mean(even)


def test_with_enough_friction_no_other_sharing_asks_less_torque(mrpete, happy_walk, dynamics):
    """Castigliano: any self-stress added between three feet costs energy. Softness allows a part in a thousand."""
    gripping = replace(mrpete, friction=50.0)
    shared = share_ground_force(gripping, dynamics, happy_walk.contact)
    rng = np.random.default_rng(1)
    for sample in np.flatnonzero(happy_walk.contact.sum(axis=1) == 3)[::40]:
        feet = np.flatnonzero(happy_walk.contact[sample])
        _, balance = even_forces(mrpete, dynamics, happy_walk.contact, sample)
        free = np.linalg.svd(balance)[2][np.linalg.matrix_rank(balance) :]
        least = np.sum(shared.torque_nm[sample] ** 2)
        for _ in range(5):
            change = (rng.normal(size=len(free)) @ free).reshape(-1, 3)
            torque = shared.torque_nm[sample] - np.einsum("nij,ni->j", dynamics.contact_jacobian[sample, feet], change)
            assert np.sum(torque**2) >= least * (1.0 - 1e-3)


def test_load_is_handed_over_without_a_jump(mrpete):
    """From sample to sample (100 per second) no foot takes or loses a fifth of the weight; without grip they do."""
    motion = walk("mrpete", "neutral", cycles=2, rate_hz=100.0)
    weight_n = mrpete.mass_kg * 9.81
    assert np.abs(np.diff(motion.ground_force_n[..., 2], axis=0)).max() < 0.2 * weight_n


def test_two_feet_carry_the_weight_and_leave_only_what_tips_about_their_line(mrpete, dynamics, happy_walk):
    """Least squares, by its normal equations: what is left over can be done by no force at the two points."""
    two = np.zeros_like(happy_walk.contact)
    two[:, [0, 3]] = True  # a diagonal, as in a trot
    shared = share_ground_force(mrpete, dynamics, two)
    point = contact_points(mrpete, dynamics)[:, [0, 3]]
    force = shared.force_n[:, [0, 3]]
    middle = point.mean(axis=1)
    left_n = dynamics.ground_force_n - force.sum(axis=1)
    needed_nm = dynamics.ground_moment_nm - np.cross(middle, dynamics.ground_force_n)
    left_nm = needed_nm - np.cross(point - middle[:, None], force).sum(axis=1)
    assert np.abs(left_n).max() < 1e-6
    along = (point[:, 1] - point[:, 0]) / np.linalg.norm(point[:, 1] - point[:, 0], axis=1, keepdims=True)
    assert_allclose(np.cross(left_nm, along), np.zeros_like(left_nm), atol=1e-6)


def test_grip_passes_from_the_foot_about_to_lift_to_the_foot_that_landed():
    contact = np.ones((30, 4), dtype=bool)
    contact[:10, 0] = contact[20:, 1] = False
    hold = grip_shares(contact)
    assert_array_equal(hold[:10], np.ones((10, 4)))  # three feet must carry all
    assert_array_equal(hold[20:], np.ones((10, 4)))
    assert_array_equal(hold[10:20, 2:], np.ones((10, 2)))
    assert (np.diff(hold[10:20, 0]) > 0.0).all()
    assert (np.diff(hold[10:20, 1]) < 0.0).all()
    assert_allclose(hold[10:20, 0] + hold[10:20, 1], np.ones(10))
    assert hold[10, 0] < 0.1
    assert hold[19, 1] < 0.1


def test_grip_is_full_while_a_robot_only_stands():
    assert_array_equal(grip_shares(np.ones((5, 4), dtype=bool)), np.ones((5, 4)))


@pytest.mark.parametrize("feet", [(0, 1, 2, 3), (0, 1, 3), (0, 3), (2,)])
def test_torques_that_forces_of_the_feet_can_have_are_nearest_to_themselves(mrpete, dynamics, happy_walk, feet):
    """Also where feet press against each other, which moves nothing; and what is far off comes no nearer."""
    contact = np.zeros_like(happy_walk.contact)
    contact[:, feet] = True
    force = share_ground_force(mrpete, dynamics, contact).force_n.copy()
    if len(feet) > 1:
        first = feet[0]
        last = feet[-1]
        along = dynamics.point_in_world[:, first] - dynamics.point_in_world[:, last]
        force[:, first] += 20.0 * along
        force[:, last] -= 20.0 * along
    own = np.einsum("tnij,tni->tj", dynamics.contact_jacobian, force)
    assert_allclose(nearest_contact_torque(mrpete, dynamics, contact, own), own, atol=1e-3 * np.abs(own).max())
    other = own + np.random.default_rng(0).normal(size=own.shape)
    nearest = nearest_contact_torque(mrpete, dynamics, contact, other)
    assert (np.linalg.norm(nearest - other, axis=1) <= np.linalg.norm(own - other, axis=1) + 1e-3).all()


def test_the_centre_of_pressure_of_soles_decides_which_foot_carries():
    """Alice stands evenly until one foot lifts: until then it carries its half, and no corner has to pull."""
    time_s = np.arange(0.0, 1.0, 0.02)
    contact = np.ones((50, 2), dtype=bool)
    contact[-10:, 0] = False
    dynamics = inverse_dynamics(ALICE, time_s, np.tile(ALICE.standing_qpos, (len(time_s), 1)))
    force_n = share_ground_force(ALICE, dynamics, contact).force_n
    assert_allclose(force_n.sum(axis=1), dynamics.ground_force_n, atol=1e-3)
    weight_n = dynamics.ground_force_n[:40, 2]
    assert_allclose(force_n[:40, 0, 2] / weight_n, 0.5, atol=0.05)
