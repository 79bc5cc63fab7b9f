"""Contact slip: slip and height of contact points along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.maths.rotation import rolled_by
from strut.robot import ContactPoint, Robot


def contact_slip(robot: Robot, points: Sequence[ContactPoint], qpos: Array) -> tuple[Array, Array]:
    """Return how far contact points have slid (T, n, 3), rolling not counted, and their heights (T, n)."""
    place, turn = body_poses(robot.model, [point.body for point in points], qpos)
    centre = place + np.einsum("tnij,nj->tni", turn, np.array([point.position_m for point in points]))
    radius_m = np.array([point.radius_m for point in points])
    return centre - centre[0] - rolled_by(turn, radius_m), centre[:, :, 2] - radius_m


def rolled_m(robot: Robot, points: Sequence[ContactPoint], qpos: Array) -> Array:
    """Return how far balls would have come if they rolled without slipping. Shape (T, nq) in, (T, n, 3) out."""
    _, turn = body_poses(robot.model, [point.body for point in points], qpos)
    return rolled_by(turn, np.array([point.radius_m for point in points]))
