"""Masses of a biped with two legs: nine point masses on the points of the closed-form leg model."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from tests.alice import ALICE, LEGS

JOINTS = len(ALICE.joint_names)


def test_nine_masses_lie_between_their_joints_with_their_own_offsets():
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
