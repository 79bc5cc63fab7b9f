"""Wheels: what keeps a robot on a platform from tipping over, and what its drive can give.

The numbers stand in the `platform` table of the robot's `robot.toml`.
"""

from __future__ import annotations

import numpy as np

from strut.balance.polygon import convex_hull
from strut.errors import BadTableError
from strut.robot import Array, Robot

DRIVE_LIMITS = ("its speed", "its turning speed", "its driving force", "its turning moment")


def wheel_margin(robot: Robot, qpos: Array, cop_in_world: Array) -> Array:
    """Return how far inside the polygon of the wheels the centre of pressure is; minus infinity without wheels.

    Args:
        robot: Whose `wheels_m` say where the wheels touch the floor, x and y in the platform's frame.
        qpos: Starts with x, y and yaw of the platform. Shape (T, nq).
        cop_in_world: Shape (T, 2).

    Returns:
        Distance to the line over which it would tip first [m]. Shape (T,).
    """
    wheels_m = robot.tables["robot"].get("platform", {}).get("wheels_m")
    if wheels_m is None:
        return np.full(len(qpos), -np.inf)
    polygon = convex_hull(np.array(wheels_m, dtype=float))
    if polygon is None:
        raise BadTableError(f"{robot.name}: the wheels of its platform stand on one line, so it would tip over.")
    cosine, sine = np.cos(qpos[:, 2]), np.sin(qpos[:, 2])
    x, y = (cop_in_world - qpos[:, :2]).T
    return polygon.margin(np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1))


def drive_use(robot: Robot, qvel: Array, drive_force: Array) -> Array:
    """Return which share of its limits a platform uses, as `DRIVE_LIMITS` names them.

    Args:
        robot: Whose platform.
        qvel: Starts with the platform's velocity in x, y and yaw. Shape (T, nv).
        drive_force: In x and y [N], about the vertical [N m]; no columns without a platform. Shape (T, 3 or 0).

    Returns:
        1 is a limit. Shape (T, 4), or (T, 0) without a platform.
    """
    if drive_force.shape[1] == 0:
        return drive_force
    limits = robot.table("robot")["platform"]
    return np.stack(
        [
            np.hypot(qvel[:, 0], qvel[:, 1]) / limits["speed_limit_m_s"],
            np.abs(qvel[:, 2]) / limits["turn_limit_rad_s"],
            np.hypot(drive_force[:, 0], drive_force[:, 1]) / limits["force_limit_n"],
            np.abs(drive_force[:, 2]) / limits["moment_limit_nm"],
        ],
        axis=1,
    )
