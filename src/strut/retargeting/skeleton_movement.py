"""Skeleton movement: what a person in a BVH file does, as a body movement."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d

from strut.arrays import Array
from strut.errors import BadMotionError, MotionFileError
from strut.formats.bvh import JUMP_M, MAX_HEIGHT_M, MIN_HEIGHT_M, BvhJoint, bvh_frames, parse_bvh
from strut.formats.reader import FormatError
from strut.plumbing.regular_file import check_regular
from strut.retargeting.body_movement import SIDES, BodyMovement, facing_rad
from strut.retargeting.body_parts import ARM_PARTS, LEG_PARTS, BodyParts, find_skeleton_parts

BALL_M = 0.035  # height of the ball of a person's foot above the floor
SMOOTHING_S = 0.012  # standard deviation of the filter that takes noise of recordings off
FLOOR_PERCENTILE = 5.0  # of the heights of the balls of the feet


def read_skeleton(path: Path, unit_m: float) -> tuple[list[BvhJoint], Array, Array, float]:
    """Return skeleton, positions (T, n, 3) [m] and axes (T, n, 3, 3) in a BVH file, and the time between frames [s]."""
    try:
        check_regular(path)
        joints, values, step_s = parse_bvh(path.read_bytes().decode("utf-8-sig", errors="replace"))
    except OSError as error:
        raise MotionFileError(path, f"cannot be read: {error.strerror}.") from error
    except FormatError as error:
        raise MotionFileError(path, str(error)) from error
    position, rotation = bvh_frames(joints, values)
    height_m = float(np.ptp(position[0] * unit_m, axis=0).max())
    if not MIN_HEIGHT_M < height_m < MAX_HEIGHT_M:
        raise MotionFileError(
            path,
            f"would show a person of {height_m:.3g} m; BVH files name no unit: give the metres in one "
            "(--unit 0.01 for cm, 0.056444 for the CMU database; unit_m in Python).",
        )
    if len(position) < 3:
        raise MotionFileError(path, "has fewer than three frames; that is no movement.")
    return joints, position * unit_m, rotation, step_s


def skeleton_movement(
    path: Path, *, unit_m: float = 1.0, parts: BodyParts | None = None
) -> tuple[BodyMovement, BodyParts]:
    """Return the movement in a BVH file, and the parts of its skeleton.

    The first frame is taken for a T-pose if the movement jumps after it; else the skeleton without any angles is.

    Args:
        path: Of the file.
        unit_m: Metres in one unit of the file.
        parts: The parts of the skeleton; found from its shape if None.
    """
    joints, position, rotation, step_s = read_skeleton(path, unit_m)
    notes = []
    jump_m = np.linalg.norm(np.diff(position[:3], axis=0), axis=-1).max(axis=-1)
    if jump_m[0] > JUMP_M > jump_m[1]:
        rest_m = position[0]
        rest_rotation = rotation[0]
        position = position[1:]
        rotation = rotation[1:]
        notes.append("the first frame is a T-pose")
    else:
        still = np.zeros((1, sum(len(joint.channels) for joint in joints)))
        rest, turned = bvh_frames(joints, still)
        rest_m = rest[0] * unit_m
        rest_rotation = turned[0]
        notes.append("the T-pose is that of the skeleton without angles")
    axes = _body_axes(joints, position, rest_m)
    rest_m = rest_m @ axes.T
    parts = find_skeleton_parts(joints, rest_m) if parts is None else parts
    index = {joint.name: number for number, joint in enumerate(joints)}
    names = {name: value for name in parts.__struct_fields__ if (value := getattr(parts, name)) is not None}
    unknown = [value for value in names.values() if value not in index]
    if unknown:
        raise BadMotionError(f"{path.name} has no joint '{unknown[0]}', which the file of parts names.")
    position = gaussian_filter1d(position @ axes.T, SMOOTHING_S / step_s, axis=0, mode="nearest")
    turns = axes @ rotation @ rest_rotation.swapaxes(-1, -2) @ axes.T
    points = {
        f"{part}_{side}": position[:, index[names[f"{part}_{side}"]]]
        for part in (*LEG_PARTS, *(ARM_PARTS if parts.has_arms else ()))
        for side in SIDES
    }
    bodies = {"pelvis": parts.pelvis, "trunk": parts.trunk, "head": parts.head}
    bodies |= {f"foot_{side}": names[f"ankle_{side}"] for side in SIDES}
    rotations = {part: turns[:, index[name]] for part, name in bodies.items() if name is not None}
    balls = np.concatenate([points[f"toe_{side}"][:, 2] for side in SIDES])
    floor_m = float(np.percentile(balls, FLOOR_PERCENTILE)) - BALL_M
    start = rotations["pelvis"][:1]
    turn = _about_z(-float(facing_rad(start)[0]))
    origin = np.array([*points["hip_left"][0, :2], floor_m])
    points = {name: (value - origin) @ turn.T for name, value in points.items()}
    rotations = {name: turn @ value for name, value in rotations.items()}
    leg_m = float(np.mean([_leg_m(rest_m, index, names, side) for side in SIDES]))
    time_s = np.arange(len(position), dtype=float) * step_s
    return BodyMovement(path.stem, time_s, points, rotations, leg_m, None, tuple(notes)), parts


def _leg_m(rest_m: Array, index: dict[str, int], names: dict[str, str], side: str) -> float:
    """Return the length of a leg from hip to sole: its segments, and the height of the ankle above the sole."""
    hip, knee, ankle, toe = (rest_m[index[names[f"{part}_{side}"]]] for part in LEG_PARTS)
    above_sole_m = float(ankle[2] - toe[2]) + BALL_M
    return float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee)) + above_sole_m


def _body_axes(joints: list[BvhJoint], position: Array, rest_m: Array) -> Array:
    """Return the rotation from the axes of a file to x forward, y left, z up. Shape (3, 3).

    A moving person is tallest along the vertical; arms are stretched in a T-pose only. The feet point forward.
    """
    up = int(np.argmax(np.ptp(position, axis=1).mean(axis=0)))
    vertical = np.eye(3)[up]
    parents = {joint.parent for joint in joints}
    ends = [number for number in range(len(joints)) if number not in parents]
    height = rest_m @ vertical
    low = [end for end in ends if height[end] < height.min() + 0.15 * np.ptp(height)]
    forward = np.zeros(3)
    for end in low:
        ankle = end
        while np.linalg.norm(rest_m[ankle] - rest_m[end]) < 0.1 * np.ptp(height) and joints[ankle].parent >= 0:
            ankle = joints[ankle].parent
        forward += rest_m[end] - rest_m[ankle]
    forward -= vertical * (forward @ vertical)
    ahead = np.eye(3)[int(np.argmax(np.abs(forward)))] * np.sign(forward[int(np.argmax(np.abs(forward)))])
    return np.stack([ahead, np.cross(vertical, ahead), vertical])


def _about_z(angle_rad: float) -> Array:
    c = float(np.cos(angle_rad))
    s = float(np.sin(angle_rad))
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
