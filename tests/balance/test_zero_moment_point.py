"""Zero-moment points of a few masses, from the moments of what the ground must give to each."""

import numpy as np
from numpy.testing import assert_allclose

from strut.balance.centre_of_pressure import swing_leg_cop, zero_moment_point
from strut.engines.rigid_body import point_masses

GRAVITY = np.array([0.0, 0.0, 9.81])


def test_about_the_zero_moment_point_gravity_and_inertia_do_not_tip():
    rng = np.random.default_rng(2)
    mass = np.array([2.0, 0.5, 1.2])
    place = rng.normal(size=(7, 3, 3)) * 0.01 + [0.2, -0.3, 0.5]
    step_s = 0.05
    found = zero_moment_point(mass, place, step_s)
    at_rest = np.concatenate([place[:1], place, place[-1:]])  # before and after it does not move
    acceleration = (at_rest[2:] - 2.0 * at_rest[1:-1] + at_rest[:-2]) / step_s**2
    load = mass[:, None] * (acceleration + GRAVITY)
    about = place - np.concatenate([found, np.zeros((7, 1))], axis=1)[:, None]
    assert_allclose(np.cross(about, load).sum(axis=1)[:, :2], 0.0, atol=1e-10)


def test_only_legs_in_the_air_have_inertia(mrpete):
    rng = np.random.default_rng(3)
    qpos = np.tile(mrpete.standing_qpos, (6, 1))
    qpos[:, :3] += [0.3, -0.2, 0.0] + rng.normal(size=(6, 3)) * 1e-3
    qpos[:, 7:] += rng.normal(size=(6, qpos.shape[1] - 7)) * 1e-2
    contact = np.array([[1, 1, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1], [0, 0, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1]], dtype=bool)
    masses = point_masses(mrpete, qpos)
    step_s = 0.02
    place = masses.centre_in_world
    at_rest = np.concatenate([place[:1], place, place[-1:]])
    acceleration = (at_rest[2:] - 2.0 * at_rest[1:-1] + at_rest[:-2]) / step_s**2
    for sample in range(6):
        in_air = [limb >= 0 and not contact[sample, limb] for limb in masses.limb]
        inertia = np.where(np.array(in_air)[:, None], acceleration[sample], 0.0)
        load = masses.mass_kg[:, None] * (inertia + GRAVITY)
        moment = np.cross(place[sample], load).sum(axis=0)
        expected = np.array([-moment[1], moment[0]]) / load[:, 2].sum()
        found = swing_leg_cop(mrpete, 2.0 + step_s * np.arange(6), qpos, contact)[sample]
        assert_allclose(found, expected, atol=1e-10)
