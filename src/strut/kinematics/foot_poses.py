"""Shoes: where a robot's two flat feet are, read back from its coordinates."""

from __future__ import annotations

import math

from strut.engines.rigid_body import foot_contact_points
from strut.place import Place, between
from strut.robot import Array, Robot


def shoe_places(robot: Robot, qpos: Array) -> tuple[Place, Place]:
    """Return where the middles of the right and the left sole are over the ground. Shape (nq,)."""
    corners = foot_contact_points(robot, qpos[None])[0].reshape(2, -1, 3)
    right, left = (_place(shoe) for shoe in corners)
    return right, left


def standing_place(robot: Robot, qpos: Array) -> Place:
    """Return where the robot stands: between its shoes. Shape (nq,)."""
    return between(*shoe_places(robot, qpos))


def _place(corners: Array) -> Place:
    """Return the place of a sole whose first side runs from toe to heel. Shape (k, 3)."""
    along, middle = corners[0] - corners[1], corners.mean(axis=0)
    return Place(float(middle[0]), float(middle[1]), math.atan2(along[1], along[0]))
