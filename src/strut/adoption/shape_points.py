"""Shape points: where the surface of a geom can be lowest: corners, or centres of balls with their radius."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from strut.arrays import Array

_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_RIM = np.stack(
    [np.cos(np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)), np.sin(np.linspace(0, 2 * np.pi, 24, endpoint=False))],
    axis=1,
)


@dataclass(frozen=True, slots=True)
class ShapePoints:
    """Points of a model's geoms, each in the frame of its body.

    Args:
        place: In the body's frame [m]. Shape (n, 3).
        radius: Of a ball about each point [m]; 0 for corners. Shape (n,).
        body: Which body each belongs to. Shape (n,).
        geom: Which geom each belongs to. Shape (n,).
    """

    place: Array
    radius: Array
    body: np.ndarray
    geom: np.ndarray

    def in_world(self, data: mujoco.MjData) -> Array:
        """Return where the points are. Shape (n, 3)."""
        turns = data.xmat[self.body].reshape(-1, 3, 3)
        placed: Array = data.xpos[self.body] + np.einsum("nij,nj->ni", turns, self.place)
        return placed

    def heights(self, data: mujoco.MjData) -> Array:
        """Return the lowest height of the surface at each point. Shape (n,)."""
        lowest: Array = self.in_world(data)[:, 2] - self.radius
        return lowest

    def of(self, bodies: set[int]) -> ShapePoints:
        """Return the points of some bodies."""
        return self._chosen(np.isin(self.body, list(bodies)))

    def of_geoms(self, geoms: set[int]) -> ShapePoints:
        """Return the points of some geoms."""
        return self._chosen(np.isin(self.geom, list(geoms)))

    def _chosen(self, chosen: np.ndarray) -> ShapePoints:
        return ShapePoints(self.place[chosen], self.radius[chosen], self.body[chosen], self.geom[chosen])

    def joined(self, other: ShapePoints) -> ShapePoints:
        """Return these points and others."""
        parts = ("place", "radius", "body", "geom")
        return ShapePoints(*(np.concatenate([getattr(self, part), getattr(other, part)]) for part in parts))


def shape_points(model: mujoco.MjModel, *, touching: bool) -> ShapePoints:
    """Return the points of all geoms that touch, or of all that are only seen."""
    rows = []
    for geom in range(model.ngeom):
        if bool(model.geom_contype[geom]) is touching and model.geom_bodyid[geom]:
            places, radius = _local(model, geom)
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
            in_body = model.geom_pos[geom] + places @ turn.reshape(3, 3).T
            rows.append((in_body, np.full(len(in_body), radius), geom))
    if not rows:
        return ShapePoints(np.zeros((0, 3)), np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    geoms = np.concatenate([np.full(len(places), geom) for places, _, geom in rows])
    place, radii = (np.concatenate([row[part] for row in rows]) for part in (0, 1))
    return ShapePoints(place, radii, model.geom_bodyid[geoms], geoms)


def _local(model: mujoco.MjModel, geom: int) -> tuple[Array, float]:
    """Return points of a geom in its own frame, and the radius about them."""
    size = model.geom_size[geom]
    kind = int(model.geom_type[geom])
    if kind == int(mujoco.mjtGeom.mjGEOM_SPHERE):
        return np.zeros((1, 3)), float(size[0])
    if kind == int(mujoco.mjtGeom.mjGEOM_CAPSULE):
        return np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), float(size[0])
    if kind == int(mujoco.mjtGeom.mjGEOM_BOX):
        return _CORNERS * size, 0.0
    if kind == int(mujoco.mjtGeom.mjGEOM_CYLINDER):
        rings = [np.column_stack([_RIM * size[0], np.full(len(_RIM), z)]) for z in (-size[1], size[1])]
        return np.concatenate(rings), 0.0
    if kind == int(mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        rings = [
            np.column_stack([_RIM * np.cos(tilt), np.full(len(_RIM), np.sin(tilt))])
            for tilt in np.linspace(-1.5, 1.5, 13)
        ]
        return np.concatenate(rings) * size, 0.0
    mesh = int(model.geom_dataid[geom])
    vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]].astype(np.float64)
    return vertices, 0.0
