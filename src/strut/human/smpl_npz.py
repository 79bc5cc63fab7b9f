"""SMPL NPZ: poses of a person as AMASS publishes them (poses, trans, betas, gender), read as joint angles of a human.

Only the rotations are used: no model file is needed, and the shape of the person is left out. The skeleton of SMPL
rests with arms spread, y up; the human model rests with arms hanging, x forward and z up.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.formats.npz_arrays import first_array_name, read_arrays, read_numbers
from strut.formats.reader import FormatError, require
from strut.formats.robot_track import MAX_RATE_HZ, RobotTrack, motion_of_track
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.robot import FLOATING, Robot

NAMES = ("poses", "trans", "betas", "gender", "dmpls", "mocap_framerate", "mocap_frame_rate", "surface_model_type")
RATES = ("mocap_framerate", "mocap_frame_rate", "fps")
BODY_JOINTS = 22  # of SMPL and SMPL-H alike; the hands follow
STANDING_SHARE = 0.02  # of the lowest foot heights, below the ground: noise of a recording
_TO_HUMAN = Rotation.from_matrix(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]))  # from x left, y up
_HANGING = {
    "Left": Rotation.from_euler("x", 90.0, degrees=True),
    "Right": Rotation.from_euler("x", -90.0, degrees=True),
}
_JOINTS = {  # of SMPL, one after another, for each ball joint of the human model
    "HipLeft": (1,),
    "HipRight": (2,),
    "AnkleLeft": (7,),
    "AnkleRight": (8,),
    "Lumbar": (3, 6, 9),
    "Head": (12, 15),
    "ShoulderLeft": (13, 16),
    "ShoulderRight": (14, 17),
}
_HINGES = {"KneeLeft": 4, "KneeRight": 5, "ElbowLeft": 18, "ElbowRight": 19}
_AXES = ("RY", "RX", "RZ")  # of a ball joint of the human model, each turning the next


class SmplReader:
    """Reads such poses as a motion of a robot with the joints of the human model."""

    endings = (".npz",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether the first array of an archive is one of SMPL's."""
        return first_array_name(head) in NAMES

    def read(self, content: bytes, path: Path, *, robot: Robot | str, rate_hz: float | None = None) -> Motion:
        """Return the motion of a human.

        Args:
            content: Of the file.
            path: Of the file.
            robot: A human model, such as heiman or a subject.
            rate_hz: Frames per second, if the file does not say it.
        """
        arrays = read_arrays(content, ("poses", "trans"))
        body = as_robot(robot)
        wanted = [f"{name}_{axis}" for name in _JOINTS for axis in _AXES] + [f"{name}_RY" for name in _HINGES]
        missing = [name for name in wanted if name not in body.joint_names]
        require(not missing, f"is of a person; {body.name} has no {', '.join(missing[:3])}, as a human model has.")
        poses = read_numbers(arrays["poses"], "poses", 2)
        trans_m = read_numbers(arrays["trans"], "trans", 2)
        frames = len(poses)
        width = 3 * BODY_JOINTS
        require(poses.shape[1] >= width, f"has poses of {poses.shape[1]} numbers a frame; a body has {width}.")
        require(trans_m.shape == (frames, 3), f"has trans of shape {trans_m.shape}, not ({frames}, 3).")
        require(frames > 1, "has fewer than two frames.")
        frames_per_s = _rate(arrays) if rate_hz is None else rate_hz
        require(0.0 < frames_per_s <= MAX_RATE_HZ, f"cannot have {frames_per_s:g} frames per second.")
        vectors = poses[:, :width].reshape(frames, BODY_JOINTS, 3)
        up_axis, to_world = _upright(Rotation.from_rotvec(vectors[:, 0]))
        base = to_world * Rotation.from_rotvec(vectors[:, 0]) * _TO_HUMAN.inv()
        angle_rad, lost_rad = _angles(vectors)
        qpos = np.tile(body.standing_qpos, (frames, 1))
        qpos[:, :3] = to_world.apply(trans_m)
        qpos[:, 3:FLOATING] = base.as_quat(scalar_first=True)
        for name, values in angle_rad.items():
            qpos[:, body.base_size + body.joint_names.index(name)] = values
        lowest_m = foot_contact_points(body, qpos)[..., 2].min(axis=1)
        qpos[:, 2] -= np.quantile(lowest_m, STANDING_SHARE)
        notes = (
            f"The file has {up_axis} up. Its shape is left out: {body.name} has its own lengths.",
            f"Knees and elbows are hinges here; they lose turns of {np.degrees(lost_rad):.0f} degrees or less.",
        )
        track = RobotTrack(
            time_s=np.arange(frames) / frames_per_s,
            joint_rad=qpos[:, body.base_size :],
            joint_names=body.joint_names,
            base_m=qpos[:, :3],
            base_quaternion=qpos[:, 3:FLOATING],
            quaternion_order="wxyz",
            notes=notes,
            meta={"source": path.name},
        )
        return motion_of_track(track, body, quaternions="wxyz")


def _rate(arrays: dict[str, npt.NDArray[np.generic]]) -> float:
    """Return the frames per second of a file; raises FormatError if it does not say them."""
    for name in RATES:
        if name in arrays and arrays[name].size == 1 and arrays[name].dtype.kind in "fiu":
            return float(np.asarray(arrays[name], dtype=np.float64).ravel()[0])
    raise FormatError("does not say its rate; add --read rate_hz=120, or what it is.")


def _upright(pelvis: Rotation) -> tuple[str, Rotation]:
    """Return which axis of a file points up, as the pelvis does on average, and the rotation from there to z up."""
    up = pelvis.apply([0.0, 1.0, 0.0]).mean(axis=0)
    if up[1] > up[2]:
        return "y", Rotation.from_euler("x", 90.0, degrees=True)
    return "z", Rotation.identity()


def _angles(vectors: Array) -> tuple[dict[str, Array], float]:
    """Return the angles of the human model by joint, and the largest turn that its hinges lose.

    Args:
        vectors: Rotation vectors of SMPL's joints. Shape (T, 22, 3).
    """
    found: dict[str, Array] = {}
    for name, chain in _JOINTS.items():
        turn = Rotation.identity(len(vectors))
        for joint in chain:
            turn *= _in_human_axes(vectors[:, joint])
        side = next((side for side in _HANGING if name == f"Shoulder{side}"), None)
        if side is not None:
            turn *= _HANGING[side]
        angles = turn.as_euler("YXZ")
        found |= {f"{name}_{axis}": np.unwrap(angles[:, column]) for column, axis in enumerate(_AXES)}
    lost_rad = 0.0
    for name, joint in _HINGES.items():
        turn = _in_human_axes(vectors[:, joint])
        side = "Left" if name.endswith("Left") else "Right"
        if name.startswith("Elbow"):
            turn = _HANGING[side].inv() * turn * _HANGING[side]
        quaternion = turn.as_quat()
        angle = np.unwrap(2.0 * np.arctan2(quaternion[:, 1], quaternion[:, 3]))
        found[f"{name}_RY"] = angle
        rest = Rotation.from_euler("y", angle[:, None]).inv() * turn
        lost_rad = max(lost_rad, float(rest.magnitude().max()))
    return found, lost_rad


def _in_human_axes(vector: Array) -> Rotation:
    """Return rotations about axes of SMPL as rotations about those of the human model. Shape (T, 3)."""
    return Rotation.from_rotvec(_TO_HUMAN.apply(vector))


READER = SmplReader()
