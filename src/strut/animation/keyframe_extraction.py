"""Keyframe extraction: frames of a motion → an animation of few keyframes that passes through them.

Keyframes are inserted one by one where the curves deviate most from the frames, until no deviation is visible. A foot
that is lifted has keyframes at lift-off and at landing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from strut.animation.animation_frames import FRAMES_PER_S, AnimationFrames, sample_keyframes
from strut.animation.animation_ik import PlantedStance, planted_stance
from strut.arrays import Array
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.robot import FLOATING, Robot
from strut.schemas.eyes import EYES
from strut.schemas.keyframes import Animation, AnimationKey, FootPose

VISIBLE_M = 0.0015  # deviation of a curve from the frames
VISIBLE_DEG = 0.3  # likewise
STANCE_M = 0.002  # a foot that moves less from its initial position is in stance
STANCE_DEG = 0.5  # a foot that turns less keeps its initial heading


@dataclass(frozen=True, slots=True, eq=False)
class ExtractedKeyframes:
    """An animation and its distance from the frames from which it was extracted.

    Args:
        animation: The keyframe animation.
        frames: Number of frames.
        away_m: Largest deviation of base or feet.
        away_rad: Largest deviation of base attitude, leg directions or joints.
    """

    animation: Animation
    frames: int
    away_m: float
    away_rad: float


def extract_keyframes(
    robot: Robot, qpos: Array, eyes: tuple[str, ...], *, title: str, emotion: str
) -> ExtractedKeyframes:
    """Return an animation through configurations at 25 frames per second. Shape (T, nq) and length T."""
    still = (AnimationKey(0.0), AnimationKey(1.0))
    posture = _posture_deg(robot, qpos[0])
    stance = planted_stance(robot, Animation(title, emotion, still, robot.name, posture_deg=posture))
    values = _numbers(stance, qpos)
    feet = len(robot.foot_names)
    joints = len(robot.joint_names)
    seen = np.array([VISIBLE_M] * 3 + [VISIBLE_DEG] * 3 + [VISIBLE_M] * 3 * feet + [VISIBLE_DEG] * (feet + joints))
    keys = _needed_keys(values[:, 6 : 6 + 3 * feet], eyes)
    while True:
        frames = tuple(_key(robot, k, values[k], eyes[k]) for k in keys)
        animation = Animation(title, emotion, frames, robot.name, posture_deg=posture)
        away = np.abs(_columns(sample_keyframes(animation, robot.foot_names, robot.joint_names)) - values)
        worst = (away / seen).max(axis=1)
        worst[keys] = 0.0
        if worst.max() <= 1.0:
            break
        keys = sorted([*keys, int(np.argmax(worst))])
    lengths = (seen == VISIBLE_M)[None] * away
    return ExtractedKeyframes(animation, len(values), float(lengths.max()), float(np.radians((away - lengths).max())))


def _posture_deg(robot: Robot, qpos: Array) -> dict[str, float]:
    """Return the first posture if the standing posture of the robot's folder is unusable; otherwise an empty one."""
    try:
        planted_stance(robot, Animation("stand", "neutral", (AnimationKey(0.0), AnimationKey(1.0))))
    except OutOfRangeError:
        if not (robot.floats and robot.feet):
            raise
        angles = np.degrees(qpos[FLOATING:])
        return {name: round(float(angle), 4) for name, angle in zip(robot.joint_names, angles, strict=True)}
    return {}


def _numbers(stance: PlantedStance, qpos: Array) -> Array:
    """Return the values of keyframes, one row per frame: base, attitude, feet, leg directions, joints. Shape (T, m)."""
    robot = stance.robot
    now = task_jacobians(robot, qpos)
    start = Rotation.from_quat(stance.qpos[3:FLOATING], scalar_first=True)
    turn = Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True) * start.inv()
    shift = now.foot_in_world - stance.foot_in_world
    aside = np.append(shift[0, :, :2].mean(axis=0), 0.0)  # an animation begins at the robot's position
    shift = shift - aside
    base = qpos[:, :3] - stance.qpos[:3] - aside
    forward = now.foot_rotation[..., 0]
    yaw = np.degrees(np.unwrap(np.arctan2(forward[..., 1], forward[..., 0]) - stance.foot_yaw_rad, axis=0))
    down = np.abs(shift[..., 2]) < STANCE_M
    shift[..., 2][down] = 0.0
    shift[down & (np.linalg.norm(shift, axis=-1) < STANCE_M)] = 0.0
    yaw[np.abs(yaw) < STANCE_DEG] = 0.0
    in_legs = {joint for leg in robot.legs for joint in leg.joints}
    joints = np.degrees(qpos[:, FLOATING:] - stance.qpos[FLOATING:])
    joints[:, [name in in_legs for name in robot.joint_names]] = 0.0
    euler = np.degrees(np.unwrap(turn.as_euler("xyz"), axis=0))
    return np.column_stack([base, euler, shift.reshape(len(qpos), -1), yaw, joints])


def _columns(frames: AnimationFrames) -> Array:
    """Return the values of frames in the same order. Shape (N, m)."""
    shift = frames.foot_shift_m.reshape(len(frames.time_s), -1)
    angles = (frames.foot_turn_rad, frames.joint_rad)
    return np.column_stack([frames.base_m, np.degrees(frames.turn_rad), shift, *(np.degrees(a) for a in angles)])


def _needed_keys(shift: Array, eyes: tuple[str, ...]) -> list[int]:
    """Return the frames that must be keyframes: both ends, changes of expression, lift-offs and landings."""
    needed = {0, len(eyes) - 1} | {k for k in range(1, len(eyes)) if eyes[k] != eyes[k - 1]}
    up = shift[:, 2::3] != 0.0
    for frame in np.flatnonzero((up[1:] != up[:-1]).any(axis=1)):
        needed |= {int(frame) if (up[frame + 1] & ~up[frame]).any() else int(frame) + 1}
    return sorted(needed)


def _key(robot: Robot, frame: int, values: Array, eyes: str) -> AnimationKey:
    x, y, z, roll, pitch, yaw = np.round(values[:6], 5).tolist()
    feet = len(robot.foot_names)
    shift = values[6 : 6 + 3 * feet].reshape(feet, 3)
    turn = values[6 + 3 * feet : 6 + 4 * feet]
    poses = {}
    for name, place, angle in zip(robot.foot_names, np.round(shift, 5), np.round(turn, 4), strict=True):
        if place.any() or angle:
            forward, left, up = place.tolist()
            poses[name] = FootPose((forward, left, up), float(angle))
    changed = np.round(values[6 + 4 * feet :], 4)
    joints = {name: float(angle) for name, angle in zip(robot.joint_names, changed, strict=True) if angle}
    expression = next(known for known in EYES if known == eyes)
    return AnimationKey(frame / FRAMES_PER_S, (x, y, z), (roll, pitch, yaw), poses, joints, expression)
