"""Moving bodies for other programs: GLB and USD of robots of every kind, read by the libraries of the formats."""

import sys
from contextlib import suppress

import numpy as np
import pygltflib
import pytest
from scipy.spatial.transform import Rotation

import strut
from strut.engines.rigid_body import body_poses
from strut.errors import MissingExtraError, MotionFileError, RigFileError
from strut.formats.exchange import export
from strut.motion import Motion
from tests.formats.conftest import SOLO12
from tests.formats.test_round_trips import damaged


def smooth_motion(robot, seconds=1.0):
    """Return a slow movement of all joints around the standing pose, 50 samples a second."""
    body = strut.load_robot(robot)
    time_s = np.arange(int(50 * seconds)) / 50.0
    qpos = np.tile(body.standing_qpos, (len(time_s), 1))
    phase = np.linspace(0.0, 3.0, len(body.joint_names))
    middle = np.clip(qpos[:, body.base_size :], body.joint_lower_rad + 0.1, body.joint_upper_rad - 0.1)
    qpos[:, body.base_size :] = middle + 0.1 * np.sin(2.0 * time_s[:, None] + phase)
    contact = np.ones((len(time_s), len(body.foot_names)), dtype=bool)
    return Motion(body.name, time_s, qpos, body.joint_names, contact, body.foot_names)


ROBOTS = ["alice", "cassie", "heiman", "mrpete", "pepper", "solo12"]


@pytest.fixture(params=ROBOTS)
def movement(request):
    if request.param == "solo12":
        request.getfixturevalue("solo12")
        return smooth_motion(SOLO12)
    return smooth_motion(request.param)


def world_of_node(file, name):
    """Return the poses of a node over time in the axes of the file, as a viewer computes them. Shape (T, 4, 4)."""
    blob = file.binary_blob()
    parents = {child: index for index, node in enumerate(file.nodes) for child in node.children or []}

    def numbers(accessor):
        about = file.accessors[accessor]
        view = file.bufferViews[about.bufferView]
        columns = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[about.type]
        values = np.frombuffer(blob, "<f4", about.count * columns, view.byteOffset)
        return values.reshape(-1, columns).astype(float)

    (animation,) = file.animations
    curves = {
        (channel.target.node, channel.target.path): animation.samplers[channel.sampler]
        for channel in animation.channels
    }
    count = file.accessors[animation.samplers[0].input].count
    world = np.tile(np.eye(4), (count, 1, 1))
    index = next(index for index, node in enumerate(file.nodes) if node.name == name)
    while index is not None:
        node = file.nodes[index]
        local = np.tile(np.eye(4), (count, 1, 1))
        for path, usual in (("translation", [0.0] * 3), ("rotation", [0.0, 0.0, 0.0, 1.0])):
            moved = curves.get((index, path))
            values = numbers(moved.output) if moved else np.tile(getattr(node, path) or usual, (count, 1))
            if path == "rotation":
                local[:, :3, :3] = Rotation.from_quat(values).as_matrix()
            else:
                local[:, :3, 3] = values
        world = local @ world
        index = parents.get(index)
    return world


def last_body(robot):
    """Return the last joint and the body that it moves."""
    joint = robot.joint_names[-1]
    return joint, robot.model.body(robot.model.jnt_bodyid[robot.model.joint(joint).id]).name


def test_a_library_reads_the_moving_glb_of_every_robot(movement, tmp_path):
    file = pygltflib.GLTF2().load(str(export(movement, tmp_path / "walk.glb").path))
    robot = strut.robot_of(movement)
    joint, body = last_body(robot)
    bone = world_of_node(file, joint)
    _, turn = body_poses(robot.model, [body], movement.qpos)
    y_up = Rotation.from_euler("x", -90.0, degrees=True).as_matrix()
    since = np.swapaxes(bone[:1, :3, :3], 1, 2) @ bone[:, :3, :3]  # turned since the start, in bone axes
    same = np.swapaxes(bone[:1, :3, :3], 1, 2) @ (y_up @ turn[:, 0] @ turn[:1, 0].swapaxes(1, 2) @ y_up.T)
    np.testing.assert_allclose(since, same @ bone[:1, :3, :3], atol=1e-5)
    assert any(node.mesh is not None for node in file.nodes)


def test_a_glb_comes_back_at_any_rate(movement, tmp_path):
    export(movement, tmp_path / "walk.glb")
    again = strut.load_motion(tmp_path / "walk.glb", robot=movement.robot, rate_hz=50.0)
    np.testing.assert_allclose(again.qpos, movement.qpos, atol=5e-6)
    assert again.foot_names == movement.foot_names
    slower = strut.load_motion(tmp_path / "walk.glb", robot=movement.robot)
    np.testing.assert_allclose(np.diff(slower.time_s), 0.04)
    with pytest.raises(RigFileError, match="cannot have 0 samples per second"):
        strut.load_motion(tmp_path / "walk.glb", robot=movement.robot, rate_hz=0.0)


def test_damaged_glbs_are_refused_in_a_sentence(tmp_path):
    rng = np.random.default_rng(4)
    whole = export(smooth_motion("alice", 0.3), tmp_path / "walk.glb").path.read_bytes()
    for _ in range(60):
        (tmp_path / "walk.glb").write_bytes(damaged(whole, rng))
        with suppress(MotionFileError, RigFileError):  # a changed colour is no damage
            strut.load_motion(tmp_path / "walk.glb", robot="alice")


def test_usd_reads_links_where_the_engine_has_them(movement, tmp_path):
    reason = "usd-core (pip install 'strut[exchange]') is not installed"
    Usd = pytest.importorskip("pxr.Usd", reason=reason)
    UsdGeom = pytest.importorskip("pxr.UsdGeom", reason=reason)
    written = export(movement, tmp_path / "walk.usd")
    stage = Usd.Stage.Open(str(written.path))
    assert UsdGeom.GetStageUpAxis(stage) == "Z"
    assert UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == pytest.approx(50.0)
    robot = strut.robot_of(movement)
    links = {prim.GetDisplayName(): prim for prim in stage.GetDefaultPrim().GetChildren()}
    joint, body = last_body(robot)
    angle = links[joint].GetAttribute("strut:joint_rad")
    assert [angle.Get(k) for k in range(written.samples)] == movement.joint_angles_rad[:, -1].tolist()
    _, turn = body_poses(robot.model, [body], movement.qpos)
    matrices = [UsdGeom.XformCache(k).GetLocalToWorldTransform(links[joint]) for k in range(written.samples)]
    moved = np.array([np.array(matrix).T for matrix in matrices])  # USD multiplies rows
    in_world = moved[:, :3, :3] @ moved[:1, :3, :3].swapaxes(1, 2)
    np.testing.assert_allclose(in_world, turn[:, 0] @ turn[:1, 0].swapaxes(1, 2), atol=1e-9)
    if robot.floats:
        base = stage.GetPrimAtPath("/robot/link_000").GetAttribute("xformOp:translate")
        np.testing.assert_array_equal([list(base.Get(k)) for k in range(written.samples)], movement.qpos[:, :3])
    meshes = [prim for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    assert meshes
    assert all(UsdGeom.Mesh(mesh).GetPointsAttr().Get() for mesh in meshes)


def test_without_usd_the_command_to_install_it_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", None)
    with pytest.raises(MissingExtraError, match="pip install usd-core"):
        export(smooth_motion("alice", 0.3), tmp_path / "walk.usd")


def test_a_scene_that_strut_writes_and_cannot_read_is_no_damaged_motion(tmp_path):
    pytest.importorskip("pxr")
    export(smooth_motion("mrpete"), tmp_path / "moving.usd")
    with pytest.raises(MotionFileError, match=r"strut writes \.usd files and does not read them"):
        strut.load_motion(tmp_path / "moving.usd")
