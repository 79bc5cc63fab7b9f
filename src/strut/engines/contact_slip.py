"""Contact slip: sliding and height of contact points along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.maths.rotation import rolling_path
from strut.robot import ContactPoint, Robot


def contact_slip(robot: Robot, points: Sequence[ContactPoint], qpos: Array) -> tuple[Array, Array]:
    """Return the sliding of contact points since the first sample (T, n, 3), and their heights (T, n)."""
    position, rotation = body_poses(robot.model, [point.body for point in points], qpos)
    centre = position + np.einsum("tnij,nj->tni", rotation, np.array([point.position_m for point in points]))
    radius_m = np.array([point.radius_m for point in points])
    return centre - centre[0] - rolling_path(rotation, radius_m), centre[:, :, 2] - radius_m


def rolling_displacement(robot: Robot, points: Sequence[ContactPoint], qpos: Array) -> Array:
    """Return the displacement of balls if they rolled without slipping. Shape (T, nq) in, (T, n, 3) out."""
    _, rotation = body_poses(robot.model, [point.body for point in points], qpos)
    return rolling_path(rotation, np.array([point.radius_m for point in points]))
