"""The zero-moment point of point masses: moments of weights and inertial forces over the vertical force."""

import numpy as np
import pytest

from strut.balance.centre_of_pressure import zero_moment_point
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.body_path import effective_height_m
from strut.gaits.footsteps.posture_failure import required_postures
from strut.reproduction.alice import variant
from tests.alice import ALICE, targets_cm

STEP_S = 0.01
TIME_S = np.arange(21) * STEP_S


def test_a_mass_on_a_cart_presses_behind_where_it_accelerates_to():
    """The linear inverted pendulum: p = x - h / g · a, here with one mass at constant height."""
    ahead_m = 0.5 * 2.0 * TIME_S**2
    mass_in_world = np.stack([ahead_m, -ahead_m, np.full_like(TIME_S, 0.8)], axis=1)[:, None]
    pressed = zero_moment_point(np.array([5.0]), mass_in_world, STEP_S)[1:-1]
    behind_m = 0.8 * 2.0 / GRAVITY_M_S2
    np.testing.assert_allclose(pressed[:, 0], ahead_m[1:-1] - behind_m, atol=1e-9)
    np.testing.assert_allclose(pressed[:, 1], -ahead_m[1:-1] + behind_m, atol=1e-9)


def test_a_mass_that_is_lifted_presses_harder_than_one_that_rests():
    rising_m = 0.5 + 0.5 * 3.0 * TIME_S**2
    zero = np.zeros_like(TIME_S)
    one = np.ones_like(TIME_S)
    mass_in_world = np.stack([np.stack([one, zero, rising_m], 1), np.stack([-one, zero, 0.5 * one], 1)], axis=1)
    pressed = zero_moment_point(np.array([2.0, 2.0]), mass_in_world, STEP_S)[1:-1]
    lifted = GRAVITY_M_S2 + 3.0
    resting = GRAVITY_M_S2
    np.testing.assert_allclose(pressed[:, 0], (lifted - resting) / (lifted + resting), atol=1e-9)


def test_masses_at_rest_press_under_their_centre_from_the_first_sample_to_the_last():
    rng = np.random.default_rng(0)
    mass_kg = rng.uniform(1.0, 3.0, 4)
    place_m = rng.normal(size=(4, 3))
    pressed = zero_moment_point(mass_kg, np.tile(place_m, (7, 1, 1)), STEP_S)
    np.testing.assert_allclose(pressed, np.tile(mass_kg @ place_m[:, :2] / mass_kg.sum(), (7, 1)))


@pytest.mark.parametrize(("torso_m", "height_m"), [(0.0, 0.1975), (0.15, 0.310)])  # derived from the paper's Table 1
def test_heavy_feet_that_stay_behind_make_the_legs_sway_like_a_higher_mass(torso_m, height_m):
    legs = biped_model(variant(ALICE, torso_m=torso_m, half_width_m=0.035))
    target = targets_cm()
    joint = required_postures(legs, target).joint_in_world
    masses = legs.masses_in_world(joint, target.foot_heading_rad, target.body_heading_rad)
    assert effective_height_m(legs, target) == pytest.approx(height_m, abs=1e-3)
    assert effective_height_m(legs, target) > float(legs.mass_kg @ masses[0, :, 2] / legs.mass_kg.sum())
