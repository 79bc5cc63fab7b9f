"""Bones, masses and contact equations read out of MuJoCo, against rigidity, momentum and finite differences."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.rigid_body import linear_momentum, point_masses
from strut.errors import BadTableError
from strut.kinematics.contact_set import contact_set
from strut.models.catalogue import load_robot
from strut.models.skeleton import skeleton, skeleton_points
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.mujoco_contact_dynamics import MujocoContactDynamics

ROBOTS = ("alice", "heiman", "mrpete", "pepper")


def postures(robot, count=5):
    """Return random postures within the joint ranges, the base anywhere. Shape (count, nq)."""
    rng = np.random.default_rng(2)
    base = rng.normal(size=(count, robot.base_size))
    if robot.base_size == 7:
        base[:, 3:] /= np.linalg.norm(base[:, 3:], axis=1, keepdims=True)
    joints = rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (count, len(robot.joint_names)))
    return np.concatenate([base, joints], axis=1)


@pytest.mark.parametrize("name", ROBOTS)
def test_bones_join_all_points_to_one_tree_and_keep_their_lengths(name):
    robot = load_robot(name)
    found = skeleton(robot)
    assert len(found.bones) == len(found.names) - 1
    reached = {0}
    for start, stop in sorted(found.bones):
        assert start in reached  # parents come first
        reached.add(stop)
    assert reached == set(range(len(found.names)))
    qpos = postures(robot)
    if robot.base_size == 3:
        qpos[:, :3] = 0.0  # a platform's tree begins on the ground, from which it drives away
    points = skeleton_points(robot, qpos)
    start, stop = np.array(found.bones).T
    length_m = np.linalg.norm(points[:, stop] - points[:, start], axis=-1)
    assert length_m.min() > 1e-3
    assert_allclose(length_m, np.broadcast_to(length_m[0], length_m.shape), atol=1e-9)


@pytest.mark.parametrize("name", ["alice", "mrpete"])
def test_point_masses_have_the_mass_the_centre_and_the_momentum_of_the_body(name):
    robot = load_robot(name)
    model = load_robot(name).model
    qpos = postures(robot)
    masses = point_masses(robot, qpos)
    assert masses.mass_kg.sum() == pytest.approx(model.body_subtreemass[0])
    assert masses.centre_in_world.shape == (5, len(masses.mass_kg), 3)
    data = mujoco.MjData(model)
    for k, row in enumerate(qpos):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        centre = masses.mass_kg @ masses.centre_in_world[k] / masses.mass_kg.sum()
        assert_allclose(centre, data.subtree_com[0], atol=1e-9)
    legs = [masses.mass_kg[masses.limb == foot].sum() for foot in range(len(robot.feet))]
    assert_allclose(legs, legs[0])  # all legs weigh the same
    assert masses.mass_kg[masses.limb == -1].sum() == pytest.approx(masses.mass_kg.sum() - sum(legs))
    assert min(legs) > 0.0


def test_contact_equations_are_those_of_the_momentum_and_of_how_contact_rows_change(heiman):
    contact = contact_set(heiman, "RightFlat")
    body = MujocoContactDynamics(heiman.model, contact)
    rng = np.random.default_rng(5)
    qpos = postures(heiman, 1)[0]
    qvel = rng.normal(size=body.nv)
    mass, bias, jacobian, goal = body.terms(qpos, qvel)
    assert_allclose(mass, mass.T, atol=1e-9)
    assert np.linalg.eigvalsh(mass).min() > 0.0
    assert_allclose(mass[:3] @ qvel, linear_momentum(heiman.model, qpos[None], qvel[None])[0], atol=1e-9)
    still = body.terms(qpos, np.zeros(body.nv))[1]
    assert_allclose(still[:3], [0.0, 0.0, 9.81 * heiman.model.body_subtreemass[0]], atol=1e-6)  # the weight
    assert not np.allclose(bias, still)
    step_s = 1e-5
    rows = []
    for sign in (-1.0, 1.0):
        moved = qpos.copy()
        mujoco.mj_integratePos(heiman.model, moved, qvel, sign * step_s)
        rows.append(body.terms(moved, qvel)[2] @ qvel)
    assert_allclose(goal, -(rows[1] - rows[0]) / (2.0 * step_s), rtol=1e-4, atol=1e-4)
    assert jacobian.shape == (len(contact.rows), body.nv)
    later = qpos.copy()
    mujoco.mj_integratePos(heiman.model, later, qvel, 1e-7)
    assert_allclose((later - qpos) / 1e-7, body.rates(qpos, qvel), atol=1e-5)


MODEL = """<mujoco><option {option}/><worldbody><body name="base"><freejoint/><inertial pos="0 0 0" mass="1"
diaginertia="1 1 1"/><body name="leg" pos="0 0 -0.1"><joint name="knee" axis="0 1 0" {joint}/>
<geom type="{kind}" size="0.02 0.1 0.1" contype="{touches}"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize(
    ("option", "joint", "words"),
    [
        ("", 'stiffness="2 1"', "springs that are not linear"),
        ("", 'damping="0.5 1"', "damping that is not linear"),
        ("", 'frictionloss="0.1"', "friction in joints"),
        ('density="1.2"', "", "a surrounding fluid"),
        ('viscosity="0.1"', "", "a surrounding fluid"),
    ],
)
def test_a_model_that_something_else_moves_is_refused_and_the_something_named(option, joint, words):
    text = MODEL.format(option=option, joint=joint, kind="capsule", touches=1)
    with pytest.raises(BadTableError, match=words):
        read_tree(mujoco.MjModel.from_xml_string(text))
    assert read_tree(mujoco.MjModel.from_xml_string(MODEL.format(option="", joint="", kind="box", touches=1))).nv == 7


def test_a_body_with_nothing_that_could_touch_the_ground_has_no_clearance(heiman, mrpete):
    for robot in (heiman, mrpete):
        qpos = np.tile(postures(robot, 1), (5, 1))
        found = inverse_dynamics(robot, np.arange(5) / 50.0, qpos)
        assert found.clearance_m.shape == (5, len(found.part_names))
