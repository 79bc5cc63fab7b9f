"""The dynamics that controllers see: momentum, energy and feet against differences of where the body is."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.control.driven_body import driven_body
from strut.engines.controller_dynamics import FOOT_ROWS
from strut.models.catalogue import load_robot
from strut.models.torque_model import control_table, torque_model

STEP_S = 1e-6


@pytest.fixture(scope="module")
def body():
    cassie = load_robot("cassie")
    return driven_body(torque_model(cassie, friction=0.6, step_s=1e-3), control_table(cassie))


@pytest.fixture
def moving(body):
    """The dynamics of a turned body whose springs keep up with its motors; its place, and minimal velocities."""
    rng, whole = np.random.default_rng(4), body.dynamics()
    qpos = np.array(body.model.qpos0)
    qpos[3:7] = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])
    speed = rng.normal(size=whole.reduction.shape[1])
    whole.place(qpos)
    whole.move(whole.reduction @ speed)
    return whole, qpos, speed


def carried_on(body, whole, qpos, speed, duration_s):
    """Return centre of mass and points of the soles, in world, a moment later."""
    later = qpos.copy()
    mujoco.mj_integratePos(body.model, later, whole.reduction @ speed, duration_s)
    other = body.dynamics()
    other.place(later)
    return later[:3] + other.com, later[:3] + other.pivot


def test_momentum_is_mass_times_the_speed_of_the_centre_of_mass(body, moving):
    whole, qpos, speed = moving
    (before, _), (after, _) = (carried_on(body, whole, qpos, speed, dt) for dt in (-STEP_S, STEP_S))
    assert_allclose(whole.momentum[:3], whole.mass_kg * (after - before) / (2.0 * STEP_S), atol=1e-5)


def test_energy_is_that_of_all_bodies(body, moving):
    whole, qpos, speed = moving
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[:] = qpos, whole.reduction @ speed
    mujoco.mj_forward(body.model, data)
    mujoco.mj_energyVel(body.model, data)
    assert 0.5 * speed @ whole.mass @ speed == pytest.approx(data.energy[1], rel=1e-9)


def test_soles_move_as_their_rows_say(body, moving):
    whole, qpos, speed = moving
    (_, before), (_, after) = (carried_on(body, whole, qpos, speed, dt) for dt in (-STEP_S, STEP_S))
    rows = (whole.foot_rows @ speed).reshape(len(before), FOOT_ROWS)
    assert_allclose(rows[:, :3], (after - before) / (2.0 * STEP_S), atol=1e-5)


def test_a_body_at_rest_is_pulled_down_by_its_weight(body, moving):
    whole, qpos, _ = moving
    whole.place(qpos)
    whole.move(np.zeros(body.model.nv))
    assert_allclose(whole.bias[:3], [0.0, 0.0, 9.81 * whole.mass_kg], atol=1e-9)
    assert_allclose(whole.foot_drift, 0.0)
