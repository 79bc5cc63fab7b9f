"""MuJoCo's geoms as the body that people see: their shapes, and where they are.

Conventions: metres, world axes, rotations from a geom's frame to world. A group above 2 is hidden, as in MuJoCo's own
viewer; where a description has a visible shape beside the one for collisions (URDF), the visible one is taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import mujoco
import numpy as np
import numpy.typing as npt

from strut.engines.rigid_body import poses
from strut.robot import Array, Robot

Kind = Literal["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]
GEOM_TYPES = {kind: getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}") for kind in get_args(Kind)}
LAST_SEEN_GROUP = 2
LEAST_OPACITY = 0.05  # parts fainter than this exist for collisions, not for the eye


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: vertices in the part's own frame [m] (n, 3), and the three vertices of each face (m, 3)."""

    vertices: Array
    faces: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A part of a robot's body as people see it.

    Args:
        kind: Its shape, as MuJoCo names them.
        size_m: `box` and `ellipsoid`: half sizes; `capsule` and `cylinder`: radius, half length along z; `sphere`:
            radius. Padded with zeros; all zeros for a mesh. Shape (3,).
        color: Red, green, blue and opacity, each from 0 to 1.
        mesh: Its triangles, if that is its kind.
    """

    kind: Kind
    size_m: Array
    color: tuple[float, float, float, float]
    mesh: Mesh | None = None

    @property
    def bounds_m(self) -> Array:
        """Lowest and highest corner of the box around it, in its own frame. Shape (2, 3)."""
        if self.mesh is not None:
            return np.stack([self.mesh.vertices.min(axis=0), self.mesh.vertices.max(axis=0)])
        first, second, third = self.size_m
        half_m = {
            "sphere": (first, first, first),
            "capsule": (first, first, first + second),
            "cylinder": (first, first, second),
        }.get(self.kind, (first, second, third))
        return np.array([np.negative(half_m), half_m])

    def distance_m(self, point_m: Array) -> float:
        """Return how far a point, in the solid's own frame, is outside of it; negative or 0 inside. Shape (3,) in.

        Cylinders, ellipsoids and meshes count as the boxes around them.
        """
        if self.kind not in ("capsule", "sphere"):
            low_m, high_m = self.bounds_m
            return float(np.linalg.norm(np.maximum(np.maximum(low_m - point_m, point_m - high_m), 0.0)))
        half_length = self.size_m[1] if self.kind == "capsule" else 0.0
        along = np.clip(point_m[2], -half_length, half_length)
        return float(np.linalg.norm(point_m - np.array([0.0, 0.0, along])) - self.size_m[0])


def solids(robot: Robot) -> tuple[Solid, ...]:
    """Return the parts of the robot's body, ground left out, in the order of `solid_poses`."""
    return _solids(robot.model)


@lru_cache(maxsize=16)
def _solids(model: mujoco.MjModel) -> tuple[Solid, ...]:
    kinds: dict[int, Kind] = {int(number): kind for kind, number in GEOM_TYPES.items()}
    parts = []
    for geom in seen_geoms(model):
        kind, color = kinds[int(model.geom_type[geom])], tuple(model.geom_rgba[geom].tolist())
        if kind == "mesh":
            parts.append(Solid(kind, np.zeros(3), color, _mesh(model, int(model.geom_dataid[geom]))))
        else:
            parts.append(Solid(kind, model.geom_size[geom].copy(), color))
    return tuple(parts)


def solid_poses(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    """Return where the robot's parts are. Shape (T, nq) in; centres (T, n, 3) and rotations (T, n, 3, 3) out."""
    return poses(robot.model, "geom", seen_geoms(robot.model), qpos)


def seen_geoms(model: mujoco.MjModel) -> list[int]:
    """Return the geoms that are there to be looked at; of a body that is bolted down, its base too."""
    drawable = np.isin(model.geom_type, list(GEOM_TYPES.values()))  # no plane, which is the ground
    shown = drawable & (model.geom_group <= LAST_SEEN_GROUP)
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    dressed = model.geom_bodyid[shown & ~collides & (model.geom_group > 0)]
    covered = collides & (model.geom_group == 0) & np.isin(model.geom_bodyid, dressed)
    seen = shown & ~covered
    return np.flatnonzero(seen if seen.any() else drawable).tolist()


def _mesh(model: mujoco.MjModel, mesh: int) -> Mesh:
    """Return the triangles of a mesh of the model."""
    vertex, face = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
    vertices = model.mesh_vert[vertex : vertex + model.mesh_vertnum[mesh]]
    faces = model.mesh_face[face : face + model.mesh_facenum[mesh]]
    return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
