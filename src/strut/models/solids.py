"""MuJoCo's geoms as the body that people see: their shapes, and where they are.

Conventions: metres, world axes, rotations from a geom's frame to world. A group above 2 is hidden, as in MuJoCo's own
viewer; where a description has a visible shape beside the one for collisions, on the same link or on one that is welded
to it, the visible one is taken. A link that would not be seen at all is drawn as what it collides with.
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

    kind: SolidKind
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
    return tuple(_solid(model, geom) for geom in _seen_geoms(model))


def _solid(model: mujoco.MjModel, geom: int) -> Solid:
    """Return a geom as a part of the body."""
    kind = _KINDS[int(model.geom_type[geom])]
    color = tuple(model.geom_rgba[geom].tolist())
    if kind == "mesh":
        return Solid(kind, np.zeros(3), color, _mesh(model, int(model.geom_dataid[geom])))
    return Solid(kind, model.geom_size[geom].copy(), color)


def solid_poses(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    """Return where the robot's parts are. Shape (T, nq) in; centres (T, n, 3) and rotations (T, n, 3, 3) out."""
    return poses(robot.model, "geom", seen_geoms(robot.model), qpos)


def seen_geoms(model: mujoco.MjModel) -> list[int]:
    """Return the geoms that are there to be looked at; of a body that is bolted down, its base too."""
    return list(_seen_geoms(model))


@lru_cache(maxsize=16)
def _seen_geoms(model: mujoco.MjModel) -> tuple[int, ...]:
    drawable = np.isin(model.geom_type, list(GEOM_TYPES.values()))  # no plane, which is the ground
    shown = drawable & (model.geom_group <= LAST_SEEN_GROUP)
    collides = (model.geom_contype | model.geom_conaffinity) != 0
    looks = shown & ~collides & (model.geom_group > 0) & (model.geom_rgba[:, 3] >= LEAST_OPACITY)
    seen = shown & ~(collides & (model.geom_group == 0) & _dressed(model, looks))
    link = model.body_weldid[model.geom_bodyid]
    bare = drawable & ~shown & ~np.isin(link, link[seen])
    return tuple(np.flatnonzero(seen | bare).tolist())


def _dressed(model: mujoco.MjModel, looks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which geoms have looks: on their own body, or where they are on one that is welded to it. Shape (n,)."""
    dressed = np.isin(model.geom_bodyid, model.geom_bodyid[looks])
    data = mujoco.MjData(model)
    link = model.body_weldid[model.geom_bodyid]
    mujoco.mj_kinematics(model, data)
    for geom in np.flatnonzero(~dressed & np.isin(link, link[looks])):
        near = (
            _away_m(model, data, int(other), data.geom_xpos[geom])
            for other in np.flatnonzero(looks & (link == link[geom]))
        )
        dressed[geom] = min(near) < model.geom_rbound[geom]
    return dressed


def _away_m(model: mujoco.MjModel, data: mujoco.MjData, geom: int, point_in_world: Array) -> float:
    """Return how far a point is outside of a geom; of a mesh, from its nearest vertex. Shape (3,) in."""
    point_m = (point_in_world - data.geom_xpos[geom]) @ data.geom_xmat[geom].reshape(3, 3)
    solid = _solid(model, geom)
    if solid.mesh is None:
        return solid.distance_m(point_m)
    return float(np.linalg.norm(solid.mesh.vertices - point_m, axis=1).min())


def _mesh(model: mujoco.MjModel, mesh: int) -> Mesh:
    """Return the triangles of a mesh of the model."""
    vertex = int(model.mesh_vertadr[mesh])
    face = int(model.mesh_faceadr[mesh])
    vertices = model.mesh_vert[vertex : vertex + model.mesh_vertnum[mesh]]
    faces = model.mesh_face[face : face + model.mesh_facenum[mesh]]
    return Mesh(np.array(vertices, dtype=float), np.array(faces, dtype=np.int64))
