"""Contact slip: slip and height of contact points along a trajectory."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from strut.engines.rigid_body import body_poses
from strut.robot import Array, ContactPoint, Robot


def contact_slip(robot: Robot, point: ContactPoint, qpos: Array) -> tuple[Array, Array]:
    """Return how far what touches the ground has slid (T, 3), rolling not counted, and its height (T,)."""
    centre, turn = _moved(robot, point, qpos)
    return centre - centre[0] - _rolled(turn, point.radius_m), centre[:, 2] - point.radius_m


def rolled_m(robot: Robot, point: ContactPoint, qpos: Array) -> Array:
    """Return how far the centre of a ball would have come if it rolled without slipping. Shape (T, nq) in, (T, 3)."""
    return _rolled(_moved(robot, point, qpos)[1], point.radius_m)


def _moved(robot: Robot, point: ContactPoint, qpos: Array) -> tuple[Array, Array]:
    """Return where a point is in world (T, 3) and how its body is turned (T, 3, 3)."""
    place, turn = (part[:, 0] for part in body_poses(robot.model, [point.body], qpos))
    return place + turn @ np.array(point.position_m), turn


def _rolled(turn: Array, radius_m: float) -> Array:
    steps = Rotation.from_matrix(turn[1:] @ np.swapaxes(turn[:-1], 1, 2)).as_rotvec().reshape(-1, 3)
    return np.vstack([np.zeros(3), np.cumsum(radius_m * np.cross(steps, [0.0, 0.0, 1.0]), axis=0)])
