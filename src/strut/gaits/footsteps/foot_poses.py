"""Foot poses: places of a robot's two soles on the ground, from its configuration."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.place import Place, between
from strut.robot import Robot


def sole_places(robot: Robot, qpos: Array) -> tuple[Place, Place]:
    """Return the planar poses of the right and the left sole. Shape (nq,)."""
    corners = foot_contact_points(robot, qpos[None])[0].reshape(2, -1, 3)
    middle = corners.mean(axis=1)
    along = corners[:, 0] - corners[:, 1]  # the first side runs from toe to heel
    rows = np.column_stack([middle[:, :2], np.arctan2(along[:, 1], along[:, 0])]).tolist()
    return Place(*rows[0]), Place(*rows[1])


def standing_place(robot: Robot, qpos: Array) -> Place:
    """Return the planar pose between the feet. Shape (nq,)."""
    return between(*sole_places(robot, qpos))
