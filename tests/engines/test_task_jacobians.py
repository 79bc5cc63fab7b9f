"""Jacobians of all samples at once, and of a walking body, against MuJoCo's own calls and differences in time."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.task_jacobians import task_jacobians
from strut.simulation.walking_state import WalkingDynamics, WalkingState, servo_stiffness
from tests.engines.small_robot import ROBOT, forward, postures

MODEL = ROBOT.model
SITES = [MODEL.site(name).id for name in ("ball", "sole")]


def test_places_and_jacobians_of_feet_and_mass_are_mujocos_own():
    qpos = postures(4)
    found = task_jacobians(ROBOT, qpos)
    for k in range(4):
        data = forward(qpos[k])
        moving, turning, whole = np.zeros((3, 3, MODEL.nv))
        for index, site in enumerate(SITES):
            mujoco.mj_jacSite(MODEL, data, moving, turning, site)
            assert_allclose(found.foot[k, index], np.concatenate([moving, turning]), atol=1e-12)
            assert_allclose(found.foot_in_world[k, index], data.site_xpos[site], atol=1e-12)
            assert_allclose(found.foot_rotation[k, index].ravel(), data.site_xmat[site], atol=1e-12)
        mujoco.mj_jacSubtreeCom(MODEL, data, whole, 1)
        assert_allclose(found.com[k], whole, atol=1e-12)
        assert_allclose(found.com_in_world[k], data.subtree_com[1], atol=1e-12)
        assert_allclose(found.base_rotation[k].ravel(), data.xmat[1], atol=1e-12)


def test_the_mass_of_bodies_beside_the_robot_does_not_move_with_it():
    text = """<mujoco><worldbody>
      <body name="a"><freejoint/><geom type="box" size="0.1 0.2 0.3" mass="2"/><site name="ball"/>
        <body name="c" pos="0.1 0 0"><joint axis="0 1 0"/><geom type="sphere" size="0.1" pos="0 0 -0.3" mass="1"/>
        <site name="sole" pos="0 0 -0.3"/></body></body>
      <body name="b" pos="3 0 0"><joint axis="0 0 1"/><geom type="sphere" size="0.1" pos="0.4 0 0" mass="5"/></body>
    </worldbody></mujoco>"""
    model = mujoco.MjModel.from_xml_string(text)

    class Other:
        feet = ROBOT.feet
        model = None

    Other.model = model
    qpos = model.qpos0[None]
    found = task_jacobians(Other, qpos)
    data = mujoco.MjData(model)
    whole = np.zeros((3, model.nv))
    mujoco.mj_forward(model, data)
    mujoco.mj_jacSubtreeCom(model, data, whole, 1)
    assert_allclose(found.com[0], whole, atol=1e-12)
    assert not found.com[0, :, -1].any()


@pytest.fixture
def moving():
    qpos = postures(1, seed=3)[0]
    qvel = np.random.default_rng(1).normal(size=MODEL.nv)
    state = WalkingDynamics(ROBOT)
    state.move(qpos, qvel)
    return state, qpos, qvel


def moved(qpos, qvel, duration_s):
    later = qpos.copy()
    mujoco.mj_integratePos(MODEL, later, qvel, duration_s)
    return forward(later, qvel)


def test_a_walking_state_is_where_mujoco_has_it_and_moves_as_differences_say(moving):
    _, qpos, qvel = moving
    state = WalkingState(ROBOT)
    data = forward(qpos)
    state.move(qpos, qvel)
    assert_allclose(state.com_m, data.subtree_com[1], atol=1e-12)
    assert_allclose(state.foot_m, data.site_xpos[SITES], atol=1e-12)
    assert_allclose(state.foot_rotation, data.site_xmat[SITES].reshape(2, 3, 3), atol=1e-12)
    assert_allclose(state.base_rotation, data.xmat[1].reshape(3, 3), atol=1e-12)
    ahead = moved(qpos, qvel, 1e-6)
    behind = moved(qpos, qvel, -1e-6)
    assert_allclose(state.com_velocity_m_s, (ahead.subtree_com[1] - behind.subtree_com[1]) / 2e-6, atol=1e-6)
    assert_allclose(state.foot_moving @ qvel, (ahead.site_xpos - behind.site_xpos)[SITES] / 2e-6, atol=1e-6)
    for index, site in enumerate(SITES):
        rate = (ahead.site_xmat[site] - behind.site_xmat[site]).reshape(3, 3) / 2e-6 @ state.foot_rotation[index].T
        assert_allclose(state.foot_turning[index] @ qvel, [rate[2, 1], rate[0, 2], rate[1, 0]], atol=1e-6)


def test_mass_bias_and_the_drift_of_the_feet(moving):
    state, qpos, qvel = moving
    data = forward(qpos, qvel)
    mass = np.zeros((MODEL.nv, MODEL.nv))
    mujoco.mj_fullM(MODEL, data, mass)
    assert_allclose(state.mass, mass, atol=1e-12)
    assert_allclose(state.bias, data.qfrc_bias, atol=1e-9)
    assert_allclose(state.foot_velocity, state.foot_jacobian @ qvel, atol=1e-12)
    assert_allclose(state.foot_velocity[:, :3], state.foot_moving @ qvel, atol=1e-12)
    ahead = WalkingDynamics(ROBOT)
    behind = WalkingDynamics(ROBOT)
    for other, duration_s in ((ahead, 1e-6), (behind, -1e-6)):
        other.move(np.array(moved(qpos, qvel, duration_s).qpos), qvel)
    rate = (ahead.foot_velocity - behind.foot_velocity) / 2e-6  # at constant qvel only the Jacobian changes
    assert_allclose(state.foot_drift, rate, atol=1e-5)


def test_servos_are_as_stiff_as_the_model_says():
    assert_allclose(servo_stiffness(ROBOT), [30.0, 20.0, 10.0, 40.0])
