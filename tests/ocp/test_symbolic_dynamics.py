"""Symbolic dynamics against MuJoCo, Pinocchio, finite differences and published golden values."""

import casadi as ca
import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.rigid_body import compile_model
from strut.engines.self_distance import segment_distance
from strut.errors import BadTableError, UnknownNameError
from strut.human.problem.swing_clearance import ROUNDING_M
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.models.catalogue import load_robot
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.symbolic_dynamics import ExternalForce, SymbolicDynamics, smooth_distance
from tests.mjcf_text import text_of
from tests.ocp.pinocchio_tree import pin, pinocchio_model, to_pinocchio
from tests.ocp.random_tree import random_state

ZOO = """<mujoco model="zoo"><compiler angle="radian"/><option gravity="0.3 -0.2 -9.7"/><worldbody>
 <body name="trunk" pos="0.1 0.2 1" quat="0.9 0.1 0.3 0.2"><freejoint/>
  <inertial pos="0.01 0.02 0.03" mass="3" fullinertia="0.3 0.25 0.2 0.01 0.02 -0.01"/>
  <body name="thigh" pos="0.1 -0.1 0" quat="0.7 0.2 -0.4 0.5"><joint name="hip" type="ball" pos="0.02 0.01 -0.03"/>
   <inertial pos="0 0.1 -0.2" mass="1.5" quat="0.8 0.1 0.5 0.3" diaginertia="0.05 0.04 0.02"/>
   <body name="shank" pos="0 0 -0.4" euler="0.1 0.2 0.3"><joint name="slider" type="slide" axis="1 2 3" ref="0.1"/>
    <joint name="knee" axis="0.3 1 -0.2" pos="0.01 0 0.05" armature="0.02" ref="-0.2"/>
    <joint name="twist" axis="0 0 1" pos="0 0.03 0"/>
    <inertial pos="0.02 0 -0.1" mass="0.8" diaginertia="0.01 0.012 0.004"/>
    <body name="boot" pos="0.05 0 -0.3" euler="0.4 0 0.1">
     <inertial pos="0.1 0 0" mass="0.4" diaginertia="0.001 0.002 0.002"/>
    </body></body></body>
  <body name="arm" pos="0 0.2 0.3"><joint name="shoulder" axis="0 1 0"/>
   <inertial pos="0 0 -0.15" mass="0.6" diaginertia="0.01 0.01 0.001"/></body>
 </body></worldbody></mujoco>"""


def functions(tree, body, point):
    """Everything at once as a function of q, v, a and a world force on one point."""
    q = ca.SX.sym("q", tree.nq)
    v = ca.SX.sym("v", tree.nv)
    a = ca.SX.sym("a", tree.nv)
    force = ca.SX.sym("f", 3)
    moving = SymbolicDynamics(tree, q, v, a)
    outputs = {
        "position": moving.position(body, point),
        "rotation": moving.rotation(body),
        "velocity": moving.velocity(body, point),
        "acceleration": moving.acceleration(body, point),
        "omega": moving.angular_velocity(body),
        "alpha": moving.angular_acceleration(body),
        "com": moving.centre_of_mass(),
        "linear": moving.linear_momentum(),
        "angular": moving.angular_momentum(),
        "kinetic": moving.kinetic_energy(),
        "potential": moving.potential_energy(),
        "torque": moving.inverse_dynamics(),
        "loaded": moving.inverse_dynamics([ExternalForce(body, point, force)]),
    }
    evaluate = ca.Function("all", [q, v, a, force], list(outputs.values()), ["q", "v", "a", "f"], list(outputs))
    return lambda q, v, a, f=(0, 0, 0): {k: x.full().squeeze() for k, x in evaluate(q=q, v=v, a=a, f=f).items()}


def point_acceleration(model, data, body, point):
    """MuJoCo's acceleration of a point, of a state whose accelerations were set by hand."""
    mujoco.mj_rnePostConstraint(model, data)
    rates = np.zeros(6)
    speeds = np.zeros(6)  # angular first
    mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body(body).id, rates, 0)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, model.body(body).id, speeds, 0)
    arm = data.body(body).xmat.reshape(3, 3) @ point
    turned = np.cross(rates[:3], arm) + np.cross(speeds[:3], np.cross(speeds[:3], arm))
    return rates[:3].copy(), rates[3:] + model.opt.gravity + turned


@pytest.mark.parametrize("case", ["zoo", "heiman", "mrpete"])
def test_symbolic_dynamics_agree_with_mujoco_for_any_joint(case):
    mjcf, body = (
        (ZOO, "boot") if case == "zoo" else (load_robot(case).model, {"heiman": "FootLeft", "mrpete": "RH_knee"}[case])
    )
    model = compile_model(mjcf)
    point = np.array([0.03, -0.02, 0.05])
    rng = np.random.default_rng(5)
    ours = functions(read_tree(mjcf), body, point)
    for _ in range(5):
        data = random_state(model, rng)
        qacc = data.qacc.copy()
        mujoco.mj_forward(model, data)
        data.qacc[:] = qacc
        force = rng.normal(size=3) * 100.0
        mine = ours(data.qpos, data.qvel, qacc, force)
        rotation = data.body(body).xmat.reshape(3, 3)
        place = data.body(body).xpos + rotation @ point
        jacobian = np.zeros((3, model.nv))
        turning = np.zeros((3, model.nv))
        mujoco.mj_jac(model, data, jacobian, turning, place, model.body(body).id)
        torque = np.zeros(model.nv)
        mujoco.mj_rne(model, data, 1, torque)
        torque += model.dof_armature * qacc
        mujoco.mj_subtreeVel(model, data)
        assert_allclose(mine["position"], place, atol=1e-9)
        assert_allclose(mine["rotation"], rotation, atol=1e-9)
        assert_allclose(mine["velocity"], jacobian @ data.qvel, atol=1e-9)
        assert_allclose(mine["omega"], turning @ data.qvel, atol=1e-9)
        assert_allclose(mine["com"], data.subtree_com[1], atol=1e-9)
        assert_allclose(mine["linear"], model.body_subtreemass[1] * data.subtree_linvel[1], atol=1e-9)
        assert_allclose(mine["angular"], data.subtree_angmom[1], atol=1e-9)
        assert_allclose(mine["torque"], torque, atol=1e-9 * max(1.0, np.abs(torque).max()))
        assert_allclose(mine["loaded"], torque - jacobian.T @ force, atol=1e-9 * max(1.0, np.abs(torque).max()))
        mujoco.mj_energyPos(model, data)
        mujoco.mj_energyVel(model, data)
        assert_allclose(
            [mine["potential"], mine["kinetic"]], data.energy, atol=1e-9 * max(1.0, np.abs(data.energy).max())
        )
        alpha, acceleration = point_acceleration(model, data, body, point)
        assert_allclose(mine["alpha"], alpha, atol=1e-9)
        assert_allclose(mine["acceleration"], acceleration, atol=1e-9 * max(1.0, np.abs(acceleration).max()))


def test_inverse_dynamics_and_accelerations_agree_with_pinocchio(heiman):
    model = heiman.model
    oracle = pinocchio_model(text_of(heiman.model))
    point = np.array([0.18, 0.03, -0.087])
    rng = np.random.default_rng(6)
    ours = functions(read_tree(heiman.model), "FootRight", point)
    other = oracle.createData()
    frame = oracle.getFrameId("FootRight", pin.FrameType.BODY)
    for _ in range(5):
        data = random_state(model, rng)
        mujoco.mj_kinematics(model, data)
        rotation = data.xmat[1].reshape(3, 3)
        qvel = data.qvel.copy()
        qacc = data.qacc.copy()
        qvel[:3] = rotation.T @ data.qvel[:3]
        qacc[:3] = rotation.T @ data.qacc[:3] - np.cross(qvel[3:6], qvel[:3])
        torque = pin.rnea(oracle, other, to_pinocchio(data.qpos), qvel, qacc)
        torque[:3] = rotation @ torque[:3]
        pin.forwardKinematics(oracle, other, to_pinocchio(data.qpos), qvel, qacc)
        pin.updateFramePlacements(oracle, other)
        speed = pin.getFrameVelocity(oracle, other, frame, pin.LOCAL)
        origin = pin.getFrameClassicalAcceleration(oracle, other, frame, pin.LOCAL_WORLD_ALIGNED)
        arm = other.oMf[frame].rotation @ point
        turn = other.oMf[frame].rotation @ speed.angular
        acceleration = origin.linear + np.cross(origin.angular, arm) + np.cross(turn, np.cross(turn, arm))
        mine = ours(data.qpos, data.qvel, data.qacc)
        assert_allclose(mine["torque"], torque, atol=1e-9 * np.abs(torque).max())
        assert_allclose(mine["acceleration"], acceleration, atol=1e-9 * np.abs(acceleration).max())
        assert_allclose(mine["alpha"], origin.angular, atol=1e-9 * np.abs(origin.angular).max())


def test_published_values_of_the_generic_state_come_out(heiman):
    tree = read_tree(heiman.model, angle_base=True)
    index = np.arange(1, 35)
    q = 0.1 * np.sin(index)
    v = 0.2 * np.cos(index)
    a = 0.3 * np.sin(2 * index)
    q[2] = 0.95
    symbols = [ca.SX.sym(name, 34) for name in "qva"]
    torque = SymbolicDynamics(tree, *symbols).inverse_dynamics()
    mass = ca.Function("mass", symbols, [ca.jacobian(torque, symbols[2])])(q, v, a).full()
    ours = functions(tree, "Head", np.zeros(3))
    mine = ours(q, v, a)
    bias = ours(q, v, 0 * a)["torque"]
    assert np.trace(mass) == pytest.approx(277.510448, abs=1e-6)
    assert np.linalg.slogdet(mass)[1] == pytest.approx(-59.447479, abs=1e-6)
    assert mine["kinetic"] == pytest.approx(2.12294326, abs=1e-8)
    assert np.linalg.norm(bias) == pytest.approx(735.391759, abs=1e-6)
    assert np.linalg.norm(mine["torque"]) == pytest.approx(729.309084, abs=1e-6)
    assert_allclose(
        bias[:6], [-0.44642661, -0.74171707, 735.26550707, -1.27196745, 10.23282605, -0.93670720], atol=1e-7
    )
    assert_allclose(mine["com"], [0.08499683, 0.10487949, 1.00378346], atol=1e-8)
    assert_allclose(mine["linear"], [5.96701414, -5.28979108, -14.93227443], atol=1e-7)
    assert_allclose(mine["angular"], [-1.03702193, -1.58945934, 0.10182263], atol=1e-7)


def test_both_kinds_of_base_coordinates_place_the_body_alike(heiman):
    rng = np.random.default_rng(8)
    angles = rng.uniform(-1.0, 1.0, (5, 34))
    qpos = qpos_from_angles(angles)
    assert_allclose(angles_from_qpos(qpos), angles, atol=1e-12)
    by_angles = functions(read_tree(heiman.model, angle_base=True), "HandLeft", np.zeros(3))
    by_quaternion = functions(read_tree(heiman.model), "HandLeft", np.zeros(3))
    for one, other in zip(angles, qpos, strict=True):
        zero = np.zeros(34)
        assert_allclose(
            by_angles(one, zero, zero)["position"], by_quaternion(other, zero, zero)["position"], atol=1e-12
        )


def test_one_recursion_of_the_human_stays_below_2500_operations(heiman):
    tree = read_tree(heiman.model, angle_base=True)
    symbols = [ca.SX.sym(name, 34) for name in "qva"]
    assert ca.Function("f", symbols, [SymbolicDynamics(tree, *symbols).inverse_dynamics()]).n_instructions() < 2500


def test_unknown_bodies_and_bases_that_cannot_be_angles_are_refused(heiman):
    with pytest.raises(UnknownNameError, match="FootRight"):
        read_tree(heiman.model).body("FootRigth")
    with pytest.raises(BadTableError, match="floating base"):
        read_tree(ZOO, angle_base=True)


def test_smooth_distance_is_hardly_more_than_the_true_one_and_never_less():
    rng = np.random.default_rng(3)
    ends = [ca.SX.sym(f"p{index}", 3) for index in range(4)]
    smooth = ca.Function("smooth", ends, [smooth_distance(*ends)])
    top = rng.normal(scale=0.2, size=(3000, 3)) + np.array([0.0, 0.1, 0.5])
    other_top = rng.normal(scale=0.2, size=(3000, 3)) + np.array([0.0, -0.1, 0.5])
    down = np.array([0.0, 0.0, -0.43]) + rng.normal(scale=0.25, size=(2, 3000, 3))
    points = (top, top + down[0], other_top, other_top + down[1])
    true = segment_distance(*points)
    found = np.array([float(smooth(*(point[k] for point in points))) for k in range(3000)])
    assert (found >= true - 1e-6).all()
    near = true < 0.1 + ROUNDING_M  # where shanks of a radius of 50 mm touch
    assert near.sum() > 100
    assert (found - true)[near].max() < ROUNDING_M
    parallel = [
        np.array([0.0, 0.1, 0.5]),
        np.array([0.0, 0.1, 0.0]),
        np.array([0.0, -0.1, 0.6]),
        np.array([0.0, -0.1, 0.2]),
    ]
    assert float(smooth(*parallel)) == pytest.approx(0.2, abs=1e-4)
