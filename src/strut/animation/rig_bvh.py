"""Rig as BVH: bones as joints at rest in the pose in which the robot stands, metres, z up; and back.

A joint's rotation is the turn of its bone since the rest pose, in world axes. Only the base and the slider of the eyes
have positions, which take the place of their offsets, as Blender reads and writes them. Files with y up are read too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation, Slerp

from strut.animation.drawing import FRAMES_PER_S
from strut.animation.rig import EYES_BONE, Rig, RigMovement, check_bones, expressions, slider_m
from strut.animation.rig_bones import rig_of
from strut.arrays import Array
from strut.errors import RigFileError
from strut.formats.bvh_file import bvh_text, parsed_bvh
from strut.formats.bvh_skeleton import BvhJoint, bvh_frames
from strut.formats.number_table import TableDamageError
from strut.maths.sampling import columns_at
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.viewer.eyes import expression_times

PLACES = ("Xposition", "Yposition", "Zposition")
TURNS = ("Zrotation", "Yrotation", "Xrotation")
SAME_M = 0.002  # by which joints at rest may differ
# which way is up in a file, and the rotation to our world
UPS: dict[str, Array] = {"z": np.eye(3), "y": Rotation.from_euler("x", 90.0, degrees=True).as_matrix()}


class MotionBvh:
    """Writes a motion as a skeleton that other programs animate."""

    ending = ".bvh"

    def content(self, motion: Motion) -> bytes:
        """Return the text in UTF-8."""
        motion.check_even()
        rig = rig_of(robot_of(motion))
        place, turn = rig.frames(motion.qpos)
        since_rest = turn @ np.swapaxes(rig.rotation, 1, 2)
        joints = list[BvhJoint]()
        columns = list[Array]()
        for bone, parent in enumerate(rig.parents):
            base = parent < 0
            offset = np.zeros(3) if base else rig.start_m[bone] - rig.start_m[parent]
            joints.append(BvhJoint(rig.names[bone], parent, tuple(offset), (*PLACES, *TURNS) if base else TURNS))
            local = since_rest[:, bone] if base else np.swapaxes(since_rest[:, parent], 1, 2) @ since_rest[:, bone]
            columns += [place[:, 0]] if base else []
            columns.append(Rotation.from_matrix(local).as_euler("ZYX", degrees=True))
        time_s = motion.time_s - motion.time_s[0]
        slider = slider_m(expression_times(motion.meta), time_s)
        joints.append(BvhJoint(EYES_BONE, 0, (0.0, 0.0, 0.0), PLACES))
        columns.append(np.column_stack([slider, 0.0 * slider, 0.0 * slider]))
        return bvh_text(joints, columns, float(time_s[-1] / (len(time_s) - 1)))

    def lost(self, _motion: Motion) -> tuple[str, ...]:
        """Return what the format has no place for."""
        return ("shapes", "contacts", "forces", "receipt")


def movement_from_bvh(content: bytes, rig: Rig, path: Path) -> RigMovement:
    """Return the movement of a BVH file, 25 frames a second; raises RigFileError."""
    try:
        joints, values, step_s = parsed_bvh(content.decode("utf-8", errors="replace"))
    except TableDamageError as damage:
        raise RigFileError(path, str(damage)) from damage
    numbers = {joint.name: index for index, joint in enumerate(joints)}
    check_bones(rig, numbers, path)
    bones = [numbers[name] for name in rig.names]
    up = _up(joints, bones, rig, path)
    place, turn = bvh_frames(joints, values, absolute=True)
    slider = np.zeros(len(values))
    if EYES_BONE in numbers:
        eyes = numbers[EYES_BONE]
        from_base = place[:, eyes] - place[:, bones[0]]
        slider = np.einsum("ti,ti->t", from_base, turn[:, bones[0]] @ up.T[:, 0])
    place = np.einsum("ij,tnj->tni", up, place[:, bones])
    turn = up @ turn[:, bones] @ up.T @ rig.rotation
    return _resampled(step_s * np.arange(float(len(values))), place, turn, slider)


def _up(joints: list[BvhJoint], bones: list[int], rig: Rig, path: Path) -> Array:
    """Return the turn from the file's axes to ours, in which its joints at rest are those of the rig. Shape (3, 3)."""
    rest = np.zeros((len(joints), 3))
    for index, joint in enumerate(joints):
        rest[index] = np.array(joint.offset) + (rest[joint.parent] if joint.parent >= 0 else 0.0)
    file = rest[bones] - rest[bones[0]]
    ours = rig.start_m - rig.start_m[0]
    away = {name: float(np.linalg.norm(file @ up.T - ours, axis=1).max()) for name, up in UPS.items()}
    best = min(away, key=lambda name: away[name])
    if away[best] > SAME_M:
        larger = float(np.linalg.norm(file, axis=1).sum() / np.linalg.norm(ours, axis=1).sum())
        how = f", and {larger:.3g} times as large" if abs(larger - 1.0) > 0.02 else ""
        raise RigFileError(
            path,
            f"is at rest {away[best] * 1e3:.0f} mm away from how {rig.robot} stands{how}; export the rig in metres, at "
            f"rest as `strut export {rig.robot} --to rig` has it, or use GLB.",
        )
    return UPS[best]


def _resampled(time_s: Array, place: Array, turn: Array, slider: Array) -> RigMovement:
    """Return the frames of a drawing from those of a file. Shapes (T,), (T, n, 3), (T, n, 3, 3), (T,)."""
    wanted = np.arange(int(np.floor(time_s[-1] * FRAMES_PER_S + 1e-6)) + 1) / FRAMES_PER_S
    places = columns_at(wanted, time_s, place.reshape(len(place), -1)).reshape(len(wanted), -1, 3)
    curves = [Slerp(time_s, Rotation.from_matrix(turn[:, bone])) for bone in range(turn.shape[1])]
    turns = np.stack([curve(wanted).as_matrix() for curve in curves], axis=1)
    nearest = np.searchsorted(time_s, wanted + 1e-9, side="right") - 1
    return RigMovement(wanted, places, turns, expressions(slider[nearest]))


WRITER = MotionBvh()
