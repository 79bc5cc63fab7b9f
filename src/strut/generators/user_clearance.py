"""Audience: the person a robot performs for, who must stand clear of its body."""

from __future__ import annotations

import numpy as np

from strut.engines.solids import Solid, solid_poses, solids
from strut.errors import OutOfRangeError
from strut.robot import Array, Robot

CLEARANCE_M = 0.05


def checked_user(robot: Robot, user_m: Array, qpos: Array) -> Array:
    """Return the position of the user's eyes if it is outside the robot as it stands. Shapes (3,), (nq,)."""
    user = np.asarray(user_m, dtype=float)
    if user.shape != (3,) or not np.isfinite(user).all():
        raise OutOfRangeError("The user's position needs three finite numbers: x, y, z in metres.")
    centre, rotation = solid_poses(robot, qpos[None])
    for solid, middle_m, turn in zip(solids(robot), centre[0], rotation[0], strict=True):
        if distance_from(solid, turn.T @ (user - middle_m)) < CLEARANCE_M:
            place = ", ".join(f"{value:g}" for value in user)
            raise OutOfRangeError(
                f"The user at ({place}) m is inside {robot.name} or touches it; place the user farther away."
            )
    return user


def distance_from(solid: Solid, point_m: Array) -> float:
    """Return how far a point, in the solid's own frame, is outside of it; negative or 0 inside. Shape (3,) in.

    Cylinders, ellipsoids and meshes count as the boxes around them.
    """
    if solid.kind not in ("capsule", "sphere"):
        low_m, high_m = solid.bounds_m
        return float(np.linalg.norm(np.maximum(np.maximum(low_m - point_m, point_m - high_m), 0.0)))
    half_length = solid.size_m[1] if solid.kind == "capsule" else 0.0
    along = np.clip(point_m[2], -half_length, half_length)
    return float(np.linalg.norm(point_m - np.array([0.0, 0.0, along])) - solid.size_m[0])
