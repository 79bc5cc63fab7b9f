"""The wrench of a floating body against Newton and Euler in world axes, away from the origin."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.body_wrench import Movement, body_wrench, centre_of_mass_path, torques_under_wrenches

WEIGHT_N = 75.0 * 9.81


@pytest.fixture(scope="module")
def posture(heiman):
    """Somebody who leans, turned, two metres ahead and one to the left. Shape (1, n)."""
    q = 0.2 * np.random.default_rng(2).normal(size=(1, heiman.model.nv))
    q[0, :6] = 2.0, 1.0, 0.9, 0.1, -0.2, 0.7
    return q


def test_a_body_at_rest_is_held_by_its_weight_under_its_centre_of_mass(heiman, posture):
    still = Movement(posture, np.zeros_like(posture), np.zeros_like(posture)).for_engine()
    wrench = body_wrench(heiman.model, *still)[0]
    assert_allclose(wrench[:3], [0.0, 0.0, WEIGHT_N], atol=1e-9)
    com_m = centre_of_mass_path(heiman.model, still[0])[0]
    assert_allclose(wrench[3:], np.cross(com_m, wrench[:3]), atol=1e-9)


def test_force_is_mass_times_the_acceleration_of_the_centre_of_mass(heiman, posture):
    rng = np.random.default_rng(3)
    rate, acceleration = rng.normal(size=(2, *posture.shape))
    step_s = 1e-4
    near = [posture + dt * rate + 0.5 * dt**2 * acceleration for dt in (-step_s, 0.0, step_s)]
    zero = np.zeros((3, posture.shape[1]))
    path = centre_of_mass_path(heiman.model, Movement(np.concatenate(near), zero, zero).for_engine()[0])
    moved = (path[2] - 2.0 * path[1] + path[0]) / step_s**2
    force = body_wrench(heiman.model, *Movement(posture, rate, acceleration).for_engine())[0, :3]
    assert_allclose(force, heiman.mass_kg * (moved + np.array([0.0, 0.0, 9.81])), atol=1e-3 * WEIGHT_N)


def test_what_carries_the_pelvis_asks_the_same_torques_of_the_joints_wherever_the_body_is(heiman, posture):
    elsewhere = posture.copy()
    elsewhere[0, :2] += 3.0, -2.0
    found = []
    for q in (posture, elsewhere):
        still = Movement(q, np.zeros_like(q), np.zeros_like(q)).for_engine()
        wrench = body_wrench(heiman.model, *still)
        found.append(torques_under_wrenches(heiman.model, still, ["FootRight"], wrench[:, None]))
    assert_allclose(found[0], found[1], atol=1e-9)
    assert np.abs(found[0]).max() > 50.0  # one leg carries all
