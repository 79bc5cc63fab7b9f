"""MCAP: recordings of ROS 2, with a robot's joints as states or as a trajectory, and its base as poses.

Messages are decoded by the definitions that their packages publish, never by the text in a file.
"""

from __future__ import annotations

import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strut.arrays import Array, Index
from strut.errors import MissingExtraError
from strut.formats.mcap_messages import READ, definition, short_name
from strut.formats.reader import FormatError, require
from strut.formats.resample import resample_qpos
from strut.formats.robot_track import RobotTrack, motion_of_track, omitted_beside_poses
from strut.models.catalogue import as_robot, robot_of
from strut.motion import Motion
from strut.robot import FLOATING, Robot

MAGIC = b"\x89MCAP0\r\n"
MAX_UNPACKED_BYTES = 1_000_000_000  # of all chunks: hours of the joints of a robot
STAMP_ERROR_S = 1e-6  # stamps are whole nanoseconds, and clocks of recorders round to microseconds
_NS = 1_000_000_000
_STATE, _TRAJECTORY, _POSE, _ODOMETRY, _TRANSFORMS = READ


class _Message(NamedTuple):
    """A decoded message: its topic, kind and content, and when it was recorded."""

    topic: str
    kind: str
    content: Any
    log_s: float


class _Joints(NamedTuple):
    """Angles over time: shapes (T,) and (T, n); torques are of shape (T, n)."""

    time_s: Array
    names: tuple[str, ...]
    angle_rad: Array
    torque_nm: Array | None
    notes: tuple[str, ...]


class McapReader:
    """Reads JointState or JointTrajectory, with a base from PoseStamped, Odometry or tf."""

    endings = (".mcap",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins as MCAP files do."""
        return head.startswith(MAGIC)

    def read(
        self,
        content: bytes,
        path: Path,
        *,
        robot: Robot | str,
        topic: str | None = None,
        base_topic: str | None = None,
        quaternions: str = "xyzw",
    ) -> Motion:
        """Return the motion of a robot.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
            topic: Of its joints, if the file has several.
            base_topic: Of the poses of its base, if the file has several; in tf, the frame of the base.
            quaternions: Order of their numbers; ROS has xyzw.
        """
        body = as_robot(robot)
        messages = list(_messages(content))
        joints = _joints(messages, topic)
        moved = _base(messages, body, base_topic)
        notes = joints.notes
        track = RobotTrack(
            time_s=_evened(joints.time_s),
            joint_rad=joints.angle_rad,
            joint_names=joints.names,
            quaternion_order="xyzw",
            torque_nm=joints.torque_nm,
            meta={"source": path.name},
        )
        if moved is not None and body.floats:
            base_topic, base_s, base = moved
            within = (joints.time_s >= base_s[0] - STAMP_ERROR_S) & (joints.time_s <= base_s[-1] + STAMP_ERROR_S)
            require(int(within.sum()) > 1, f"has poses on {base_topic} at other times than those of the joints.")
            if not within.all():
                kept = np.flatnonzero(within)
                track = replace(track.rows(kept), time_s=_evened(joints.time_s[kept]))
                notes = (*notes, f"{len(within) - len(kept)} samples of the joints have no pose of the base.")
            inside = np.clip(joints.time_s[within], base_s[0], base_s[-1])
            if len(base_s) != len(inside) or np.abs(base_s - inside).max() > STAMP_ERROR_S:
                base = resample_qpos(inside, base_s, base, 0)
                notes = (*notes, f"Poses on {base_topic} are splined to the times of the joints.")
            track = replace(track, base_m=base[:, :3], base_quaternion=base[:, [4, 5, 6, 3]])
        return motion_of_track(replace(track, notes=notes), body, quaternions=quaternions)


def _messages(content: bytes) -> Iterator[_Message]:
    """Yield the messages that hold motion, in the order of the file; raises FormatError."""
    try:
        from mcap.records import Channel, Chunk, Message, Schema  # noqa: PLC0415 -- an optional extra
        from mcap.stream_reader import StreamReader, breakup_chunk  # noqa: PLC0415
        from mcap_ros2.decoder import DecoderFactory  # noqa: PLC0415
    except ImportError as error:
        raise MissingExtraError("exchange", "mcap-ros2-support") from error
    decoders = DecoderFactory()
    kinds: dict[int, str] = {}
    channels: dict[int, tuple[str, int]] = {}
    unpacked = 0
    try:
        stream = StreamReader(io.BytesIO(content), emit_chunks=True, record_size_limit=len(content))
        for outer in stream.records:
            inner: Sequence[Any] = [outer]
            if isinstance(outer, Chunk):
                data = _unpacked(outer.compression, outer.data, MAX_UNPACKED_BYTES - unpacked)
                unpacked += len(data)
                inner = breakup_chunk(replace(outer, compression="", data=data), validate_crc=True)
            for record in inner:
                if isinstance(record, Schema):
                    kinds[record.id] = short_name(record.name)
                elif isinstance(record, Channel):
                    channels[record.id] = (record.topic, record.schema_id)
                elif isinstance(record, Message) and record.channel_id in channels:
                    topic, schema_id = channels[record.channel_id]
                    kind = kinds.get(schema_id, "")
                    if kind in READ:
                        known = Schema(READ.index(kind) + 1, definition(kind).encode(), "ros2msg", kind)
                        decode = decoders.decoder_for("cdr", known)
                        assert decode is not None, "the definitions are known"
                        yield _Message(topic, kind, decode(record.data), record.log_time / _NS)
    except FormatError:
        raise
    except Exception as error:  # damaged bytes raise nearly every kind
        raise FormatError(f"is damaged, or is no MCAP file of ROS 2 ({type(error).__name__}).") from error


def _unpacked(compression: str, data: bytes, most: int) -> bytes:
    """Return a chunk without compression; raises FormatError if it has more bytes than allowed."""
    if compression == "zstd":
        import zstandard  # noqa: PLC0415 -- comes with the optional extra

        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as stream:
            content = stream.read(most + 1)
    elif compression == "lz4":
        import lz4.frame  # noqa: PLC0415 -- comes with the optional extra

        content = lz4.frame.LZ4FrameDecompressor().decompress(data, max_length=most + 1)
    else:
        require(not compression, f"is compressed as '{compression}', which is not read.")
        content = data
    require(len(content) <= most, f"unpacks to more than {MAX_UNPACKED_BYTES / 1e9:g} GB.")
    return bytes(content)


def _joints(messages: Sequence[_Message], topic: str | None) -> _Joints:
    """Return the joints of one topic: of states, if there are at least two, else of a trajectory."""
    states = _by_topic(messages, _STATE)
    trajectories = _by_topic(messages, _TRAJECTORY)
    if topic is not None:
        known = [*states, *trajectories]
        require(topic in known, f"has no joints on '{topic}'; it has them on {', '.join(known) or 'no topic'}.")
        states = {topic: states[topic]} if topic in states else {}
        trajectories = {topic: trajectories[topic]} if topic in trajectories else {}
    states = {name: found for name, found in states.items() if len(found) > 1}
    found = states or trajectories
    require(bool(found), "has no sensor_msgs/JointState and no trajectory_msgs/JointTrajectory.")
    if len(found) > 1:
        raise FormatError(
            f"has joints on {', '.join(found)}; choose one by its topic (--read topic={next(iter(found))})."
        )
    ((own_topic, own),) = found.items()
    return _joints_of_states(own_topic, own) if states else _joints_of_trajectory(own_topic, own)


def _by_topic(messages: Sequence[_Message], kind: str) -> dict[str, list[_Message]]:
    found: dict[str, list[_Message]] = defaultdict(list)
    for message in messages:
        if message.kind == kind:
            found[message.topic].append(message)
    return dict(found)


def _joints_of_states(topic: str, messages: Sequence[_Message]) -> _Joints:
    """Return the states with the most frequent set of names."""
    sets = Counter(frozenset(message.content.name) for message in messages)
    names = sets.most_common(1)[0][0]
    kept = [message for message in messages if frozenset(message.content.name) == names]
    order = tuple(dict.fromkeys(kept[0].content.name))
    require(len(kept) > 1 and len(order) > 0, f"has fewer than two states of joints on {topic}.")
    time_s, rank = _times([message.content.header.stamp for message in kept], [message.log_s for message in kept])
    angle_rad = np.empty((len(rank), len(order)))
    torque_nm: Array | None = np.empty_like(angle_rad)
    for row, index in enumerate(rank):
        state = kept[index].content
        require(
            len(state.position) == len(state.name),
            f"has a state on {topic} with names and positions of unequal number.",
        )
        column = {name: place for place, name in enumerate(state.name)}
        places = [column[name] for name in order]
        angle_rad[row] = np.asarray(state.position, dtype=np.float64)[places]
        if torque_nm is not None and len(state.effort) == len(state.name):
            torque_nm[row] = np.asarray(state.effort, dtype=np.float64)[places]
        else:
            torque_nm = None
    _require_finite(angle_rad, topic)
    left_out = len(messages) - len(kept)
    notes = (f"{left_out} messages on {topic} have other joints and are left out.",) if left_out else ()
    is_known = torque_nm is not None and bool(np.isfinite(torque_nm).all())
    return _Joints(time_s, order, angle_rad, torque_nm if is_known else None, notes)


def _joints_of_trajectory(topic: str, messages: Sequence[_Message]) -> _Joints:
    """Return the longest trajectory."""
    longest = max(messages, key=lambda message: len(message.content.points)).content
    names = tuple(longest.joint_names)
    require(len(longest.points) > 1, f"has a trajectory of fewer than two points on {topic}.")
    is_full = all(len(point.positions) == len(names) for point in longest.points)
    require(is_full and len(names) > 0, f"has a point on {topic} without a position of each joint.")
    start = _seconds(longest.header.stamp)
    time_s = np.array([start + _seconds(point.time_from_start) for point in longest.points])
    angle_rad = np.array([list(point.positions) for point in longest.points])
    _require_finite(angle_rad, topic)
    note = f"The longest of {len(messages)} trajectories on {topic} is read."
    torque_nm = None
    if all(len(point.effort) == len(names) for point in longest.points):
        torque_nm = np.array([list(point.effort) for point in longest.points])
        torque_nm = torque_nm if np.isfinite(torque_nm).all() else None
    return _Joints(time_s, names, angle_rad, torque_nm, (note,) if len(messages) > 1 else ())


def _base(messages: Sequence[_Message], robot: Robot, topic: str | None) -> tuple[str, Array, Array] | None:
    """Return topic, times and poses of the base (position, quaternion wxyz), if the file has them."""
    found: dict[str, list[tuple[Any, float, Any, Any]]] = defaultdict(list)  # stamp, log time, position, orientation
    frames = {robot.model.body(1).name, "base_link", "base", "pelvis", "trunk", "torso"}
    for one in messages:
        if one.kind == _POSE:
            pose = one.content.pose
            found[one.topic].append((one.content.header.stamp, one.log_s, pose.position, pose.orientation))
        elif one.kind == _ODOMETRY:
            pose = one.content.pose.pose
            found[one.topic].append((one.content.header.stamp, one.log_s, pose.position, pose.orientation))
        elif one.kind == _TRANSFORMS:
            for each in one.content.transforms:
                frame = each.child_frame_id.removeprefix("/")
                if frame in frames or frame == topic:
                    move = each.transform
                    found[frame].append((each.header.stamp, one.log_s, move.translation, move.rotation))
    poses = {name: rows for name, rows in found.items() if len(rows) > 1 and topic in (None, name)}
    require(
        topic is None or bool(poses), f"has no poses on '{topic}'; it has them on {', '.join(found) or 'no topic'}."
    )
    if not poses:
        return None
    if len(poses) > 1:
        raise FormatError(
            f"has poses on {', '.join(poses)}; choose that of the base (--read base_topic={next(iter(poses))})."
        )
    ((name, rows),) = poses.items()
    time_s, rank = _times([stamp for stamp, *_ in rows], [log_s for _, log_s, *_ in rows])
    base = np.empty((len(rank), FLOATING))
    for row, index in enumerate(rank):
        _, _, place, turn = rows[index]
        base[row] = place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z
    _require_finite(base, name)
    require(bool((np.abs(np.linalg.norm(base[:, 3:], axis=1)) > 0.5).all()), f"has no rotations on {name}.")
    return name, time_s, base


def _times(stamps: Sequence[Any], log_s: Sequence[float]) -> tuple[Array, Index]:
    """Return increasing times by the stamps, or by the recorder without stamps; and which message each is of."""
    time_s = np.array([_seconds(stamp) for stamp in stamps])
    if np.ptp(time_s) == 0.0:
        time_s = np.array(log_s)
    time_s, rank = np.unique(time_s, return_index=True)
    require(len(time_s) > 1, "has messages that all have the same time.")
    return time_s, np.asarray(rank, dtype=np.intp)


def _seconds(stamp: Any) -> float:
    return float(stamp.sec + stamp.nanosec / _NS)


def _evened(time_s: Array) -> Array:
    """Return times from 0, without the rounding of stamps. Shape (T,)."""
    since = time_s - time_s[0]
    even = np.linspace(0.0, since[-1], len(since))
    return even if np.abs(since - even).max() < STAMP_ERROR_S else since


def _require_finite(values: Array, topic: str) -> None:
    require(bool(np.isfinite(values).all()), f"has a number on {topic} that is not finite.")


class McapWriter:
    """Writes /joint_states, /joint_trajectory and, of a floating base, /base_pose in the frame `world`."""

    ending = ".mcap"

    def encode(self, motion: Motion) -> bytes:
        """Return the recording; velocities are differences of the samples."""
        try:
            from mcap_ros2.writer import Writer  # noqa: PLC0415 -- an optional extra
        except ImportError as error:
            raise MissingExtraError("exchange", "mcap-ros2-support") from error
        robot = robot_of(motion, needs_feet=False)
        names = list(motion.joint_names)
        angle_rad = motion.joint_angles_rad
        speed_rad_s = np.gradient(angle_rad, motion.time_s, axis=0)
        torque_nm = np.empty((len(angle_rad), 0)) if motion.torque_nm is None else motion.torque_nm
        stamps = [_stamp(time_s) for time_s in motion.time_s]
        since = [_stamp(time_s) for time_s in motion.time_s - motion.time_s[0]]
        points = [
            {
                "positions": angle_rad[k].tolist(),
                "velocities": speed_rad_s[k].tolist(),
                "accelerations": [],
                "effort": torque_nm[k].tolist(),
                "time_from_start": since[k],
            }
            for k in range(len(angle_rad))
        ]
        buffer = io.BytesIO()
        writer = Writer(buffer)
        kinds = {
            kind: writer.register_msgdef(_long_name(kind), definition(kind)) for kind in (_STATE, _TRAJECTORY, _POSE)
        }
        first_ns = _nanoseconds(stamps[0])
        trajectory = {"header": {"stamp": stamps[0], "frame_id": ""}, "joint_names": names, "points": points}
        writer.write_message("/joint_trajectory", kinds[_TRAJECTORY], trajectory, first_ns)
        for k, stamp in enumerate(stamps):
            state = {
                "header": {"stamp": stamp, "frame_id": ""},
                "name": names,
                "position": angle_rad[k].tolist(),
                "velocity": speed_rad_s[k].tolist(),
                "effort": torque_nm[k].tolist(),
            }
            writer.write_message("/joint_states", kinds[_STATE], state, _nanoseconds(stamp), sequence=k)
            if robot.floats:
                base = dict(
                    zip(("x", "y", "z", "qw", "qx", "qy", "qz"), motion.qpos[k, :FLOATING].tolist(), strict=True)
                )
                pose = {
                    "position": {axis: base[axis] for axis in "xyz"},
                    "orientation": {axis: base[f"q{axis}"] for axis in "xyzw"},
                }
                message = {"header": {"stamp": stamp, "frame_id": "world"}, "pose": pose}
                writer.write_message("/base_pose", kinds[_POSE], message, _nanoseconds(stamp), sequence=k)
        writer.finish()  # type: ignore[no-untyped-call]
        return buffer.getvalue()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        platform = ("the platform",) if motion.qpos.shape[1] - len(motion.joint_names) not in (0, FLOATING) else ()
        return (*platform, *(name for name in omitted_beside_poses(motion) if name != "joint torques"))


def _long_name(kind: str) -> str:
    """Return the name of a message as ROS 2 writes it."""
    return kind.replace("/", "/msg/")


def _stamp(time_s: float) -> Mapping[str, int]:
    second, nanosecond = divmod(round(time_s * _NS), _NS)
    return {"sec": int(second), "nanosec": int(nanosecond)}


def _nanoseconds(stamp: Mapping[str, int]) -> int:
    return stamp["sec"] * _NS + stamp["nanosec"]


READER = McapReader()
WRITER = McapWriter()
