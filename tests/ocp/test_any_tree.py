"""Symbolic dynamics of random trees: the same as MuJoCo's and Pinocchio's, whatever hangs on what."""

import casadi as ca
import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from strut.engines.rigid_body import compile_model
from strut.errors import BadTableError
from strut.models.catalogue import load_robot
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.symbolic_dynamics import ExternalForce, SymbolicDynamics
from tests.ocp.pinocchio_tree import acceleration_of, built_by_hand, pin, state_of
from tests.ocp.random_tree import random_state, random_tree
from tests.ocp.test_symbolic_dynamics import ZOO

POINT = np.array([0.03, -0.02, 0.05])
SEEDS = st.integers(0, 10**6)
ONE = """<mujoco model="one"><worldbody><body name="a"><joint name="j" {joint}/><geom size="0.1"/>{body}</body>
<body name="b" pos="1 0 0"><joint name="k"/><geom size="0.1"/></body></worldbody>{rest}</mujoco>"""


def numbers(expression):
    return np.asarray(ca.DM(expression).full().squeeze())


def tried(mjcf, seed):
    """A tree in a random state, moved by MuJoCo and by us."""
    rng = np.random.default_rng(seed)
    model = compile_model(mjcf)
    tree = read_tree(mjcf)
    data = random_state(model, rng)
    qacc = data.qacc.copy()
    mujoco.mj_forward(model, data)
    data.qacc[:] = qacc
    mujoco.mj_rnePostConstraint(model, data)
    mujoco.mj_subtreeVel(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    return model, tree, data, SymbolicDynamics(tree, *(ca.DM(x) for x in (data.qpos, data.qvel, qacc))), rng


def close(mine, theirs):
    assert_allclose(mine, theirs, rtol=1e-9, atol=1e-9)


@settings(max_examples=12)
@given(SEEDS)
def test_every_body_of_a_random_tree_moves_as_in_mujoco(seed):
    model, _, data, moving, _ = tried(random_tree(seed), seed)
    for body in range(1, model.nbody):
        name = model.body(body).name
        rotation = data.xmat[body].reshape(3, 3)
        velocity = np.zeros(6)
        acceleration = np.zeros(6)  # angular first
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, velocity, 0)
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, acceleration, 0)
        omega = velocity[:3]
        alpha = acceleration[:3]
        arm = rotation @ POINT
        close(numbers(moving.position(name, POINT)), data.xpos[body] + arm)
        close(numbers(moving.rotation(name)), rotation)
        close(numbers(moving.velocity(name, POINT)), velocity[3:] + np.cross(omega, arm))
        close(numbers(moving.angular_velocity(name)), omega)
        close(np.linalg.norm(numbers(moving.angular_velocity_in_body(name))), np.linalg.norm(omega))
        close(numbers(moving.angular_acceleration(name)), alpha)
        turned = np.cross(alpha, arm) + np.cross(omega, np.cross(omega, arm))
        close(numbers(moving.acceleration(name, POINT)), acceleration[3:] + model.opt.gravity + turned)


@settings(max_examples=12)
@given(SEEDS)
def test_forces_momenta_and_energies_of_a_random_tree_are_those_of_mujoco(seed):
    model, _, data, moving, rng = tried(random_tree(seed), seed)
    torque = np.zeros(model.nv)
    mujoco.mj_rne(model, data, 1, torque)
    torque += model.dof_armature * data.qacc
    close(numbers(moving.inverse_dynamics()).reshape(-1), torque)
    close(numbers(moving.centre_of_mass()), data.subtree_com[0])
    close(numbers(moving.linear_momentum()), model.body_subtreemass[0] * data.subtree_linvel[0])
    close(numbers(moving.angular_momentum()), data.subtree_angmom[0])
    close([numbers(moving.potential_energy()), numbers(moving.kinetic_energy())], data.energy)
    loads = []
    for body in range(1, model.nbody):  # a force on every body, those welded to the world too
        force = rng.normal(size=3) * 100.0
        jacobian = np.zeros((3, model.nv))
        place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ POINT
        mujoco.mj_jac(model, data, jacobian, None, place, body)
        loads.append(ExternalForce(model.body(body).name, POINT, force))
        torque -= jacobian.T @ force
    close(numbers(moving.inverse_dynamics(loads)).reshape(-1), torque)


def moves_as_in_pinocchio(mjcf, seed):
    """Forces, mass matrix, and every body's place, velocity and acceleration."""
    model, tree, data, moving, _ = tried(mjcf, seed)
    oracle = built_by_hand(model)
    other = oracle.createData()
    q, turn = state_of(model, data.qpos)
    v = turn @ data.qvel
    a = acceleration_of(model, turn, data.qvel, data.qacc)
    rotors = model.dof_armature * data.qacc
    close(numbers(moving.inverse_dynamics()).reshape(-1), turn.T @ pin.rnea(oracle, other, q, v, a) + rotors)
    symbols = [ca.SX.sym(name, size) for name, size in (("q", tree.nq), ("v", tree.nv), ("a", tree.nv))]
    force = SymbolicDynamics(tree, *symbols).inverse_dynamics()
    mass = ca.Function("mass", symbols, [ca.jacobian(force, symbols[2])])(data.qpos, data.qvel, data.qacc).full()
    theirs = pin.crba(oracle, other, q)
    theirs = np.triu(theirs) + np.triu(theirs, 1).T
    close(mass, turn.T @ theirs @ turn + np.diag(model.dof_armature))
    pin.forwardKinematics(oracle, other, q, v, a)
    pin.updateFramePlacements(oracle, other)
    for body in range(1, model.nbody):
        name = model.body(body).name
        frame = oracle.getFrameId(name)
        speed = pin.getFrameVelocity(oracle, other, frame, pin.LOCAL_WORLD_ALIGNED)
        rate = pin.getFrameClassicalAcceleration(oracle, other, frame, pin.LOCAL_WORLD_ALIGNED)
        close(numbers(moving.position(name)), other.oMf[frame].translation)
        close(numbers(moving.rotation(name)), other.oMf[frame].rotation)
        close(numbers(moving.velocity(name)), speed.linear)
        close(numbers(moving.angular_velocity(name)), speed.angular)
        close(numbers(moving.acceleration(name)), rate.linear)
        close(numbers(moving.angular_acceleration(name)), rate.angular)


def weighs_as_in_pinocchio(mjcf, seed):
    """Mass and its centre, momentum and energies."""
    model, tree, data, moving, _ = tried(mjcf, seed)
    oracle = built_by_hand(model)
    other = oracle.createData()
    q, turn = state_of(model, data.qpos)
    v = turn @ data.qvel
    moves = pin.computeTotalMass(oracle)
    still = oracle.inertias[0]  # Pinocchio leaves out what is welded
    com = (moves * pin.centerOfMass(oracle, other, q) + still.mass * still.lever) / (moves + still.mass)
    close(tree.mass_kg, moves + still.mass)
    close(numbers(moving.centre_of_mass()), com)
    about_own = pin.computeCentroidalMomentum(oracle, other, q, v)
    close(numbers(moving.linear_momentum()), about_own.linear)
    shift = np.cross(other.com[0] - com, about_own.linear)
    close(numbers(moving.angular_momentum()), about_own.angular + shift)
    rotors = 0.5 * data.qvel @ (model.dof_armature * data.qvel)
    close(numbers(moving.kinetic_energy()), pin.computeKineticEnergy(oracle, other, q, v) + rotors)
    weight = still.mass * model.opt.gravity @ still.lever
    close(numbers(moving.potential_energy()), pin.computePotentialEnergy(oracle, other, q) - weight)


@settings(max_examples=12)
@given(SEEDS)
def test_a_random_tree_is_the_same_in_pinocchio(seed):
    moves_as_in_pinocchio(random_tree(seed), seed)
    weighs_as_in_pinocchio(random_tree(seed), seed)


@pytest.mark.parametrize("name", ["zoo", "heiman", "mrpete", "alice", "pepper", "cassie"])
def test_the_zoo_and_every_robot_are_the_same_in_pinocchio(name):
    mjcf = ZOO if name == "zoo" else load_robot(name).model
    moves_as_in_pinocchio(mjcf, 1)
    weighs_as_in_pinocchio(mjcf, 2)


def test_random_trees_have_all_kinds_of_joints_roots_and_welds():
    models = [compile_model(random_tree(seed)) for seed in range(40)]
    assert {int(kind) for model in models for kind in model.jnt_type} == {0, 1, 2, 3}
    assert sum((model.body_weldid[1:] == 0).any() for model in models) > 10
    assert sum(np.sum(model.body_parentid[1:] == 0) > 2 for model in models) > 10
    assert sum(np.sum(model.jnt_type == 0) > 1 for model in models) > 3
    assert sum((model.body_jntnum > 1).any() for model in models) > 10


@pytest.mark.parametrize(
    ("joint", "body", "rest", "words"),
    [
        ("", "", '<tendon><fixed frictionloss="1"><joint joint="j" coef="1"/></fixed></tendon>', "friction in tendons"),
        ('stiffness="2 3"', "", "", "springs that are not linear"),
        ('damping="0.1 2"', "", "", "damping that is not linear"),
        ('frictionloss="0.1"', "", "", "friction"),
        ("", '<body gravcomp="1"><geom size="0.1"/></body>', "", "gravcomp"),
        ("", "", '<option density="1000"/>', "fluid"),
        ("", "", '<option><flag gravity="disable"/></option>', "gravity switched off"),
        ("", "", '<actuator><motor joint="j" armature="0.1"/></actuator>', "rotors"),
    ],
)
def test_what_would_change_the_dynamics_is_refused_in_words(joint, body, rest, words):
    assert read_tree(ONE.format(joint="", body="", rest="")).nv == 2
    with pytest.raises(BadTableError, match=f"one: .*{words}"):
        read_tree(ONE.format(joint=joint, body=body, rest=rest))


def test_bodies_welded_to_the_world_stand_still_beside_an_angle_base():
    mjcf = """<mujoco><worldbody><body name="base"><freejoint/><geom size="0.1"/>
    <body name="arm"><joint name="elbow"/><geom size="0.1" pos="0.3 0 0"/></body></body>
    <body name="post" pos="1 2 3"><geom size="0.1"/>
    <body name="flag"><joint name="pole"/><geom size="0.1"/></body></body>
    </worldbody></mujoco>"""
    rng = np.random.default_rng(4)
    tree = read_tree(mjcf, angle_base=True)
    moving = SymbolicDynamics(tree, *(ca.DM(rng.normal(size=8)) for _ in range(3)))
    assert_allclose(numbers(moving.position("post", POINT)), [1.03, 1.98, 3.05])
    assert_allclose(numbers(moving.position("flag")), [1.0, 2.0, 3.0])
    for still in (moving.velocity("post", POINT), moving.acceleration("post", POINT), moving.velocity("flag")):
        assert_allclose(numbers(still), 0.0, atol=1e-12)
    with pytest.raises(BadTableError, match="floating base"):
        read_tree(
            '<mujoco><worldbody><body name="post"><geom size="0.1"/></body></worldbody></mujoco>', angle_base=True
        )
    with pytest.raises(BadTableError, match="armature"):
        read_tree(mjcf.replace("<freejoint/>", '<joint type="free" armature="0.1"/>'), angle_base=True)
