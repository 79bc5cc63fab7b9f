"""Eyes: a pair of balls with lids on a robot's face, with the expressions in the motion's `meta["eyes"]`.

`meta["eyes"]` is a list of pairs: a time in seconds and the expression from then on. Lids and gaze take MOVE_S.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import trimesh
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError, BadTableError
from strut.models.solids import Mesh, Solid
from strut.robot import Robot
from strut.schemas.eyes import EYES, LOOKS, EyesTable, eyes_of_emotion

MOVE_S = 0.14  # from one expression to the next
_IRIS = 0.68  # radius over that of the ball
_PUPIL = 0.44  # the same
_GLINT = 0.15  # the same
_LIDS = (1.10, 1.07)  # upper and lower, the same: larger than the irises, and different so that lids can overlap
_AROUND = 24  # corners of a circle


def eye_solids(eyes: EyesTable) -> tuple[Solid, ...]:
    """Return the parts of both eyes, the left one first: ball, iris, pupil, glint, upper and lower lid."""
    return _solids(eyes) * 2


@lru_cache(maxsize=16)
def _solids(eyes: EyesTable) -> tuple[Solid, ...]:
    radius_m = eyes.radius_m
    flat = np.array([0.5, 1.0, 1.0])
    return (
        Solid("sphere", np.array([radius_m, 0.0, 0.0]), eyes.white),
        Solid("ellipsoid", _IRIS * radius_m * flat, eyes.iris),
        Solid("ellipsoid", _PUPIL * radius_m * flat, eyes.pupil),
        Solid("sphere", np.array([_GLINT * radius_m, 0.0, 0.0]), (1.0, 1.0, 1.0, 1.0)),
        *(Solid("mesh", np.zeros(3), eyes.lid, _half_shell(share * radius_m)) for share in _LIDS),
    )


def _half_shell(radius_m: float) -> Mesh:
    """Return the upper half of a hollow ball, visible from outside and from inside."""
    ball = trimesh.creation.uv_sphere(radius=radius_m, count=(_AROUND + 1, _AROUND))
    upper = ball.faces[(ball.vertices[ball.faces, 2] > -1e-9).all(axis=1)]
    vertices = np.concatenate([ball.vertices, 0.985 * ball.vertices])
    faces = np.concatenate([upper, upper[:, ::-1] + len(ball.vertices)])
    used, renumbered = np.unique(faces, return_inverse=True)
    return Mesh(np.array(vertices[used]), renumbered.reshape(-1, 3))


def eye_poses(robot: Robot, eyes: EyesTable, qpos: Array, looks: Array) -> tuple[Array, Array]:
    """Return the poses of the parts of `eye_solids`. (F, nq), (F, 5) in; (F, 12, 3), (F, 12, 3, 3) out."""
    known = [robot.model.body(index).name for index in range(robot.model.nbody)]
    if eyes.link not in known:
        raise BadTableError(f"{robot.name}: eyes.toml names the link '{eyes.link}', which its model does not have.")
    place, turn = body_poses(robot.model, [eyes.link], qpos)
    face = turn[:, 0] @ face_axes(eyes)
    centres = []
    rotations = []
    for centre_m, side in ((eyes.left_m, 1.0), (eyes.right_m, -1.0)):
        middle = place[:, 0] + turn[:, 0] @ np.array(centre_m)
        offsets, turns = eye_part_poses(looks, side, eyes.radius_m)
        centres.append(middle[:, None] + np.einsum("fij,fpj->fpi", face, offsets))
        rotations.append(face[:, None] @ turns)
    return np.concatenate(centres, axis=1), np.concatenate(rotations, axis=1)


def face_axes(eyes: EyesTable) -> Array:
    """Return the axes of a face: forward, left, up. Shape (3, 3)."""
    forward = np.array(eyes.forward) / np.linalg.norm(eyes.forward)
    left = np.cross(eyes.up, forward)
    if not np.linalg.norm(left) > 1e-6:
        raise BadTableError("eyes.toml: forward and up must be different directions.")
    left /= np.linalg.norm(left)
    return np.column_stack([forward, left, np.cross(forward, left)])


def eye_part_poses(looks: Array, side: float, radius_m: float) -> tuple[Array, Array]:
    """Return the poses of the parts of one eye in the face. Shape (F, 5) in; (F, 6, 3) and (F, 6, 3, 3) out."""
    upper, lower, tilt, left, up = looks.T
    gaze = Rotation.from_euler("ZY", np.column_stack([left, -up]), degrees=True)
    angles = (np.column_stack([side * tilt, about_left]) for about_left in (-upper, 180.0 - lower))
    lids = [
        Rotation.from_euler("XY", angle, degrees=True) for angle in angles
    ]  # the nose is to the right of the left eye
    glint = Rotation.from_euler("ZY", np.column_stack([left + 14.0, -up - 16.0]), degrees=True)
    ahead = np.array([1.0, 0.0, 0.0])
    still = np.zeros((len(looks), 3))
    offsets = [still, gaze.apply(0.70 * ahead), gaze.apply(0.86 * ahead), glint.apply(0.93 * ahead), still, still]
    level = np.tile(np.eye(3), (len(looks), 1, 1))
    turns = [level, gaze.as_matrix(), gaze.as_matrix(), level, *(lid.as_matrix() for lid in lids)]
    return radius_m * np.stack(offsets, axis=1), np.stack(turns, axis=1)


def looks_at(meta: Mapping[str, Any], time_s: Array) -> Array:
    """Return the lids and the gaze, in the order of EyeLook, at instants since the start. Shape (F,) in, (F, 5) out."""
    known = {str(name): np.array(look) for name, look in LOOKS.items()}
    changes = [(start_s, known[name]) for start_s, name in expression_times(meta)]
    looks = np.tile(np.array(LOOKS["neutral"]), (len(time_s), 1))
    for number, (start_s, look) in enumerate(changes):
        share = np.clip((time_s - start_s) / MOVE_S, 0.0, 1.0) if number else (time_s >= start_s).astype(float)
        eased = (share * share * (3.0 - 2.0 * share))[:, None]
        looks = looks + eased * (look - looks)
    return np.asarray(looks)


def expression_times(meta: Mapping[str, Any]) -> list[tuple[float, str]]:
    """Return the times at which expressions begin, in order; raises BadMotionError if `meta["eyes"]` is no such list.

    A motion without it has the eyes of its emotion.
    """
    usual = [(0.0, eyes_of_emotion(str(meta.get("emotion"))))]
    try:
        changes = [(float(time_s), str(name)) for time_s, name in meta.get("eyes", usual)]
    except (TypeError, ValueError) as error:
        raise BadMotionError('meta["eyes"] of a motion must be a list of [second, expression].') from error
    for _, name in changes:
        if name not in EYES:
            known = ", ".join(EYES)
            raise BadMotionError(f'meta["eyes"] of a motion names the expression {name!r}; there are {known}.')
    return sorted(changes)
