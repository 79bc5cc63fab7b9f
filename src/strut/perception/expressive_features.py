"""Expressive features: what of a movement people are known to read feelings from, in units of the body that moves.

Speed, size and jerk of movement tell how aroused somebody is, whatever the form (Pollick and others, 2001); walking
speed, bend of head and trunk and bent limbs tell feelings apart in gaits (Montepare and others, 1987; Roether and
others, 2009; Hicheur and others, 2013); so do bouncing and height (Halovic and Kroos, 2018; Michalak and others, 2009)
and how open a posture is (Wallbott, 1998; Dael and others, 2013). Lengths are in h, the height of the centre of mass
when standing, times in sqrt(h / g).
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
ENDS = 0.15  # of a movement, at both ends, that is left out: it starts and stops there, and a feeling comes and goes


def expressive_features(motion: Motion, robot: Robot) -> Mapping[str, float]:
    """Return the features of a movement; angles in rad, positive forwards and down, all others dimensionless.

    `speed` is that over the ground, from place to place and whichever way; `pace`, `acceleration`, `jerk` and
    `amplitude` are those of joints and ends of limbs seen from the body, its own rise and fall among them; `head_pitch`
    and `trunk_pitch` are angles to the level.

    Example:
        >>> strut.expressive_features(strut.load_motion("sad.npz"), strut.load_robot("mrpete"))["head_pitch"]
    """
    if len(motion.time_s) < 8:
        raise BadMotionError(f"The motion has {len(motion.time_s)} samples; nobody sees a feeling in fewer than 8.")
    standing = np.array(robot.standing_qpos)
    height_m = float(centre_of_mass_path(robot.model, standing[None])[0, 2])
    unit_s = math.sqrt(height_m / GRAVITY_M_S2)
    step_s = float(motion.time_s[1] - motion.time_s[0])
    points = skeleton_points(robot, motion.qpos) / height_m
    place = _place(motion, robot) / height_m
    heading = _heading(motion, robot)
    points[:, :, :2] = _seen_from(points[:, :, :2] - place[:, None], heading)
    derivatives = _derivatives(points, step_s / unit_s)
    trunk, head = _directions(robot, standing, motion.qpos)
    middle = slice(round(ENDS * len(points)), len(points) - round(ENDS * len(points)))
    points, place, trunk, head, heading = (row[middle] for row in (points, place, trunk, head, heading))
    velocity, acceleration, jerk = (one[middle] for one in derivatives)
    return {
        "speed": float(np.linalg.norm(place[-1] - place[0])) / ((len(place) - 1) * step_s / unit_s),
        "pace": _rms(velocity),
        "acceleration": _rms(acceleration),
        "jerk": _rms(jerk),
        "amplitude": _rms(points - points.mean(axis=0)),
        "bounce": float(points[:, 0, 2].std()),
        "trunk_pitch": float(_pitch(trunk).mean()),
        "head_pitch": float(_pitch(head).mean()),
        "head_turn": float(np.abs(_yaw(head) - heading).mean()),
        "height": float(points[:, :, 2].mean()),
        "openness": float(np.linalg.norm(points[..., :2] - points[..., :2].mean(axis=1, keepdims=True), axis=2).mean()),
    }


def _place(motion: Motion, robot: Robot) -> Array:
    """Return where the body is over the ground. Shape (T, 2)."""
    return motion.qpos[:, :2] if robot.base_size else np.zeros((len(motion.time_s), 2))


def _heading(motion: Motion, robot: Robot) -> Array:
    """Return where the body heads. Shape (T,)."""
    if robot.base_size == FLOATING:
        return np.unwrap(headings_of(motion.qpos[:, 3:FLOATING]))
    return motion.qpos[:, 2] if robot.base_size else np.zeros(len(motion.time_s))


def _seen_from(points: Array, heading_rad: Array) -> Array:
    """Return points of the ground plane as seen from who heads somewhere. Shapes (T, n, 2), (T,) in, (T, n, 2) out."""
    cosine = np.cos(heading_rad)[:, None]
    sine = np.sin(heading_rad)[:, None]
    x = points[..., 0]
    y = points[..., 1]
    return np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1)


def _derivatives(points: Array, step: float) -> tuple[Array, Array, Array]:
    """Return velocity, acceleration and jerk of points. Shape (T, n, 3) in and out."""
    velocity = np.gradient(points, step, axis=0)
    acceleration = np.gradient(velocity, step, axis=0)
    return velocity, acceleration, np.gradient(acceleration, step, axis=0)


def _rms(vectors: Array) -> float:
    """Return the root mean square length of vectors. Shape (T, n, 3)."""
    return float(np.sqrt((vectors**2).sum(axis=2).mean()))


def _directions(robot: Robot, standing: Array, qpos: Array) -> tuple[Array, Array]:
    """Return where trunk and head face: x ahead as it stands, carried along. Shape (T, nq) in, (T, 3) each out."""
    model = robot.model
    kinds = {limb.kind: limb.bodies[-1] for limb in robot.limbs if limb.kind in ("trunk", "head") and limb.bodies}
    trunk = kinds.get("trunk", str(model.body(1).name))
    names = [trunk, kinds.get("head", trunk)]
    _, rest = body_poses(model, names, standing[None])
    _, turns = body_poses(model, names, qpos)
    ahead = np.swapaxes(rest[0], 1, 2) @ np.array([1.0, 0.0, 0.0])
    facing = np.einsum("tnij,nj->tni", turns, ahead)
    return facing[:, 0], facing[:, 1]


def _pitch(direction: Array) -> Array:
    """Return by how much directions point down. Shape (T, 3) in, (T,) out."""
    return np.asarray(-np.arcsin(np.clip(direction[:, 2], -1.0, 1.0)))


def _yaw(direction: Array) -> Array:
    return np.unwrap(np.arctan2(direction[:, 1], direction[:, 0]))
