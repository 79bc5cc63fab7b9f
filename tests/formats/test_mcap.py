"""MCAP of ROS 2: what strut writes is read by the library of the format, and recordings by the library are read."""

import io
import sys

import numpy as np
import pytest

import strut
from strut.errors import MissingExtraError, MotionFileError
from strut.formats.exchange import export
from strut.formats.mcap_messages import definition

pytest.importorskip("mcap_ros2", reason="mcap-ros2-support (pip install 'strut[exchange]') is not installed")

from mcap.reader import make_reader
from mcap.writer import CompressionType
from mcap_ros2.decoder import DecoderFactory
from mcap_ros2.writer import Writer


def test_the_library_reads_states_trajectory_and_poses(happy_walk, tmp_path):
    written = export(happy_walk, tmp_path / "walk.mcap")
    assert written.omitted == ("contacts", "ground forces", "receipt", "notes")
    reader = make_reader(io.BytesIO(written.path.read_bytes()), decoder_factories=[DecoderFactory()])
    found = {}
    for schema, channel, message, content in reader.iter_decoded_messages():
        found.setdefault((channel.topic, schema.name), []).append((message.log_time, content))
    states = found["/joint_states", "sensor_msgs/msg/JointState"]
    assert tuple(states[0][1].name) == happy_walk.joint_names
    np.testing.assert_array_equal([list(state.position) for _, state in states], happy_walk.joint_angles_rad)
    np.testing.assert_array_equal([list(state.effort) for _, state in states], happy_walk.torque_nm)
    np.testing.assert_allclose([time_ns for time_ns, _ in states], 1e9 * happy_walk.time_s, atol=1.0)
    ((_, trajectory),) = found["/joint_trajectory", "trajectory_msgs/msg/JointTrajectory"]
    np.testing.assert_array_equal([list(point.positions) for point in trajectory.points], happy_walk.joint_angles_rad)
    poses = found["/base_pose", "geometry_msgs/msg/PoseStamped"]
    turns = [[getattr(pose.pose.orientation, axis) for axis in "wxyz"] for _, pose in poses]
    np.testing.assert_array_equal(turns, happy_walk.qpos[:, 3:7])


def recording(motion, base, *, compression=CompressionType.ZSTD, reverse=False, stamped=True):
    """Return a recording as a robot makes it: joints in any order, the base at other times."""
    buffer = io.BytesIO()
    writer = Writer(buffer, compression=compression)
    kinds = {
        name: writer.register_msgdef(name.replace("/", "/msg/"), definition(name))
        for name in ("sensor_msgs/JointState", "nav_msgs/Odometry", "tf2_msgs/TFMessage")
    }
    order = list(range(len(motion.joint_names)))[:: -1 if reverse else 1]
    for row, time_s in enumerate(motion.time_s):
        now_ns = 1_700_000_000_000_000_000 + round(1e9 * time_s)
        stamp = {"sec": now_ns // 10**9, "nanosec": now_ns % 10**9} if stamped else {"sec": 0, "nanosec": 0}
        header = {"stamp": stamp, "frame_id": "world"}
        state = {
            "header": header,
            "name": [motion.joint_names[index] for index in order],
            "position": motion.joint_angles_rad[row, order].tolist(),
            "velocity": [],
            "effort": [],
        }
        writer.write_message("/robot/joint_states", kinds["sensor_msgs/JointState"], state, now_ns)
        place = dict(zip("xyz", motion.qpos[row, :3].tolist(), strict=True))
        turn = dict(zip("wxyz", motion.qpos[row, 3:7].tolist(), strict=True))
        none = {"x": 0.0, "y": 0.0, "z": 0.0}
        if base == "odometry" and row % 2 == 0:
            message = {
                "header": header,
                "child_frame_id": "base_link",
                "pose": {"pose": {"position": place, "orientation": turn}, "covariance": [0.0] * 36},
                "twist": {"twist": {"linear": none, "angular": none}, "covariance": [0.0] * 36},
            }
            writer.write_message("/odom", kinds["nav_msgs/Odometry"], message, now_ns)
        if base == "tf":
            other = {"header": header, "child_frame_id": "camera", "transform": {"translation": none, "rotation": turn}}
            own = {
                "header": header,
                "child_frame_id": "base_link",
                "transform": {"translation": place, "rotation": turn},
            }
            writer.write_message("/tf", kinds["tf2_msgs/TFMessage"], {"transforms": [other, own]}, now_ns)
    writer.finish()
    return buffer.getvalue()


@pytest.mark.parametrize("compression", list(CompressionType))
def test_joints_in_any_order_and_transforms_make_a_motion(compression, happy_walk, tmp_path):
    (tmp_path / "bag.mcap").write_bytes(recording(happy_walk, "tf", compression=compression, reverse=True))
    motion = strut.load_motion(tmp_path / "bag.mcap", robot="mrpete")
    np.testing.assert_allclose(motion.qpos, happy_walk.qpos, atol=1e-12)
    np.testing.assert_allclose(motion.time_s, happy_walk.time_s, atol=1e-6)


def test_poses_at_other_times_are_splined_to_the_joints(happy_walk, tmp_path):
    (tmp_path / "bag.mcap").write_bytes(recording(happy_walk, "odometry"))
    motion = strut.load_motion(tmp_path / "bag.mcap", robot="mrpete")
    same = happy_walk.qpos[: len(motion.qpos)]
    np.testing.assert_allclose(motion.qpos[:, :3], same[:, :3], atol=2e-4)
    assert any("splined" in note for note in motion.meta["notes"])


def test_without_stamps_the_clock_of_the_recorder_counts(happy_walk, tmp_path):
    (tmp_path / "bag.mcap").write_bytes(recording(happy_walk, "tf", stamped=False))
    motion = strut.load_motion(tmp_path / "bag.mcap", robot="mrpete")
    np.testing.assert_allclose(motion.time_s, happy_walk.time_s, atol=1e-6)


def test_without_a_base_it_stands_still(happy_walk, tmp_path):
    (tmp_path / "bag.mcap").write_bytes(recording(happy_walk, "none"))
    motion = strut.load_motion(tmp_path / "bag.mcap", robot="mrpete")
    assert any("no base" in note for note in motion.meta["notes"])
    with pytest.raises(MotionFileError, match="names the joints LF_hip_yaw"):
        strut.load_motion(tmp_path / "bag.mcap", robot="alice")


def test_what_is_ambiguous_is_asked_for(happy_walk, tmp_path):
    export(happy_walk, tmp_path / "walk.mcap")
    with pytest.raises(MotionFileError, match=r"no joints on 'arm'; it has them on /joint_states, /joint_trajectory"):
        strut.load_motion(tmp_path / "walk.mcap", robot="mrpete", topic="arm")
    with pytest.raises(MotionFileError, match=r"no poses on 'odom'; it has them on /base_pose"):
        strut.load_motion(tmp_path / "walk.mcap", robot="mrpete", base_topic="odom")
    motion = strut.load_motion(tmp_path / "walk.mcap", robot="mrpete", topic="/joint_trajectory")
    np.testing.assert_allclose(motion.qpos, happy_walk.qpos, atol=1e-12)
    np.testing.assert_allclose(motion.torque_nm, happy_walk.torque_nm)


@pytest.mark.parametrize("compression", [CompressionType.ZSTD, CompressionType.LZ4])
def test_a_chunk_that_unpacks_to_gigabytes_is_not_unpacked(compression, tmp_path, monkeypatch):
    monkeypatch.setattr("strut.formats.mcap_ros.MAX_UNPACKED_BYTES", 1_000_000)
    buffer = io.BytesIO()
    writer = Writer(buffer, compression=compression, chunk_size=2**24)
    kind = writer.register_msgdef("sensor_msgs/msg/JointState", definition("sensor_msgs/JointState"))
    none = {"header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""}, "name": [], "velocity": [], "effort": []}
    writer.write_message("/joint_states", kind, none | {"position": [0.0] * 1_000_000}, 0)
    writer.finish()
    (tmp_path / "bag.mcap").write_bytes(buffer.getvalue())
    assert len(buffer.getvalue()) < 100_000
    with pytest.raises(MotionFileError, match="unpacks to more than"):
        strut.load_motion(tmp_path / "bag.mcap", robot="mrpete")


def test_without_the_library_the_command_to_install_it_is_named(happy_walk, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcap_ros2.writer", None)
    with pytest.raises(MissingExtraError, match=r"pip install mcap-ros2-support"):
        export(happy_walk, tmp_path / "walk.mcap")
    assert not (tmp_path / "walk.mcap").exists()
