"""Whole-body dynamics in minimal coordinates: against MuJoCo's own figures and finite differences."""

import mujoco
import numpy as np
import pytest


@pytest.fixture
def moving(body, model):
    """The dynamics at a bent posture in motion, with the simulator's own data beside it."""
    rng = np.random.default_rng(3)
    dynamics = body.dynamics()
    qpos = np.array(model.qpos0)
    minimal = rng.normal(0.0, 0.5, 16)
    qpos[3:7] = np.array([0.97, 0.1, -0.15, 0.1]) / np.linalg.norm([0.97, 0.1, -0.15, 0.1])
    qpos[7:] = body.joints_at_rest(qpos[body.motor_dof + 1] + rng.normal(0.0, 0.1, 10))
    qvel = dynamics.reduction @ minimal
    dynamics.set_configuration(qpos)
    dynamics.set_velocity(qvel)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    data.qvel[:] = qvel
    data.qpos[:3] = 0.0
    mujoco.mj_forward(model, data)
    return dynamics, data, qpos, qvel, minimal


def test_energy_is_the_same_in_minimal_coordinates(moving, model):
    dynamics, data, _, qvel, minimal = moving
    product = np.zeros(model.nv)
    mujoco.mj_mulM(model, data, product, qvel)
    assert minimal @ dynamics.mass @ minimal == pytest.approx(qvel @ product)


def test_momentum_is_that_of_the_simulator(moving, model):
    dynamics, data, *_ = moving
    mujoco.mj_subtreeVel(model, data)
    linear = dynamics.mass_kg * data.subtree_linvel[1]
    angular = data.subtree_angmom[1] + np.cross(data.subtree_com[1], linear)
    np.testing.assert_allclose(dynamics.momentum, [*linear, *angular], atol=1e-9)


def test_foot_rows_are_the_velocity_of_the_sole(moving, model, body):
    dynamics, _, qpos, qvel, minimal = moving
    before = dynamics.pivot.copy()
    line = dynamics.line.copy()
    rates = dynamics.foot_rows @ minimal
    side = dynamics.side.copy()
    step = 1e-7
    later = qpos.copy()
    later[:3] = 0.0
    mujoco.mj_integratePos(model, later, qvel, step)
    moved = later[:3].copy()
    dynamics.set_configuration(later)
    for foot in range(2):
        speed = (dynamics.pivot[foot] + moved - before[foot]) / step
        np.testing.assert_allclose(rates[5 * foot : 5 * foot + 3], speed, atol=1e-5)
        turned = (dynamics.line[foot] - line[foot]) / step
        assert rates[5 * foot + 4] == pytest.approx(turned @ side[foot], abs=1e-5)


def test_drift_is_the_change_of_the_foot_rows(moving, model):
    dynamics, _, qpos, qvel, minimal = moving
    rates = dynamics.foot_rows @ minimal
    drift = dynamics.foot_drift.copy()
    step = 1e-7
    later = qpos.copy()
    mujoco.mj_integratePos(model, later, qvel, step)
    dynamics.set_configuration(later)
    change = (dynamics.foot_rows @ minimal - rates) / step
    for foot in range(2):
        np.testing.assert_allclose(drift[5 * foot : 5 * foot + 3], change[5 * foot : 5 * foot + 3], atol=1e-4)


def test_springs_at_rest_follow_the_minimal_velocities(moving, body, model):
    dynamics, _, _, _, minimal = moving
    qvel = dynamics.reduction @ minimal
    for side in ("left", "right"):
        shin, knee, ankle = (model.joint(f"{side}_{name}").dofadr[0] for name in ("shin", "knee", "ankle"))
        assert qvel[shin] == 0.0
        assert qvel[ankle] == -qvel[knee]
