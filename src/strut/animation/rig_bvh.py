"""Rig as BVH: a robot's bones as joints, in metres, z up; written and read.

At rest, the joints have the pose in which the robot stands. The rotation of a joint is that of its bone since the rest
pose, in world axes. Only the base and the slider of the eyes have positions, which replace their offsets, as Blender
reads and writes them. Files with y up are read too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from strut.animation.animation_frames import FRAMES_PER_S
from strut.animation.rig_movement import (
    EYES_BONE,
    RigMovement,
    check_bones,
    expressions,
    motion_of_rig,
    slider_m,
)
from strut.arrays import Array
from strut.errors import RigFileError
from strut.formats.bvh import BvhJoint, bvh_frames, encode_bvh, parse_bvh, recognizes_bvh
from strut.formats.reader import FormatError
from strut.formats.robot_track import omitted_beside_poses
from strut.maths.sampling import interpolate_columns
from strut.models.catalogue import as_robot, robot_of
from strut.models.rig import Rig, build_rig
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.eyes import expression_times

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Zrotation", "Yrotation", "Xrotation")
MAX_REST_OFFSET_M = 0.002  # distance of a joint at rest from that of the rig; files round to less
# Axis that points up in a file, and the rotation to our world
TO_WORLD: dict[str, Array] = {"z": np.eye(3), "y": Rotation.from_euler("x", 90.0, degrees=True).as_matrix()}


class RigBvhWriter:
    """Writes a motion as a skeleton that other programs animate."""

    ending = ".bvh"

    def encode(self, motion: Motion) -> bytes:
        """Return the text in UTF-8."""
        motion.check_even()
        rig = build_rig(robot_of(motion))
        position, rotation = rig.frames(motion.qpos)
        since_rest = rotation @ np.swapaxes(rig.rotation, 1, 2)
        joints = list[BvhJoint]()
        columns = list[Array]()
        for bone, parent in enumerate(rig.parents):
            if parent < 0:
                joints.append(BvhJoint(rig.names[bone], parent, (0.0, 0.0, 0.0), (*POSITIONS, *ROTATIONS)))
                columns.append(position[:, 0])
                in_parent = since_rest[:, bone]
            else:
                offset_m = rig.start_m[bone] - rig.start_m[parent]
                joints.append(BvhJoint(rig.names[bone], parent, tuple(offset_m), ROTATIONS))
                in_parent = np.swapaxes(since_rest[:, parent], 1, 2) @ since_rest[:, bone]
            columns.append(Rotation.from_matrix(in_parent).as_euler("ZYX", degrees=True))
        time_s = motion.time_s - motion.time_s[0]
        slider = slider_m(expression_times(motion.meta), time_s)
        joints.append(BvhJoint(EYES_BONE, 0, (0.0, 0.0, 0.0), POSITIONS))
        columns.append(np.column_stack([slider, 0.0 * slider, 0.0 * slider]))
        return encode_bvh(joints, columns, float(time_s[-1] / (len(time_s) - 1)))

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return ("shapes", *omitted_beside_poses(motion))


class RigBvhReader:
    """Reads the movement of a robot's rig, 25 frames per second."""

    endings = (".bvh",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins like a BVH file."""
        return recognizes_bvh(head)

    def read(self, content: bytes, path: Path, *, robot: Robot | str) -> Motion:
        """Return the motion; raises RigFileError if the file is damaged or has no rig of the robot."""
        try:
            joints, values, step_s = parse_bvh(content.decode("utf-8", errors="replace"))
        except FormatError as error:
            raise RigFileError(path, str(error)) from error
        body = as_robot(robot)
        rig = build_rig(body)
        joint_number = {joint.name: index for index, joint in enumerate(joints)}
        check_bones(rig, joint_number, path)
        bones = [joint_number[name] for name in rig.names]
        up = _up_axis(joints, bones, rig, path)
        to_world = TO_WORLD[up]
        position, rotation = bvh_frames(joints, values, absolute=True)
        slider = np.zeros(len(values))
        if EYES_BONE in joint_number:
            eyes = joint_number[EYES_BONE]
            from_base = position[:, eyes] - position[:, bones[0]]
            slider = np.einsum("ti,ti->t", from_base, rotation[:, bones[0]] @ to_world.T[:, 0])
        position = np.einsum("ij,tnj->tni", to_world, position[:, bones])
        rotation = to_world @ rotation[:, bones] @ to_world.T @ rig.rotation
        movement = _at_frames(step_s * np.arange(float(len(values))), position, rotation, slider)
        return motion_of_rig(body, rig, movement, path, (f"The file has {up} up.",))


def _up_axis(joints: list[BvhJoint], bones: list[int], rig: Rig, path: Path) -> str:
    """Return the up axis of a file: with it, the joints at rest are those of the rig."""
    rest = np.zeros((len(joints), 3))
    for index, joint in enumerate(joints):
        rest[index] = np.array(joint.offset) + (rest[joint.parent] if joint.parent >= 0 else 0.0)
    in_file = rest[bones] - rest[bones[0]]
    in_rig = rig.start_m - rig.start_m[0]
    offset_m = {
        axis: float(np.linalg.norm(in_file @ to_world.T - in_rig, axis=1).max()) for axis, to_world in TO_WORLD.items()
    }
    up = min(offset_m, key=lambda axis: offset_m[axis])
    if offset_m[up] > MAX_REST_OFFSET_M:
        size = float(np.linalg.norm(in_file, axis=1).sum() / np.linalg.norm(in_rig, axis=1).sum())
        larger = f", and {size:.3g} times as large" if abs(size - 1.0) > 0.02 else ""
        raise RigFileError(
            path,
            f"is at rest {offset_m[up] * 1e3:.0f} mm away from how {rig.robot} stands{larger}; export the rig in "
            f"metres, at rest as `strut export {rig.robot} --to rig` has it, or use GLB.",
        )
    return up


def _at_frames(time_s: Array, position: Array, rotation: Array, slider: Array) -> RigMovement:
    """Return a movement at 25 frames per second. Shapes (T,), (T, n, 3), (T, n, 3, 3), (T,)."""
    frame_s = np.arange(int(np.floor(time_s[-1] * FRAMES_PER_S + 1e-6)) + 1) / FRAMES_PER_S
    positions = interpolate_columns(frame_s, time_s, position.reshape(len(position), -1)).reshape(len(frame_s), -1, 3)
    curves = [Slerp(time_s, Rotation.from_matrix(rotation[:, bone])) for bone in range(rotation.shape[1])]
    rotations = np.stack([curve(frame_s).as_matrix() for curve in curves], axis=1)
    nearest = np.searchsorted(time_s, frame_s + 1e-9, side="right") - 1
    return RigMovement(frame_s, positions, rotations, expressions(slider[nearest]))


READER = RigBvhReader()
WRITER = RigBvhWriter()
