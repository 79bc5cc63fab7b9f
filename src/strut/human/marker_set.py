"""Marker set: where the markers of a subject's `markers.toml` are in a posture."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import point_positions
from strut.errors import BadTableError
from strut.ocp.kinematic_tree import read_tree
from strut.robot import Robot
from strut.schemas.fields import Vector


def marker_points(robot: Robot, qpos: Array) -> Array:
    """Return where a robot's markers are in world, in the order of its table. Shape (T, nq) in, (T, n, 3) out."""
    return point_positions(robot.model, _places(robot), qpos)


def _places(robot: Robot) -> list[tuple[str, Vector]]:
    """Return the segment of each marker and its place in that segment's frame [m]."""
    known = read_tree(robot.model).bodies
    places = []
    for segment, own in robot.markers.segment.items():
        if segment not in known:
            raise BadTableError(f"{robot.name}: markers.toml names a segment {segment} that the body does not have.")
        for name, place in own.items():
            if np.shape(place) != (3,) or not np.isfinite(place).all():
                raise BadTableError(f"{robot.name}: the marker {name} needs three finite coordinates.")
            places.append((segment, place))
    return places
