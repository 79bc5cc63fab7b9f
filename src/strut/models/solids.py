"""Solids: the visible parts of a body, from MuJoCo's geoms.

Conventions: metres, world axes, rotations from the frame of a geom to world. Groups above 2 are hidden, as in MuJoCo's
viewer. Where a link or one welded to it has visual shapes, its collision shapes are hidden. A link without any visible
shape is drawn with its collision shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import mujoco
import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.rigid_body import poses
from strut.robot import Robot

SolidKind = Literal["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"]
GEOM_TYPES = {kind: getattr(mujoco.mjtGeom, f"mjGEOM_{kind.upper()}") for kind in get_args(SolidKind)}
_KINDS: dict[int, SolidKind] = {int(number): kind for kind, number in GEOM_TYPES.items()}
LAST_VISIBLE_GROUP = 2  # of MuJoCo's viewer
MIN_OPACITY = 0.05  # fainter geoms serve collisions only


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: vertices in the frame of the solid [m] (n, 3), and the three vertices of each face (m, 3)."""

    vertices: Array
    faces: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A visible part of a body.

    Args:
        kind: Shape, by the name that MuJoCo uses.
        size_m: `box` and `ellipsoid`: half sizes; `capsule` and `cylinder`: radius, half length along z; `sphere`:
            radius. Padded with zeros; all zeros for a mesh. Shape (3,).
        color: Red, green, blue and opacity, each from 0 to 1.
        mesh: Triangles of a mesh.
    """

    kind: SolidKind
    size_m: Array
    color: tuple[float, float, float, float]
    mesh: Mesh | None = None

    @property
    def bounds_m(self) -> Array:
        """Lowest and highest corner of the bounding box, in the frame of the solid. Shape (2, 3)."""
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
        """Return the distance of a point (3,) in the frame of the solid from its surface; negative or 0 inside.

        Cylinders, ellipsoids and meshes count as their bounding boxes.
        """
        if self.kind not in ("capsule", "sphere"):
            low_m, high_m = self.bounds_m
            return float(np.linalg.norm(np.maximum(np.maximum(low_m - point_m, point_m - high_m), 0.0)))
        half_length = self.size_m[1] if self.kind == "capsule" else 0.0
        along = np.clip(point_m[2], -half_length, half_length)
        return float(np.linalg.norm(point_m - np.array([0.0, 0.0, along])) - self.size_m[0])


def solids(robot: Robot) -> tuple[Solid, ...]:
    """Return the visible parts of a robot, without the ground, in the order of `solid_poses`."""
    return _solids(robot.model)


@lru_cache(maxsize=16)
def _solids(model: mujoco.MjModel) -> tuple[Solid, ...]:
    return tuple(_solid(model, geom) for geom in _visible_geoms(model))


def _solid(model: mujoco.MjModel, geom: int) -> Solid:
    kind = _KINDS[int(model.geom_type[geom])]
    color = tuple(model.geom_rgba[geom].tolist())
    if kind == "mesh":
        return Solid(kind, np.zeros(3), color, _mesh(model, int(model.geom_dataid[geom])))
    return Solid(kind, model.geom_size[geom].copy(), color)


def solid_poses(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    """Return the poses of the solids. Shape (T, nq) in; centres (T, n, 3) and rotations (T, n, 3, 3) out."""
    return poses(robot.model, "geom", visible_geoms(robot.model), qpos)


def visible_geoms(model: mujoco.MjModel) -> list[int]:
    """Return the indices of the visible geoms."""
    return list(_visible_geoms(model))


@lru_cache(maxsize=16)
def _visible_geoms(model: mujoco.MjModel) -> tuple[int, ...]:
    drawable = np.isin(model.geom_type, list(GEOM_TYPES.values()))  # a plane is the ground
    shown = drawable & (model.geom_group <= LAST_VISIBLE_GROUP)
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    visual = shown & ~collides & (model.geom_group > 0) & (model.geom_rgba[:, 3] >= MIN_OPACITY)
    visible = shown & ~(collides & (model.geom_group == 0) & _has_visual(model, visual))
    link = model.body_weldid[model.geom_bodyid]
    substitutes = drawable & ~shown & ~np.isin(link, link[visible])
    return tuple(np.flatnonzero(visible | substitutes).tolist())


def _has_visual(model: mujoco.MjModel, visual: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which geoms have a visual geom on their body, or near them on a body welded to it. Shape (n,)."""
    has_visual = np.isin(model.geom_bodyid, model.geom_bodyid[visual])
    data = mujoco.MjData(model)
    link = model.body_weldid[model.geom_bodyid]
    mujoco.mj_kinematics(model, data)
    for geom in np.flatnonzero(~has_visual & np.isin(link, link[visual])):
        distances_m = (
            _distance_m(model, data, int(other), data.geom_xpos[geom])
            for other in np.flatnonzero(visual & (link == link[geom]))
        )
        has_visual[geom] = min(distances_m) < model.geom_rbound[geom]
    return has_visual


def _distance_m(model: mujoco.MjModel, data: mujoco.MjData, geom: int, point_in_world: Array) -> float:
    """Return the distance of a point (3,) in world from a geom; from the nearest vertex of a mesh."""
    point_m = (point_in_world - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
    solid = _solid(model, geom)
    if solid.mesh is None:
        return solid.distance_m(point_m)
    return float(np.linalg.norm(solid.mesh.vertices - point_m, axis=1).min())


def _mesh(model: mujoco.MjModel, mesh: int) -> Mesh:
    vertex = int(model.mesh_vertadr[mesh])
    face = int(model.mesh_faceadr[mesh])
    vertices = model.mesh_vert[vertex : vertex + model.mesh_vertnum[mesh]]
    faces = model.mesh_face[face : face + model.mesh_facenum[mesh]]
    return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
