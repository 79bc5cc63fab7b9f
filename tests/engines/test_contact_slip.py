"""Slip of contact points: what rolls does not slide, what is pushed or spins on the spot does, by as much."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.contact_slip import contact_slip, rolling_displacement
from strut.engines.rigid_body import compile_model
from strut.robot import ContactPoint

RADIUS_M = 0.1
BALL = SimpleNamespace(
    model=compile_model(
        f'<mujoco><worldbody><body name="ball"><freejoint/><geom size="{RADIUS_M}"/></body></worldbody></mujoco>'
    )
)
MIDDLE = ContactPoint("middle", "ball", (0.0, 0.0, 0.0), RADIUS_M)
PIN = ContactPoint("pin", "ball", (0.0, 0.0, 0.03), 0.0)
ANGLE_RAD = np.linspace(0.0, 7.0, 200)  # more than once round


def moved(direction_rad, way_m, angle_rad):
    """Return a ball that goes along a direction and turns about the axis across it, as if it rolled. Shape (T, 7)."""
    c = np.cos(direction_rad)
    s = np.sin(direction_rad)
    half = angle_rad / 2.0
    place = np.stack([c * way_m, s * way_m, np.full_like(way_m, RADIUS_M)], axis=1)
    turn = np.stack([np.cos(half), -s * np.sin(half), c * np.sin(half), np.zeros_like(half)], axis=1)
    return np.concatenate([place, turn], axis=1)


@pytest.mark.parametrize("direction_rad", [0.0, 1.1, -2.5])
def test_a_ball_that_rolls_does_not_slide(direction_rad):
    slid, height = contact_slip(BALL, [MIDDLE], moved(direction_rad, RADIUS_M * ANGLE_RAD, ANGLE_RAD))
    assert_allclose(slid[:, 0], 0.0, atol=1e-12)
    assert_allclose(height[:, 0], 0.0, atol=1e-12)


def test_a_ball_that_is_pushed_slides_as_far_and_one_that_spins_slides_back():
    still = np.zeros_like(ANGLE_RAD)
    pushed, _ = contact_slip(BALL, [MIDDLE, PIN], moved(0.0, 0.05 * ANGLE_RAD, still))
    assert_allclose(pushed[:, :, 0], np.stack([0.05 * ANGLE_RAD] * 2, axis=1), atol=1e-12)
    spun, _ = contact_slip(BALL, [MIDDLE], moved(0.0, still, ANGLE_RAD))
    assert_allclose(spun[:, 0, 0], -RADIUS_M * ANGLE_RAD, atol=1e-12)


def test_a_point_without_radius_moves_as_its_body_does():
    qpos = moved(0.0, RADIUS_M * ANGLE_RAD, ANGLE_RAD)
    slid, height = contact_slip(BALL, [MIDDLE, PIN], qpos)
    assert_allclose(height[:, 1], RADIUS_M + 0.03 * np.cos(ANGLE_RAD), atol=1e-12)
    assert_allclose(slid[:, 1, 0], RADIUS_M * ANGLE_RAD + 0.03 * np.sin(ANGLE_RAD), atol=1e-12)
    assert_allclose(rolling_displacement(BALL, [MIDDLE], qpos)[:, 0, 0], RADIUS_M * ANGLE_RAD, atol=1e-12)
