"""Collision rules: which pairs of a robot's bodies may overlap, and why; every other pair keeps a distance."""

from __future__ import annotations

from typing import Any

from strut.engines.resting_overlap import RestingOverlap
from strut.engines.self_distance import collision_pairs
from strut.robot import Robot

_MM = 1e3


def collision_rules(robot: Robot) -> dict[str, Any]:
    """Return what limits the distances of a robot's bodies, as JSON.

    `one_joint_apart` and `joined` are not limited. `overlapping` are limited to a depth, for each pair of shapes that
    overlaps in the standing posture. All other pairs of shapes keep `min_distance_mm`.
    """
    pairs = collision_pairs(robot)
    table = robot.collision

    def depths(overlap: RestingOverlap) -> dict[str, Any]:
        return {"bodies": list(overlap.bodies), "standing_mm": round(-_MM * overlap.distance_m, 1)}

    return {
        "min_distance_mm": _MM * table.min_distance_m,
        "no_surface": list(table.no_surface),
        "one_joint_apart": [list(bodies) for bodies in pairs.neighbours],
        "joined": [depths(overlap) for overlap in pairs.joined],
        "overlapping": [
            {**depths(overlap), "max_mm": round(_MM * (table.max_deepening_m - overlap.distance_m), 1)}
            for overlap in pairs.overlapping
        ],
    }
