"""Mr. Pete's MJCF as MuJoCo reads it, against Pinocchio's reading of the same text and against the closed-form leg."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.rigid_body import foot_positions
from strut.kinematics.leg7r import leg_forward
from strut.kinematics.mounted_leg import mounted_legs
from tests.mjcf_text import text_of
from tests.oracle import base_rotation, oracle_a, oracle_model, oracle_q, oracle_v, our_force, pin, random_states

STATES = 20


@pytest.fixture(scope="module")
def model(mrpete):
    return mrpete.model


@pytest.fixture(scope="module")
def oracle(mrpete):
    return oracle_model(text_of(mrpete.model))


def test_both_engines_see_the_same_joints_in_the_same_order(mrpete, model, oracle):
    assert tuple(oracle.names[2:]) == mrpete.joint_names
    assert tuple(model.joint(i).name for i in range(1, model.njnt)) == mrpete.joint_names
    assert (model.nq, model.nv, model.nu) == (oracle.nq, oracle.nv, 28) == (35, 34, 28)
    assert_allclose(oracle.lowerPositionLimit[7:], mrpete.joint_lower_rad)
    assert_allclose(oracle.upperPositionLimit[7:], mrpete.joint_upper_rad)


def test_robot_weighs_seven_kilograms_in_both_engines(mrpete, model, oracle):
    assert mrpete.mass_kg == pytest.approx(7.0, abs=1e-12)
    assert model.body_mass.sum() == pytest.approx(7.0, abs=1e-12)
    assert pin.computeTotalMass(oracle) == pytest.approx(7.0, abs=1e-12)


def test_all_bodies_and_feet_are_where_pinocchio_has_them(mrpete, model, oracle):
    data = mujoco.MjData(model)
    other = oracle.createData()
    qpos, _, _ = random_states(mrpete, STATES, np.random.default_rng(1))
    frames = {body: model.body(body).name for body in range(1, model.nbody)}
    sites = {site: model.site(site).name for site in range(model.nsite)}
    assert len(sites) == 4
    for sample in qpos:
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        pin.framesForwardKinematics(oracle, other, oracle_q(sample))
        for body, name in frames.items():
            place = other.oMf[oracle.getFrameId(name, pin.FrameType.BODY)]
            assert_allclose(data.xpos[body], place.translation, atol=1e-9)
            assert_allclose(data.xmat[body].reshape(3, 3), place.rotation, atol=1e-9)
        for site, name in sites.items():
            place = other.oMf[oracle.getFrameId(name, pin.FrameType.OP_FRAME)]
            assert_allclose(data.site_xpos[site], place.translation, atol=1e-9)


def test_mass_matrix_equals_that_of_pinocchio_with_the_rotors_in_it(mrpete, model, oracle):
    data = mujoco.MjData(model)
    other = oracle.createData()
    qpos, _, _ = random_states(mrpete, STATES, np.random.default_rng(2))
    assert_allclose(oracle.armature, model.dof_armature)  # both engines add it to the diagonal
    assert (model.dof_armature[6:] == 0.01).all()
    for sample, rotation in zip(qpos, base_rotation(qpos), strict=True):
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_crb(model, data)
        ours = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(model, data, ours)
        theirs = np.array(pin.crba(oracle, other, oracle_q(sample)))
        theirs = np.triu(theirs) + np.triu(theirs, 1).T
        turn = np.eye(model.nv)
        turn[:3, :3] = rotation.T  # their base velocity is ours seen from the base
        assert_allclose(ours, turn.T @ theirs @ turn, atol=1e-9)


def test_gyroscopic_and_gravity_forces_equal_those_of_pinocchio(mrpete, model, oracle):
    data = mujoco.MjData(model)
    other = oracle.createData()
    qpos, qvel, _ = random_states(mrpete, STATES, np.random.default_rng(3))
    for q, v, rotation in zip(qpos, qvel, base_rotation(qpos), strict=True):
        data.qpos[:] = q
        data.qvel[:] = v
        mujoco.mj_forward(model, data)
        # qacc = 0 in our coordinates is not 0 in theirs: their linear part is seen from a base that turns
        still = oracle_a(v, np.zeros_like(v), rotation)
        theirs = pin.rnea(oracle, other, oracle_q(q), oracle_v(v, rotation), still)
        theirs = theirs - np.concatenate([np.zeros(6), np.array(oracle.armature[6:]) * still[6:]])
        assert_allclose(data.qfrc_bias, our_force(theirs, rotation), atol=1e-9)
        bias = pin.nonLinearEffects(oracle, other, oracle_q(q), oracle_v(v, rotation))
        mass = np.array(pin.crba(oracle, other, oracle_q(q)))
        mass = np.triu(mass) + np.triu(mass, 1).T
        assert_allclose(theirs, bias + mass @ still, atol=1e-9)


def test_inverse_dynamics_equal_those_of_pinocchio(mrpete, model, oracle):
    data = mujoco.MjData(model)
    other = oracle.createData()
    qpos, qvel, qacc = random_states(mrpete, STATES, np.random.default_rng(4))
    model_without_contact = mrpete.model
    for q, v, a, rotation in zip(qpos, qvel, qacc, base_rotation(qpos), strict=True):
        data.qpos[:] = q
        data.qvel[:] = v
        data.qacc[:] = a
        mujoco.mj_kinematics(model_without_contact, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        ours = np.empty(model.nv)
        mujoco.mj_rne(model, data, 1, ours)
        theirs = pin.rnea(oracle, other, oracle_q(q), oracle_v(v, rotation), oracle_a(v, a, rotation))
        assert_allclose(ours + model.dof_armature * a, our_force(theirs, rotation), atol=1e-9)


def test_legs_of_the_model_are_the_closed_form_legs(mrpete):
    qpos, _, _ = random_states(mrpete, STATES, np.random.default_rng(5))
    qpos[:, :3] = 0.0
    qpos[:, 3:7] = [1.0, 0.0, 0.0, 0.0]
    in_model = foot_positions(mrpete, qpos)
    for index, mounted in enumerate(mounted_legs(mrpete)):
        assert mounted.leg.name == mrpete.feet[index].name
        ankle, foot_to_hip, _ = leg_forward(mounted.leg, qpos[:, 7 + 7 * index : 14 + 7 * index])
        ankle_in_body = ankle @ mounted.hip_to_body.T + mounted.hip_in_body
        foot_to_body = mounted.hip_to_body @ foot_to_hip
        assert_allclose(in_model[:, index], ankle_in_body - foot_to_body @ mounted.ankle_in_foot, atol=1e-12)
        assert_allclose(mounted.ankle_in_hip(in_model[:, index], foot_to_body), ankle, atol=1e-12)


def test_knees_of_the_model_are_the_closed_form_knees(mrpete, model):
    data = mujoco.MjData(model)
    qpos, _, _ = random_states(mrpete, 5, np.random.default_rng(6))
    qpos[:, :3] = 0.0
    qpos[:, 3:7] = [1.0, 0.0, 0.0, 0.0]
    for sample in qpos:
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        for index, mounted in enumerate(mounted_legs(mrpete)):
            knee = leg_forward(mounted.leg, sample[7 + 7 * index : 14 + 7 * index])[2]
            in_body = mounted.hip_to_body @ knee + mounted.hip_in_body
            assert_allclose(data.body(f"{mounted.leg.name}_knee").xpos, in_body, atol=1e-12)
