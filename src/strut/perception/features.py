"""Expressive features: properties of a movement from which people recognise emotions, relative to the body's size.

Speed, size and jerk of a movement show arousal, whatever its form (Pollick and others, 2001). In gaits, walking speed,
pitch of head and trunk, and bent limbs distinguish emotions (Montepare and others, 1987; Roether and others, 2009;
Hicheur and others, 2013); so do bounce and height (Halovic and Kroos, 2018; Michalak and others, 2009) and the openness
of the posture (Wallbott, 1998; Dael and others, 2013). The unit of length is h, the height of the centre of mass in the
standing posture; the unit of time is sqrt(h / g).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from strut.arrays import Array
from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.rigid_body import GRAVITY_M_S2, body_poses
from strut.errors import BadMotionError
from strut.maths.rotation import headings_of
from strut.models.skeleton import skeleton_points
from strut.motion import Motion
from strut.robot import FLOATING, Robot

RATIOS = ("speed", "pace", "acceleration", "jerk", "amplitude", "bounce")
ANGLES = ("trunk_pitch", "head_pitch", "head_turn")
LENGTHS = ("height", "openness")
FEATURES = (*RATIOS, *ANGLES, *LENGTHS)
MIN_SAMPLES = 8  # enough for a third derivative in the middle part
ENDS = 0.15  # share that is left out at each end: the motion starts and stops there, and the emotion fades in and out


def expressive_features(motion: Motion, robot: Robot) -> Mapping[str, float]:
    """Return the expressive features of a motion; angles in rad, positive forwards and down, the rest dimensionless.

    `speed` is the mean speed over the ground from start to end, in any direction. `pace`, `acceleration`, `jerk` and
    `amplitude` are root mean squares over joints and ends of limbs in the frame of the body, whose rise and fall is
    included. `trunk_pitch` and `head_pitch` are angles to the horizontal.

    Example:
        >>> strut.perception.expressive_features(strut.load_motion("sad.npz"), strut.load_robot("mrpete"))["head_pitch"]
    """
    if len(motion.time_s) < MIN_SAMPLES:
        raise BadMotionError(
            f"The motion has {len(motion.time_s)} samples; expressive features need at least {MIN_SAMPLES}."
        )
    standing = np.array(robot.standing_qpos)
    height_m = float(centre_of_mass_path(robot.model, standing[None])[0, 2])
    time_unit_s = math.sqrt(height_m / GRAVITY_M_S2)
    step = float(motion.time_s[1] - motion.time_s[0]) / time_unit_s
    position = _base_position(motion, robot) / height_m
    heading = _base_heading(motion, robot)
    points = skeleton_points(robot, motion.qpos) / height_m
    points[:, :, :2] = _in_heading_frame(points[:, :, :2] - position[:, None], heading)
    velocity = np.gradient(points, step, axis=0)
    acceleration = np.gradient(velocity, step, axis=0)
    jerk = np.gradient(acceleration, step, axis=0)
    trunk, head = _facing_directions(robot, standing, motion.qpos)
    middle = slice(round(ENDS * len(points)), len(points) - round(ENDS * len(points)))
    points = points[middle]
    position = position[middle]
    head = head[middle]
    head_yaw = np.unwrap(np.arctan2(head[:, 1], head[:, 0]))
    ground_points = points[..., :2]
    return {
        "speed": float(np.linalg.norm(position[-1] - position[0])) / ((len(position) - 1) * step),
        "pace": _rms(velocity[middle]),
        "acceleration": _rms(acceleration[middle]),
        "jerk": _rms(jerk[middle]),
        "amplitude": _rms(points - points.mean(axis=0)),
        "bounce": float(points[:, 0, 2].std()),
        "trunk_pitch": float(_pitch(trunk[middle]).mean()),
        "head_pitch": float(_pitch(head).mean()),
        "head_turn": float(np.abs(head_yaw - heading[middle]).mean()),
        "height": float(points[:, :, 2].mean()),
        "openness": float(np.linalg.norm(ground_points - ground_points.mean(axis=1, keepdims=True), axis=2).mean()),
    }


def _base_position(motion: Motion, robot: Robot) -> Array:
    """Return the position of the base in the ground plane. Shape (T, 2)."""
    return motion.qpos[:, :2] if robot.base_size else np.zeros((len(motion.time_s), 2))


def _base_heading(motion: Motion, robot: Robot) -> Array:
    """Return the heading of the base [rad]. Shape (T,)."""
    if robot.base_size == FLOATING:
        return np.unwrap(headings_of(motion.qpos[:, 3:FLOATING]))
    return motion.qpos[:, 2] if robot.base_size else np.zeros(len(motion.time_s))


def _in_heading_frame(points: Array, heading_rad: Array) -> Array:
    """Return ground-plane points rotated by -heading. Shapes (T, n, 2), (T,) in, (T, n, 2) out."""
    cosine = np.cos(heading_rad)[:, None]
    sine = np.sin(heading_rad)[:, None]
    x = points[..., 0]
    y = points[..., 1]
    return np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1)


def _rms(vectors: Array) -> float:
    """Return the root mean square length of vectors. Shape (T, n, 3)."""
    return float(np.sqrt((vectors**2).sum(axis=2).mean()))


def _facing_directions(robot: Robot, standing: Array, qpos: Array) -> tuple[Array, Array]:
    """Return the directions in which trunk and head face: x when standing. Shape (T, nq) in, (T, 3) each out."""
    model = robot.model
    last_bodies = {limb.kind: limb.bodies[-1] for limb in robot.limbs if limb.kind in ("trunk", "head") and limb.bodies}
    trunk = last_bodies.get("trunk", str(model.body(1).name))
    names = [trunk, last_bodies.get("head", trunk)]
    _, standing_rotation = body_poses(model, names, standing[None])
    _, rotation = body_poses(model, names, qpos)
    x_in_body = np.swapaxes(standing_rotation[0], 1, 2) @ np.array([1.0, 0.0, 0.0])
    facing = np.einsum("tnij,nj->tni", rotation, x_in_body)
    return facing[:, 0], facing[:, 1]


def _pitch(direction: Array) -> Array:
    """Return by how much unit vectors point down [rad]. Shape (T, 3) in, (T,) out."""
    return np.asarray(-np.arcsin(np.clip(direction[:, 2], -1.0, 1.0)))
