"""The dynamics that controllers see: momentum, energy and feet against differences of where the body is."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.models.catalogue import load_robot
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.plant.torque_model import control_table, torque_model

STEP_S = 1e-6


@pytest.fixture(scope="module")
def body():
    cassie = load_robot("cassie")
    return actuated_model(torque_model(cassie, friction=0.6, step_s=1e-3), control_table(cassie))


@pytest.fixture
def moving(body):
    """The dynamics of a turned body whose springs keep up with its motors; its place, and minimal velocities."""
    rng = np.random.default_rng(4)
    whole = body.dynamics()
    qpos = np.array(body.model.qpos0)
    qpos[3:7] = np.array([0.9, 0.2, -0.3, 0.1]) / np.linalg.norm([0.9, 0.2, -0.3, 0.1])
    speed = rng.normal(size=whole.reduction.shape[1])
    whole.set_configuration(qpos)
    whole.set_velocity(whole.reduction @ speed)
    return whole, qpos, speed


def carried_on(body, whole, qpos, speed, duration_s):
    """Return centre of mass and points of the soles, in world, a moment later."""
    later = qpos.copy()
    mujoco.mj_integratePos(body.model, later, whole.reduction @ speed, duration_s)
    other = body.dynamics()
    other.set_configuration(later)
    return later[:3] + other.com, later[:3] + other.pivot


def test_momentum_is_mass_times_the_speed_of_the_centre_of_mass(body, moving):
    whole, qpos, speed = moving
    (before, _), (after, _) = (carried_on(body, whole, qpos, speed, dt) for dt in (-STEP_S, STEP_S))
    assert_allclose(whole.momentum[:3], whole.mass_kg * (after - before) / (2.0 * STEP_S), atol=1e-5)


def test_energy_is_that_of_all_bodies(body, moving):
    whole, qpos, speed = moving
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    data.qvel[:] = whole.reduction @ speed
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
    whole.set_configuration(qpos)
    whole.set_velocity(np.zeros(body.model.nv))
    assert_allclose(whole.bias[:3], [0.0, 0.0, 9.81 * whole.mass_kg], atol=1e-9)
    assert_allclose(whole.foot_drift, 0.0)


def test_mass_and_soles_are_relative_to_the_base_anywhere(body, moving):
    whole, qpos, _ = moving
    away = qpos.copy()
    away[:3] = 3.0, -2.0, 5.0
    data = mujoco.MjData(body.model)
    data.qpos[:] = away
    mujoco.mj_forward(body.model, data)
    whole.set_configuration(away)
    assert_allclose(whole.com, data.subtree_com[1] - data.xpos[1], atol=1e-9)
    assert_allclose(whole.base_rotation.ravel(), data.xmat[1], atol=1e-12)
    jacobian = np.zeros((3, body.model.nv))
    for foot, place in enumerate(whole.pivot):
        number = body.model.body(body.feet[foot].body).id
        own = data.xpos[number] + data.xmat[number].reshape(3, 3) @ body.feet[foot].pivot
        assert_allclose(place, own - data.xpos[1], atol=1e-9)
        mujoco.mj_jac(body.model, data, jacobian, None, own, number)
        assert_allclose(whole.jacobian[FOOT_ROWS * foot : FOOT_ROWS * foot + 3], jacobian, atol=1e-9)
        axes = [whole.line[foot], whole.side[foot], whole.normal[foot]]
        assert_allclose(np.array(axes) @ np.array(axes).T, np.eye(3), atol=1e-9)
        assert_allclose(np.cross(whole.normal[foot], whole.line[foot]), whole.side[foot], atol=1e-9)


def test_angular_momentum_is_about_the_base(body, moving):
    whole, qpos, speed = moving
    data = mujoco.MjData(body.model)
    data.qpos[:] = qpos
    data.qvel[:] = whole.reduction @ speed
    mujoco.mj_forward(body.model, data)
    mujoco.mj_subtreeVel(body.model, data)
    linear = whole.mass_kg * data.subtree_linvel[1]
    about_base = data.subtree_angmom[1] + np.cross(data.subtree_com[1] - data.xpos[1], linear)
    assert_allclose(whole.momentum[:3], linear, atol=1e-6)
    assert_allclose(whole.momentum[3:], about_base, atol=1e-6)


def test_soles_that_move_steadily_drift_by_what_turns_them(body, moving):
    """At constant minimal velocities, differences of the rows' speeds over a moment."""
    whole, qpos, speed = moving
    drift = whole.foot_drift.copy()
    ends = []
    for duration_s in (STEP_S, -STEP_S):
        later = qpos.copy()
        other = body.dynamics()
        mujoco.mj_integratePos(body.model, later, whole.reduction @ speed, duration_s)
        other.set_configuration(later)
        ends.append((other.foot_rows @ speed).reshape(-1, FOOT_ROWS)[:, :3])
    assert_allclose(drift.reshape(-1, FOOT_ROWS)[:, :3], (ends[0] - ends[1]) / (2.0 * STEP_S), atol=1e-3)
