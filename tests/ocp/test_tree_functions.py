"""Functions of a tree in numbers, against MuJoCo: places of points that are reached, and angular momentum."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.ocp.kinematic_tree import read_tree
from strut.ocp.tree_functions import PointKinematics, momentum_and_rotation
from tests.engines.small_robot import MJCF

ARM = """
<mujoco model="arm"><compiler angle="radian"/><worldbody>
  <body name="upper" pos="0 0 1"><joint name="a" axis="0 0 1"/><geom type="sphere" size="0.1"/>
    <body name="middle" pos="0.5 0 0"><joint name="b" axis="0 1 0"/><geom type="sphere" size="0.1"/>
      <body name="lower" pos="0.4 0 0"><joint name="c" axis="0 1 0"/><geom type="sphere" size="0.1"/></body>
    </body></body>
</worldbody></mujoco>
"""
MODEL = mujoco.MjModel.from_xml_string(ARM)
TREE = read_tree(MODEL)
POINTS = [("lower", (0.3, 0.0, 0.0)), ("middle", (0.1, 0.05, 0.0))]


def places(q):
    data = mujoco.MjData(MODEL)
    data.qpos[:] = q
    mujoco.mj_kinematics(MODEL, data)
    return np.array([data.body(body).xpos + data.body(body).xmat.reshape(3, 3) @ at for body, at in POINTS])


def test_points_are_brought_to_a_goal_that_can_be_reached():
    arm = PointKinematics(TREE, (1, 2), POINTS)
    wanted = np.array([0.4, -0.3, 0.8])
    bounds = np.array([[-2.0, -2.0], [2.0, 2.0]])
    start = np.array([0.4, 9.0, 9.0])  # of the others only the first counts
    found = arm.reach(start, places(wanted), np.array([0.0, 0.3]), bounds, pull_m_rad=0.0)
    assert_allclose(found, wanted[1:], atol=1e-4)


def test_a_bound_is_kept_and_a_pull_holds_what_points_leave_free():
    arm = PointKinematics(TREE, (1, 2), POINTS)
    wanted = np.array([0.0, -0.3, 0.8])
    near = arm.reach(np.zeros(3), places(wanted), np.zeros(2), np.array([[-2.0, -2.0], [2.0, 0.5]]), pull_m_rad=0.0)
    assert near[1] == pytest.approx(0.5, abs=1e-4)
    free = PointKinematics(TREE, (0, 2), [("middle", (0.0, 0.0, 0.0))])  # which the last joint does not move
    wide = np.array([[-2.0, -2.0], [2.0, 2.0]])
    held = free.reach(
        np.zeros(3),
        np.array([[0.5 * np.cos(0.3), 0.5 * np.sin(0.3), 1.0]]),
        np.array([0.0, 0.7]),
        wide,
        pull_m_rad=1e-3,
    )
    assert_allclose(held, [0.3, 0.7], atol=1e-3)
    strong = free.reach(np.zeros(3), np.array([[0.0, 0.5, 1.0]]), np.array([0.2, 0.7]), wide, pull_m_rad=100.0)
    assert_allclose(strong, [0.2, 0.7], atol=1e-3)


def test_angular_momentum_and_turning_are_mujocos():
    model = mujoco.MjModel.from_xml_string(MJCF)
    tree = read_tree(model)
    rng = np.random.default_rng(1)
    qpos = np.tile(model.qpos0, (3, 1))
    qvel = rng.normal(size=(3, model.nv))
    for row in qpos:
        mujoco.mj_integratePos(model, row, rng.normal(size=model.nv), 0.5)
    momentum, turning = momentum_and_rotation(tree, qpos, qvel, "shank")
    for k in range(3):
        data = mujoco.MjData(model)
        data.qpos[:] = qpos[k]
        data.qvel[:] = qvel[k]
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        assert_allclose(momentum[k], data.subtree_angmom[1], atol=1e-9)
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_BODY, model.body("shank").id, velocity, 0)
        assert_allclose(turning[k], velocity[:3], atol=1e-9)
