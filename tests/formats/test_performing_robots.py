"""Files for Spot and Reachy Mini; their own libraries read them where SPOT_PYTHON and REACHY_PYTHON name a Python."""

import json
import os
import subprocess

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strut
from strut.engines.rigid_body import body_poses, point_positions
from strut.errors import BadMotionError
from strut.formats.exchange import export
from tests.formats.conftest import SOLO12
from tests.formats.test_scenes import smooth_motion


def foot_of_spot(hip, thigh, shank, abduction, hx, hy, kn):
    """Return where the foot of a leg is: Spot's documented angles, on a leg of other lengths."""
    at_knee = Rotation.from_euler("y", hy).apply([0.0, abduction[1], -thigh])
    at_foot = Rotation.from_euler("y", hy + kn).apply([0.0, abduction[2], -shank])
    return hip + Rotation.from_euler("x", hx).apply(np.array([0.0, abduction[0], 0.0]) + at_knee + at_foot)


@pytest.fixture
def keyframes(trot, tmp_path):
    text = export(trot, tmp_path / "trot.cha").path.read_text("utf-8")
    options, parameters, body = text.split("\n\n")
    header, *rows = body.strip().splitlines()
    return options, parameters, header, np.array([row.split() for row in rows], dtype=float)


def test_angles_move_feet_of_spot_as_the_motion_does(trot, keyframes, solo12):
    options, parameters, header, table = keyframes
    assert options.splitlines()[:2] == ["controls legs body", "no_looping"]
    assert parameters == "no parameters"
    assert header == "time leg_joints body_pos body_quat_xyzw contact"
    assert table.shape == (len(trot.time_s), 1 + 12 + 3 + 4 + 4)
    np.testing.assert_allclose(table[:, 0], trot.time_s - trot.time_s[0], atol=1e-6)
    base = Rotation.from_quat(trot.qpos[:, 3:7], scalar_first=True)
    model = solo12.model
    data_zero = np.array(solo12.standing_qpos)
    data_zero[7:] = 0.0
    for place, (leg, foot) in enumerate((("FL", "LF"), ("FR", "RF"), ("HL", "LH"), ("HR", "RH"))):
        number = solo12.foot_names.index(foot)
        point = solo12.feet[number].points[0]
        where = [(point.body, point.position_m)]
        in_base = base.inv().apply(point_positions(model, where, trot.qpos)[:, 0] - trot.qpos[:, :3])
        bodies = [model.body(model.jnt_bodyid[model.joint(f"{leg}_{kind}").id]).name for kind in ("HAA", "HFE", "KFE")]
        places = body_poses(model, bodies, data_zero[None])[0][0] - data_zero[:3]
        end = point_positions(model, where, data_zero[None])[0, 0] - data_zero[:3]
        hip, upper, knee = places
        sideways = [upper[1] - hip[1], knee[1] - upper[1], end[1] - knee[1]]
        hip[0] = upper[0]
        angles = table[:, 1 + 3 * place : 4 + 3 * place]
        found = [foot_of_spot(hip, upper[2] - knee[2], knee[2] - end[2], sideways, *row) for row in angles]
        np.testing.assert_allclose(found, in_base, atol=2e-6)
        np.testing.assert_array_equal(table[:, 20 + place] > 0.5, trot.contact[:, number])


def test_the_body_moves_from_the_middle_of_the_feet(trot, keyframes):
    *_, table = keyframes
    distance = np.linalg.norm(np.diff(trot.qpos[:, :2], axis=0), axis=1).sum()
    assert np.linalg.norm(np.diff(table[:, 13:15], axis=0), axis=1).sum() == pytest.approx(distance, rel=1e-3)
    np.testing.assert_allclose(table[:, 15], trot.qpos[:, 2], atol=1e-6)
    assert abs(Rotation.from_quat(table[0, 16:20]).as_euler("ZYX")[0]) < 1e-5


def test_robots_with_other_legs_and_without_a_head_are_refused(solo12, tmp_path):
    assert len(solo12.feet) == 4
    with pytest.raises(BadMotionError, match="cassie has no legs like Spot's"):
        export(smooth_motion("cassie"), tmp_path / "walk.cha")
    with pytest.raises(BadMotionError, match="no body with 'head' in its name"):
        export(smooth_motion(SOLO12), tmp_path / "walk.json", to="reachy")


@pytest.mark.parametrize("robot", ["alice", "pepper", "heiman"])
def test_the_head_of_reachy_turns_as_the_head_of_the_robot(robot, tmp_path):
    motion = smooth_motion(robot)
    written = export(motion, tmp_path / "nod.json", to="reachy")
    assert written.omitted[:2] == ("the base", "joint angles")
    move = json.loads(written.path.read_text("utf-8"))
    heads = np.array([target["head"] for target in move["set_target_data"]])
    angles = Rotation.from_matrix(heads[:, :3, :3]).magnitude()
    own = strut.load_robot(robot)
    still = motion.qpos.copy()
    still[:] = own.standing_qpos
    moved = export(
        strut.Motion(robot, motion.time_s, still, own.joint_names, motion.contact, own.foot_names),
        tmp_path / "still.json",
        to="reachy",
    )
    resting = json.loads(moved.path.read_text("utf-8"))["set_target_data"]
    np.testing.assert_allclose(
        [target["head"] for target in resting], np.tile(np.eye(4), (len(still), 1, 1)), atol=1e-9
    )
    assert angles.max() > 0.05
    assert move["time"] == (motion.time_s - motion.time_s[0]).tolist()


def read_by(variable, program, *arguments):
    python = os.environ.get(variable)
    if not python:
        pytest.skip(f"{variable} names no Python with the robot's library, which needs an environment of its own")
    done = subprocess.run([python, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_the_library_of_spot_reads_the_keyframes(trot, keyframes, tmp_path):
    program = (
        "import sys, json\n"
        "from bosdyn.choreography.client.animation_file_to_proto import convert_animation_file_to_proto as read\n"
        "proto = read(sys.argv[1]).proto\n"
        "last = proto.animation_keyframes[-1]\n"
        "knee = last.legs.hr.joint_angles.knee\n"
        "print(json.dumps([len(proto.animation_keyframes), last.time, knee, last.legs.hr.stance.value]))"
    )
    frames, last_s, knee, stance = read_by("SPOT_PYTHON", program, tmp_path / "trot.cha")
    *_, table = keyframes
    assert frames == len(trot.time_s)
    assert (last_s, knee) == pytest.approx((table[-1, 0], table[-1, 12]), abs=1e-6)
    assert bool(stance) == (table[-1, 23] > 0.5)


def test_the_library_of_reachy_plays_the_move(tmp_path):
    export(smooth_motion("pepper"), tmp_path / "nod.json", to="reachy")
    program = (
        "import sys, json, types\n"
        "from importlib.util import find_spec\n"
        "whole = types.ModuleType('reachy_mini')  # its own __init__ needs cameras and servos\n"
        "whole.__path__ = find_spec('reachy_mini').submodule_search_locations\n"
        "sys.modules['reachy_mini'] = whole\n"
        "from reachy_mini.motion.recorded_move import RecordedMove\n"
        "move = RecordedMove(json.load(open(sys.argv[1])))\n"
        "head, antennas, yaw = move.evaluate(0.5)\n"
        "print(json.dumps([move.duration, head.tolist(), list(antennas), yaw]))"
    )
    duration_s, head, antennas, yaw = read_by("REACHY_PYTHON", program, tmp_path / "nod.json")
    assert duration_s == pytest.approx(0.98)
    target = json.loads((tmp_path / "nod.json").read_text("utf-8"))["set_target_data"][25]
    np.testing.assert_allclose(head, target["head"], atol=1e-6)
    assert (antennas, yaw) == ([0.0, 0.0], 0.0)
