"""What the ground may push, and what a fit prefers where it cannot explain everything: one point, counted by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.inverse_dynamics import ContactDemand
from strut.models.catalogue import load_robot
from strut.verify.contact_force_fit import CALM, LEVER_M, RIM, fit_contact_forces

PETE = load_robot("mrpete")
JOINTS = len(PETE.joint_names)


def fitted(force, columns, friction=0.5):
    """Return the fit of one sample to one point, whose push along world axes does what the columns say. (6 + n, 3)."""
    demand = ContactDemand(force[None], np.zeros((1, 1, 3)), columns.T[None, None])
    return fit_contact_forces(PETE, demand, np.ones((1, 1), dtype=bool), friction=friction)


def pushing_only():
    """Return the columns of a point at the origin of the base: its push is a force and nothing else."""
    return np.concatenate([np.eye(3), np.zeros((3 + JOINTS, 3))])


@pytest.mark.parametrize("direction", range(RIM))
def test_the_ground_pushes_sideways_as_far_as_friction_allows_all_round(direction):
    angle = 2.0 * np.pi * direction / RIM
    aside = np.array([np.cos(angle), np.sin(angle), 0.0])
    for share, left_n in ((0.999, 0.0), (1.2, None)):
        push = 80.0 * (share * 0.5 * aside + [0.0, 0.0, 1.0])
        found = fitted(np.concatenate([push, np.zeros(3 + JOINTS)]), pushing_only())
        if left_n is None:
            assert np.linalg.norm(found.rest) > 5.0
        else:
            assert_allclose(found.force_n[0, 0], push, atol=1e-6)
            assert_allclose(found.rest, 0.0, atol=1e-6)


def test_between_the_directions_of_the_rim_two_per_cent_of_the_friction_are_given_away():
    angle = np.pi / RIM
    aside = np.array([np.cos(angle), np.sin(angle), 0.0])
    for share, whole in ((0.98, True), (0.985, False)):  # the cosine of a 32nd of a turn is 0.981
        push = 80.0 * (share * 0.5 * aside + [0.0, 0.0, 1.0])
        found = fitted(np.concatenate([push, np.zeros(3 + JOINTS)]), pushing_only())
        assert bool(np.linalg.norm(found.rest) < 1e-6) is whole


def test_a_moment_counts_as_much_as_the_force_that_has_it_at_the_lever():
    """A push at the lever, of which nobody asks for the moment, is given up by half: (1 - s)² + s² is least there."""
    columns = pushing_only()
    columns[3, 2] = LEVER_M
    found = fitted(np.concatenate([[0.0, 0.0, 60.0], np.zeros(3 + JOINTS)]), columns, friction=1e-9)
    assert found.force_n[0, 0, 2] == pytest.approx(30.0, rel=1e-6)
    assert_allclose(found.rest[0, [2, 3]], [30.0, -30.0 * LEVER_M], rtol=1e-6)


def test_a_torque_at_its_limit_counts_as_much_as_a_little_force_that_nothing_explains():
    columns = pushing_only()
    columns[6 + 4, 2] = PETE.torque_limit_nm[4] / CALM
    found = fitted(np.concatenate([[0.0, 0.0, 60.0], np.zeros(3 + JOINTS)]), columns, friction=1e-9)
    assert found.force_n[0, 0, 2] == pytest.approx(30.0, rel=1e-6)
    assert found.torque_nm[0, 4] == pytest.approx(-30.0 * PETE.torque_limit_nm[4] / CALM, rel=1e-6)
