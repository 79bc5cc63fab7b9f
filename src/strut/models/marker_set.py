"""Marker set: positions of the markers of a robot's `markers.toml`."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import point_positions
from strut.errors import BadTableError
from strut.robot import Robot
from strut.schemas.fields import Vector


def marker_points(robot: Robot, qpos: Array) -> Array:
    """Return the markers of a robot in world, in the order of its table. Shape (T, nq) in, (T, n, 3) out."""
    model = robot.model
    bodies = {model.body(index).name for index in range(1, model.nbody)}
    placements: list[tuple[str, Vector]] = []  # segment of each marker, and position in its frame [m]
    for segment, markers in robot.markers.segment.items():
        if segment not in bodies:
            raise BadTableError(f"{robot.name}: the body has no segment {segment}, which markers.toml names.")
        for name, place in markers.items():
            if np.shape(place) != (3,) or not np.isfinite(place).all():
                raise BadTableError(f"{robot.name}: the marker {name} needs three finite coordinates.")
            placements.append((segment, place))
    return point_positions(model, placements, qpos)
