"""Contact slip: slip and height of contact points along a trajectory."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from strut.engines.rigid_body import body_poses
from strut.robot import Array, ContactPoint, Robot


def contact_slip(robot: Robot, point: ContactPoint, qpos: Array) -> tuple[Array, Array]:
    """Return how far what touches the ground has slid (T, 3), rolling not counted, and its height (T,)."""
    place, turn = (part[:, 0] for part in body_poses(robot.model, [point.body], qpos))
    centre = place + turn @ np.array(point.position_m)
    height = centre[:, 2] - point.radius_m
    if len(qpos) < 2:
        return np.zeros_like(centre), height
    steps = Rotation.from_matrix(turn[1:] @ np.swapaxes(turn[:-1], 1, 2)).as_rotvec()
    rolled = point.radius_m * np.cross(steps, [0.0, 0.0, 1.0])
    slid = np.diff(centre, axis=0) - rolled
    return np.vstack([np.zeros(3), np.cumsum(slid, axis=0)]), height
