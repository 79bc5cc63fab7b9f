"""Tracker NPZ: reference motions of trainers that track all bodies of a robot, such as mjlab and BeyondMimic.

Both hold `fps`, `joint_pos`, `joint_vel`, `body_pos_w`, `body_quat_w` (wxyz), `body_lin_vel_w` and `body_ang_vel_w`,
and no names. They differ in what cannot be seen in the keys:

| | joints and bodies | linear velocity of a body |
|---|---|---|
| mjlab | depth first, as MuJoCo lists them | of its origin |
| BeyondMimic | breadth first, as PhysX lists them | of its centre of mass |

The reader finds the order by forward kinematics: under the right one, the bodies are where the file says. Files that
strut writes name joints and bodies in two more arrays, which the trainers ignore.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from strut.arrays import Array, Index
from strut.engines.body_states import body_states
from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError
from strut.formats.npz_arrays import first_array_name, read_arrays, read_numbers
from strut.formats.reader import FormatError, require
from strut.formats.robot_track import RobotTrack, check_rate_hz, motion_of_track, omitted_beside_poses
from strut.models.catalogue import as_robot, robot_of
from strut.models.joint_order import JOINT_ORDERS, JointOrder, body_order, joint_order, known_order
from strut.motion import Motion
from strut.robot import Robot

DIMENSIONS = {
    "joint_pos": 2,
    "joint_vel": 2,
    "body_pos_w": 3,
    "body_quat_w": 3,
    "body_lin_vel_w": 3,
    "body_ang_vel_w": 3,
}
KEYS = ("fps", *DIMENSIONS)
MAX_BODY_ERROR_M = 0.02  # between bodies of the file and of the robot: models of one robot differ in fixed parts
CHECKED_FRAMES = 50  # spread evenly over a clip: enough to distinguish orders
VelocityPoint = Literal["origin", "com"]


class TrackerReader:
    """Reads files of mjlab and BeyondMimic."""

    endings = (".npz",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether the first array of a file is one of such files."""
        return first_array_name(head) in KEYS

    def read(
        self, content: bytes, path: Path, *, robot: Robot | str, joints: str | None = None, floor_m: float = 0.0
    ) -> Motion:
        """Return the motion of a robot; raises FormatError if it is another robot's.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
            joints: Order of joints and bodies (`depth-first` or `breadth-first`) if it is known.
            floor_m: Height of the floor in the file.
        """
        body = as_robot(robot)
        arrays = read_arrays(content, ("fps", "joint_pos", "body_pos_w", "body_quat_w"))
        numbers = {name: read_numbers(arrays[name], name, size) for name, size in DIMENSIONS.items() if name in arrays}
        frames_per_s = check_rate_hz(arrays["fps"])
        frames = len(numbers["joint_pos"])
        require(frames > 1, "has fewer than two frames.")
        require(all(len(values) == frames for values in numbers.values()), "has arrays of different lengths.")
        bodies = numbers["body_pos_w"].shape[1]
        require(
            bodies > 0 and numbers["body_pos_w"].shape[2] == 3 and numbers["body_quat_w"].shape[1:] == (bodies, 4),
            "needs body_pos_w of shape (T, n, 3) and body_quat_w of shape (T, n, 4).",
        )
        order, note = _find_order(numbers, body, None if joints is None else known_order(joints))
        track = RobotTrack(
            time_s=np.arange(frames) / frames_per_s,
            joint_rad=numbers["joint_pos"],
            base_m=numbers["body_pos_w"][:, 0],
            base_quaternion=numbers["body_quat_w"][:, 0],
            joint_order=order,
            quaternion_order="wxyz",
            notes=(note,),
            meta={"source": path.name},
        )
        return motion_of_track(track, body, joints=order, quaternions="wxyz", floor_m=floor_m)


def _find_order(numbers: dict[str, Array], robot: Robot, given: JointOrder | None) -> tuple[JointOrder, str]:
    """Return the order under which the bodies of a file are those of the robot, and a sentence about it."""
    given_joints = numbers["joint_pos"].shape[1]
    own_joints = len(robot.joint_names)
    require(given_joints == own_joints, f"has {given_joints} joints; {robot.name} has {own_joints}.")
    candidates = JOINT_ORDERS if given is None else (given,)
    error_m = {order: _body_error(numbers, robot, order) for order in candidates}
    best = min(candidates, key=lambda order: error_m[order])
    if error_m[best] > MAX_BODY_ERROR_M:
        raise FormatError(
            f"has bodies that are {1e3 * error_m[best]:.0f} mm from those of {robot.name} on average: it is of "
            "another robot, or of another version of its model."
        )
    point = _find_velocity_point(numbers, robot, best)
    velocities = {"origin": "of the bodies' origins", "com": "of their centres of mass", None: "not judged"}[point]
    made_by = {("depth-first", "origin"): "mjlab", ("breadth-first", "com"): "BeyondMimic"}.get((best, point or ""))
    like = f", as {made_by} writes them" if made_by else ""
    return best, f"Joints and bodies are {best} and velocities {velocities}{like}."


def _qpos(numbers: dict[str, Array], robot: Robot, order: JointOrder, frames: Index) -> Array:
    """Return the configurations of some frames under an order. Shape (n,) in, (n, nq) out."""
    joint_rad = np.empty((len(frames), len(robot.joint_names)))
    joint_rad[:, joint_order(robot, order)] = numbers["joint_pos"][frames]
    quaternion = numbers["body_quat_w"][frames, 0]
    length = np.linalg.norm(quaternion, axis=1, keepdims=True)
    require(bool((length > 0.0).all()), "has a quaternion of length 0.")
    return np.column_stack([numbers["body_pos_w"][frames, 0], quaternion / length, joint_rad])


def _body_error(numbers: dict[str, Array], robot: Robot, order: JointOrder) -> float:
    """Return the mean distance between the bodies of a file and those of a robot [m].

    If a file has another number of bodies (fixed links are merged or not), each of its bodies is compared with the
    nearest one of the robot.
    """
    frames = np.unique(np.linspace(0, len(numbers["joint_pos"]) - 1, CHECKED_FRAMES).astype(np.intp))
    names = [robot.model.body(index).name for index in range(1, robot.model.nbody)]
    own_m, _ = body_poses(robot.model, names, _qpos(numbers, robot, order, frames))
    file_m = numbers["body_pos_w"][frames]
    if file_m.shape[1] == len(names):
        return float(np.linalg.norm(own_m[:, body_order(robot, order)] - file_m, axis=2).mean())
    between_m = np.linalg.norm(own_m[:, None] - file_m[:, :, None], axis=3).mean(axis=0)
    return float(between_m.min(axis=1).mean())


def _find_velocity_point(numbers: dict[str, Array], robot: Robot, order: JointOrder) -> VelocityPoint | None:
    """Return the point of a body whose linear velocity a file has; None if it has no velocities or nothing moves."""
    velocity = numbers.get("body_lin_vel_w")
    bodies = robot.model.nbody - 1
    if velocity is None or velocity.shape != numbers["body_pos_w"].shape or velocity.shape[1] != bodies:
        return None
    frames = np.arange(len(velocity))
    states = body_states(robot, frames.astype(np.float64), _qpos(numbers, robot, order, frames))
    rank = body_order(robot, order)
    inner = slice(1, -1)  # velocities of the ends are one-sided differences here, and may be anything in the file
    origin_velocity = states.origin_velocity_m_s[inner][:, rank]
    com_velocity = states.com_velocity_m_s[inner][:, rank]
    projection = float(np.vdot(origin_velocity, velocity[inner]))
    square = float(np.vdot(origin_velocity, origin_velocity))
    if square <= 0.0 or projection <= 0.0:
        return None
    frames_per_s = projection / square  # the states count time in frames
    origin_error = float(np.linalg.norm(frames_per_s * origin_velocity - velocity[inner]))
    com_error = float(np.linalg.norm(frames_per_s * com_velocity - velocity[inner]))
    return "origin" if origin_error <= com_error else "com"


@dataclass(frozen=True, slots=True)
class TrackerWriter:
    """Writes a motion with all bodies, in the convention of one trainer.

    Args:
        joints: Order of joints and bodies.
        velocity_of: The point of a body whose velocity is written.
    """

    joints: JointOrder
    velocity_of: VelocityPoint
    ending: str = ".npz"

    def encode(self, motion: Motion, *, order: str | None = None) -> bytes:
        """Return the archive in single precision; `order` lists joints and bodies differently."""
        chosen = self.joints if order is None else known_order(order)
        motion.check_even()
        robot = robot_of(motion, needs_feet=False)
        if not robot.floats:
            raise BadMotionError(f"{robot.name} has no floating base; trackers train robots that have one.")
        states = body_states(robot, motion.time_s, motion.qpos)
        joint_rank = joint_order(robot, chosen)
        body_rank = body_order(robot, chosen)
        velocity_m_s = states.origin_velocity_m_s if self.velocity_of == "origin" else states.com_velocity_m_s
        numbers: dict[str, Any] = {
            "joint_pos": motion.joint_angles_rad[:, joint_rank],
            "joint_vel": states.joint_velocity_rad_s[:, joint_rank],
            "body_pos_w": states.position_m[:, body_rank],
            "body_quat_w": states.quaternion[:, body_rank],
            "body_lin_vel_w": velocity_m_s[:, body_rank],
            "body_ang_vel_w": states.angular_velocity_rad_s[:, body_rank],
        }
        frames_per_s = (len(motion.time_s) - 1) / motion.duration_s
        is_whole = abs(frames_per_s - round(frames_per_s)) < 1e-6 * frames_per_s
        arrays = {
            "fps": np.array([round(frames_per_s)] if is_whole else [frames_per_s]),
            **{name: values.astype(np.float32) for name, values in numbers.items()},
            "joint_names": np.array([motion.joint_names[index] for index in joint_rank]),
            "body_names": np.array([states.names[index] for index in body_rank]),
        }
        buffer = io.BytesIO()
        np.savez(buffer, allow_pickle=False, **arrays)
        return buffer.getvalue()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return omitted_beside_poses(motion)


READER = TrackerReader()
MJLAB = TrackerWriter("depth-first", "origin")
BEYONDMIMIC = TrackerWriter("breadth-first", "com")
