"""User clearance: the person a robot performs for, who must stand clear of its body."""

from __future__ import annotations

import numpy as np

from strut.engines.solids import solid_poses, solids
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
        if solid.distance_m(turn.T @ (user - middle_m)) < CLEARANCE_M:
            place = ", ".join(f"{value:g}" for value in user)
            raise OutOfRangeError(
                f"The user at ({place}) m is inside {robot.name} or touches it; place the user farther away."
            )
    return user
