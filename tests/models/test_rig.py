"""A rig's bones against MuJoCo's own joints, and back to coordinates."""

import mujoco
import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.models.rig import build_rig, foot_bones, solid_bones
from strut.models.solids import solids


@pytest.fixture(params=["cassie", "alice", "mrpete", "pepper", "heiman"])
def body(request):
    return load_robot(request.param)


def postures(robot, count=5):
    rng = np.random.default_rng(7)
    qpos = np.tile(robot.standing_qpos, (count, 1))
    qpos[:, robot.base_size :] += rng.normal(0.0, 0.5, (count, len(robot.joint_names)))
    qpos[:, : min(robot.base_size, 3)] += rng.normal(size=(count, min(robot.base_size, 3)))
    if robot.floats:
        qpos[:, 3:7] = rng.normal(size=(count, 4))
        qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    return qpos


def test_bones_begin_at_mujocos_joints_and_turn_about_their_axes(body):
    rig = build_rig(body)
    data = mujoco.MjData(body.model)
    qpos = postures(body)
    place, turn = rig.frames(qpos)
    joints = [body.model.joint(name).id for name in body.joint_names]
    for k in range(len(qpos)):
        data.qpos[:] = qpos[k]
        mujoco.mj_kinematics(body.model, data)
        np.testing.assert_allclose(place[k, 1:], data.xanchor[joints], atol=1e-12)
        np.testing.assert_allclose(turn[k, 1:, :, 0], data.xaxis[joints], atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turn), 1.0, atol=1e-12)


def test_coordinates_come_back_from_bones(body):
    rig = build_rig(body)
    qpos = postures(body)
    place, turn = rig.frames(qpos)
    again = rig.coordinates(place, turn)
    back_place, back_turn = rig.frames(again)
    np.testing.assert_allclose(back_place, place, atol=1e-12)
    np.testing.assert_allclose(back_turn, turn, atol=1e-12)
    assert rig.displacement_m(place, turn).max() < 1e-12
    np.testing.assert_allclose(rig.joint_rotations(turn)[..., 1:], 0.0, atol=1e-12)


def test_axes_of_bones_do_not_depend_on_the_pose_at_rest(body):
    stands = build_rig(body)
    bent = build_rig(body, postures(body, 1)[0])
    qpos = postures(body, 3)
    np.testing.assert_allclose(stands.frames(qpos)[1], bent.frames(qpos)[1], atol=1e-12)


def test_parts_and_feet_hang_on_the_bones_that_move_them():
    cassie = load_robot("cassie")
    rig = build_rig(cassie)
    assert [rig.names[bone] for bone in foot_bones(cassie)] == ["left_foot", "right_foot"]
    assert len(solid_bones(cassie)) == len(solids(cassie))
    assert set(solid_bones(cassie)) == set(range(len(rig.names)))
