"""Wheels: balance margin of a robot on a platform, and use of its drive's limits.

The limits are in the `platform` table of the robot's `robot.toml`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from strut.arrays import Array
from strut.balance.polygon import convex_hull
from strut.errors import BadTableError
from strut.robot import Robot

DRIVE_LIMITS = ("its speed", "its turning speed", "its driving force", "its turning moment")


def wheel_margin(robot: Robot, qpos: Array, cop_in_world: Array) -> Array:
    """Return the margin of the centre of pressure in the polygon of the wheels; infinite if bolted down.

    Args:
        robot: Robot whose `wheels_m` are the contacts of the wheels, x and y in the platform's frame.
        qpos: Coordinates; the first three are x, y and yaw of the platform. Shape (T, nq).
        cop_in_world: Shape (T, 2).

    Returns:
        Distance to the nearest edge, over which the robot would tip [m]. Shape (T,).
    """
    if not robot.base_size:
        return np.full(len(qpos), np.inf)
    polygon = convex_hull(np.array(_platform_entry(robot, "wheels_m"), dtype=float))
    if polygon is None:
        raise BadTableError(f"{robot.name}: the wheels of its platform stand on one line, so it would tip over.")
    cosine = np.cos(qpos[:, 2])
    sine = np.sin(qpos[:, 2])
    x, y = (cop_in_world - qpos[:, :2]).T
    return polygon.margin(np.stack([cosine * x + sine * y, cosine * y - sine * x], axis=-1))


def drive_use(robot: Robot, qvel: Array, drive_force: Array) -> Array:
    """Return the use of a platform's limits, in the order of `DRIVE_LIMITS`.

    Args:
        robot: Robot on a platform.
        qvel: Velocities; the first three are the platform's in x, y and yaw. Shape (T, nv).
        drive_force: In x and y [N], about the vertical [N m]; no columns without a platform. Shape (T, 3 or 0).

    Returns:
        Shares of the limits, 1 at a limit. Shape (T, 4), or (T, 0) without a platform.
    """
    if drive_force.shape[1] == 0:
        return drive_force
    use = {
        "speed_limit_m_s": np.hypot(qvel[:, 0], qvel[:, 1]),
        "turn_limit_rad_s": np.abs(qvel[:, 2]),
        "force_limit_n": np.hypot(drive_force[:, 0], drive_force[:, 1]),
        "moment_limit_nm": np.abs(drive_force[:, 2]),
    }
    return np.stack([value / _platform_entry(robot, limit) for limit, value in use.items()], axis=1)


def _platform_entry(robot: Robot, name: str) -> Any:
    if robot.platform is None or not getattr(robot.platform, name):
        raise BadTableError(f"{robot.name}: robot.toml has no `{name}` in its `platform` table: add it.")
    return getattr(robot.platform, name)
