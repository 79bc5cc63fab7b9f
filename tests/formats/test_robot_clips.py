"""Clips of robots in the files of trainers and retargeting tools, made here by MuJoCo, NumPy and pickle."""

import io
import pickle
import shlex
import struct
from collections import deque
from contextlib import suppress
from pathlib import Path

import mujoco
import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.errors import MotionFileError
from strut.formats.exchange import export, find_writer
from tests.formats.conftest import SOLO12


def breadth_first(model):
    """Return the bodies level by level."""
    queue = deque([1])
    order = []
    while queue:
        body = queue.popleft()
        order.append(body)
        queue.extend(child for child in range(2, model.nbody) if model.body_parentid[child] == body)
    return order


def tracker_arrays(robot, motion, bodies, velocity_of):
    """Return what a trainer records of a motion: MuJoCo's own velocities, differences of positions in time."""
    model = robot.model
    data = mujoco.MjData(model)
    step_s = motion.time_s[1] - motion.time_s[0]
    qvel = np.zeros((len(motion.qpos), model.nv))
    for k in range(1, len(motion.qpos) - 1):
        mujoco.mj_differentiatePos(model, qvel[k], 2.0 * step_s, motion.qpos[k - 1], motion.qpos[k + 1])
    joints = [joint for body in bodies for joint in range(model.njnt) if model.jnt_bodyid[joint] == body][1:]
    columns = model.jnt_qposadr[joints]
    shape = (len(motion.qpos), len(bodies))
    arrays = {
        "fps": np.array([round(1.0 / step_s)]),
        "joint_pos": motion.qpos[:, columns].astype(np.float32),
        "joint_vel": qvel[:, model.jnt_dofadr[joints]].astype(np.float32),
        "body_pos_w": np.empty((*shape, 3), np.float32),
        "body_quat_w": np.empty((*shape, 4), np.float32),
        "body_lin_vel_w": np.empty((*shape, 3), np.float32),
        "body_ang_vel_w": np.empty((*shape, 3), np.float32),
    }
    velocity = np.empty(6)
    for k in range(len(motion.qpos)):
        data.qpos[:] = motion.qpos[k]
        data.qvel[:] = qvel[k]
        mujoco.mj_forward(model, data)
        for column, body in enumerate(bodies):
            arrays["body_pos_w"][k, column] = data.xpos[body]
            arrays["body_quat_w"][k, column] = data.xquat[body]
            kind = mujoco.mjtObj.mjOBJ_XBODY if velocity_of == "origin" else mujoco.mjtObj.mjOBJ_BODY
            mujoco.mj_objectVelocity(model, data, kind, body, velocity, 0)
            arrays["body_ang_vel_w"][k, column] = velocity[:3]
            arrays["body_lin_vel_w"][k, column] = velocity[3:]
    return arrays


CONVENTIONS = {"mjlab": ("depth-first", "origin"), "beyondmimic": ("breadth-first", "centres of mass")}


def arrays_of(trainer, robot, motion):
    order, point = CONVENTIONS[trainer]
    bodies = breadth_first(robot.model) if order == "breadth-first" else list(range(1, robot.model.nbody))
    return tracker_arrays(robot, motion, bodies, point)


@pytest.mark.parametrize("trainer", CONVENTIONS)
def test_the_convention_of_a_trainer_is_found_by_the_bodies_of_its_file(trainer, solo12, trot, tmp_path):
    order, point = CONVENTIONS[trainer]
    np.savez(tmp_path / "clip.npz", **arrays_of(trainer, solo12, trot))
    motion = strut.load_motion(tmp_path / "clip.npz", robot=SOLO12)
    np.testing.assert_allclose(motion.qpos, trot.qpos, atol=1e-6)
    assert motion.meta["notes"][0].startswith(f"Joints and bodies are {order} and velocities of")
    assert point in motion.meta["notes"][0]


@pytest.mark.parametrize("trainer", CONVENTIONS)
def test_a_file_for_a_trainer_holds_what_its_own_engine_computes(trainer, solo12, trot, tmp_path):
    export(trot, tmp_path / "clip.npz", to=trainer)
    written = np.load(tmp_path / "clip.npz", allow_pickle=False)
    inner = slice(1, -1)  # the trainers' scripts treat the ends in several ways
    for name, values in arrays_of(trainer, solo12, trot).items():
        given = values if name == "fps" else values[inner]
        np.testing.assert_allclose(written[name] if name == "fps" else written[name][inner], given, atol=2e-4)
        assert written[name].dtype.itemsize <= 8
    assert sorted(written["joint_names"]) == sorted(solo12.joint_names)


def test_a_clip_of_another_robot_is_refused_with_the_distance_of_its_bodies(solo12, trot, tmp_path):
    arrays = arrays_of("mjlab", solo12, trot)
    arrays["body_pos_w"][:, 1:] *= 1.3
    np.savez(tmp_path / "clip.npz", **arrays)
    with pytest.raises(MotionFileError, match=r"bodies that are \d+ mm from those of .*solo12 on average"):
        strut.load_motion(tmp_path / "clip.npz", robot=SOLO12)
    with pytest.raises(MotionFileError, match="has 12 joints; alice has"):
        strut.load_motion(tmp_path / "clip.npz", robot="alice")


def test_a_clip_without_a_robot_says_what_is_missing(trot, tmp_path, capsys):
    export(trot, tmp_path / "clip.npz", to="mjlab")
    assert main(["check", str(tmp_path / "clip.npz")]) == 2
    assert "add --robot" in capsys.readouterr().err


def csv_rows(motion, quaternion):
    return np.column_stack([motion.qpos[:, :3], motion.qpos[:, 3:7][:, quaternion], motion.qpos[:, 7:]])


@pytest.mark.parametrize(("order", "quaternion"), [("xyzw", [1, 2, 3, 0]), ("wxyz", [0, 1, 2, 3])])
def test_the_order_of_quaternions_is_found_by_the_feet(order, quaternion, trot, tmp_path):
    np.savetxt(tmp_path / "clip.csv", csv_rows(trot, quaternion), fmt="%.6f", delimiter=",")
    motion = strut.load_motion(tmp_path / "clip.csv", robot=SOLO12, rate_hz=100.0)
    np.testing.assert_allclose(motion.qpos, trot.qpos, atol=2e-6)
    is_surprise = any(f"quaternions {order}, not" in note for note in motion.meta["notes"])
    assert is_surprise == (order == "wxyz")


def test_thirty_rows_a_second_are_resampled_by_splines(trot, tmp_path):
    every_third = csv_rows(trot, [1, 2, 3, 0])[::3]
    np.savetxt(tmp_path / "clip.csv", every_third, delimiter=",")
    motion = strut.load_motion(tmp_path / "clip.csv", robot=SOLO12, rate_hz=100.0 / 3.0)
    middle = slice(30, min(len(motion.time_s), len(trot.time_s)) - 30)
    spline_error = np.abs(motion.qpos[middle] - trot.qpos[middle]).max()
    lines = [np.interp(motion.time_s, trot.time_s[::3], column) for column in trot.qpos[::3].T]
    straight_error = np.abs(np.transpose(lines)[middle] - trot.qpos[middle]).max()
    assert spline_error < 0.5 * straight_error


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_of_retargeting_is_read_at_every_protocol(protocol, trot, tmp_path):
    table = {
        "fps": 100,
        "root_pos": trot.qpos[:, :3],
        "root_rot": trot.qpos[:, [4, 5, 6, 3]],
        "dof_pos": np.asfortranarray(trot.qpos[:, 7:]),
        "local_body_pos": None,
        "link_body_list": ["base"],
    }
    (tmp_path / "clip.pkl").write_bytes(pickle.dumps(table, protocol=protocol))
    motion = strut.load_motion(tmp_path / "clip.pkl", robot=SOLO12)
    np.testing.assert_allclose(motion.qpos, trot.qpos, atol=1e-12)


class Calls:
    """Pickles as a call of a function when it is loaded."""

    def __init__(self, function, *arguments):
        self.call = (function, arguments)

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    "hostile",
    [
        Calls(Path("stolen").touch),
        Calls(eval, "open('stolen', 'w')"),
        Calls(np.ndarray, (10**13,)),
        Calls(np.frombuffer, b"12345678"),
        Calls(np.load, "stolen.npy"),
        Calls(bytearray, 10**13),
        {"fps": Calls(print, "stolen")},
    ],
)
def test_a_pickle_that_runs_code_runs_nothing(hostile, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("clip.pkl").write_bytes(pickle.dumps(hostile))
    with pytest.raises(MotionFileError, match=r"nothing is run|in a form that is not read|damaged"):
        strut.load_motion("clip.pkl", robot=SOLO12)
    assert [path.name for path in tmp_path.iterdir()] == ["clip.pkl"]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("form", ["mjlab", "beyondmimic", "unitree", "gmr"])
def test_damaged_clips_are_refused_in_a_sentence(form, trot, tmp_path):
    part = trot.samples(slice(0, 20))
    path = tmp_path / f"clip{find_writer(form).ending}"
    export(part, path, to=form)
    whole = path.read_bytes()
    rng = np.random.default_rng(7)
    for _ in range(60):
        damaged = bytearray(whole)
        if rng.random() < 0.4:
            del damaged[int(rng.integers(len(damaged))) :]
        for at in rng.integers(max(len(damaged), 1), size=int(rng.integers(1, 20))):
            if damaged:
                damaged[at] = int(rng.integers(256))
        path.write_bytes(bytes(damaged))
        with suppress(MotionFileError):  # a changed digit may still make a motion
            strut.load_motion(path, robot=SOLO12)


def test_arrays_of_wrong_shape_and_size_are_named(solo12, trot, tmp_path):
    arrays = arrays_of("mjlab", solo12, trot)
    wrong = {
        "has 1 dimensions in joint_pos": {"joint_pos": np.zeros(5)},
        "no single number in fps": {"fps": np.array([50, 60])},
        "has -50 frames per second": {"fps": np.array([-50])},
        "arrays of different lengths": {"joint_vel": arrays["joint_vel"][:-1]},
        "a number in body_pos_w that is not finite, at frame 3": {"body_pos_w": nan_at_frame(arrays["body_pos_w"], 3)},
        "no numbers in joint_pos": {"joint_pos": np.full((4, 12), "a")},
        "lacks the arrays body_pos_w": {"body_pos_w": None},
    }
    for message, replaced in wrong.items():
        given = {name: values for name, values in (arrays | replaced).items() if values is not None}
        np.savez(tmp_path / "clip.npz", **given)
        with pytest.raises(MotionFileError, match=message):
            strut.load_motion(tmp_path / "clip.npz", robot=SOLO12)


def nan_at_frame(values, frame):
    values = values.copy()
    values[frame, 0, 0] = np.nan
    return values


def test_an_archive_that_unpacks_to_gigabytes_is_not_unpacked(tmp_path):
    buffer = io.BytesIO()
    np.savez_compressed(buffer, fps=np.array([50]), joint_pos=np.zeros((1000, 12), np.float32))
    content = buffer.getvalue()
    size = struct.pack("<I", 12 * 4 * 1000 + 128)
    assert size in content
    (tmp_path / "clip.npz").write_bytes(content.replace(size, struct.pack("<I", 4_000_000_000)))
    with pytest.raises(MotionFileError, match="more than 1 GB"):
        strut.load_motion(tmp_path / "clip.npz", robot="mrpete")


def test_a_clip_is_checked_and_written_for_another_program_by_the_command_line(trot, tmp_path, capsys):
    np.savetxt(tmp_path / "clip.csv", csv_rows(trot, [1, 2, 3, 0]), delimiter=",")
    clip = [str(tmp_path / "clip.csv"), "--robot", SOLO12, "--read", "rate_hz=100"]
    assert main(["check", *clip]) in (0, 3)
    assert "100 rows per second are taken" in capsys.readouterr().err
    assert main(["export", *clip, "--to", "mjlab", "--order", "isaac", "--out", str(tmp_path / "isaac.npz")]) == 0
    motion = strut.load_motion(tmp_path / "isaac.npz", robot=SOLO12)
    assert "breadth-first" in motion.meta["notes"][0]
    np.testing.assert_allclose(motion.qpos, trot.qpos, atol=1e-6)
    assert main(["check", *clip[:3], "--read", "rate"]) == 2
    assert "write NAME=VALUE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "name"), [("mjlab", "clip_mjlab.npz"), ("unitree", "clip_unitree.csv"), ("csv", "clip.csv")]
)
def test_a_file_for_another_program_stands_beside_its_motion_and_is_read_by_the_next_command(
    form, name, trot, tmp_path, capsys
):
    strut.save_motion(trot, tmp_path / "clip.npz")
    assert main(["export", str(tmp_path / "clip.npz"), "--to", form]) == 0
    options = ["--robot", SOLO12, *(["--read", "rate_hz=100"] if form == "unitree" else [])]
    assert main(["check", str(tmp_path / name), *options]) in (0, 3)
    *_, line = capsys.readouterr().err.splitlines()
    _, _, verb, *words = shlex.split(line)
    assert verb in ("simulate", "repair")
    assert words[0] == str(tmp_path / name)
    assert words[-len(options) :] == options


@pytest.mark.parametrize(("rate_hz", "is_read"), [(0.05, True), (0.0, False), (-1.0, False), (float("nan"), False)])
def test_a_table_of_poses_needs_a_rate_above_zero(solo12, trot, tmp_path, rate_hz, is_read):
    rows = np.column_stack([trot.qpos[:30, :3], trot.qpos[:30, [4, 5, 6, 3]], trot.joint_angles_rad[:30]])
    np.savetxt(tmp_path / "clip.csv", rows, delimiter=",")
    if not is_read:
        with pytest.raises(MotionFileError, match="rows per second"):
            strut.load_motion(tmp_path / "clip.csv", robot=SOLO12, rate_hz=rate_hz)
        return
    strut.load_motion(tmp_path / "clip.csv", robot=SOLO12, rate_hz=rate_hz)
