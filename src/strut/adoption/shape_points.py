"""Shape points: the points of a geom that can be its lowest: corners, or centres of balls with a radius."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mujoco
import numpy as np

from strut.arrays import Array

_BOX_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))
_CIRCLE_RAD = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
_CIRCLE = np.stack([np.cos(_CIRCLE_RAD), np.sin(_CIRCLE_RAD)], axis=1)
_ELLIPSOID_LATITUDES_RAD = np.linspace(-1.5, 1.5, 13)


@dataclass(frozen=True, slots=True)
class ShapePoints:
    """Points of a model's geoms, each in the frame of its body.

    Args:
        position: In the frame of the body [m]. Shape (n, 3).
        radius: Of a ball around the point [m]; 0 for a corner. Shape (n,).
        body: Index of the body of each point. Shape (n,).
        geom: Index of the geom of each point. Shape (n,).
    """

    position: Array
    radius: Array
    body: np.ndarray
    geom: np.ndarray

    def in_world(self, data: mujoco.MjData) -> Array:
        """Return the positions of the points in world. Shape (n, 3)."""
        rotation = data.xmat[self.body].reshape(-1, 3, 3)
        position: Array = data.xpos[self.body] + np.einsum("nij,nj->ni", rotation, self.position)
        return position

    def heights(self, data: mujoco.MjData) -> Array:
        """Return the lowest height of the surface at each point [m]. Shape (n,)."""
        height: Array = self.in_world(data)[:, 2] - self.radius
        return height

    def of_bodies(self, bodies: set[int]) -> ShapePoints:
        """Return the points of some bodies."""
        return self._select(np.isin(self.body, list(bodies)))

    def of_geoms(self, geoms: set[int]) -> ShapePoints:
        """Return the points of some geoms."""
        return self._select(np.isin(self.geom, list(geoms)))

    def concatenate(self, other: ShapePoints) -> ShapePoints:
        """Return these points and then the other ones."""
        return ShapePoints(
            np.concatenate([self.position, other.position]),
            np.concatenate([self.radius, other.radius]),
            np.concatenate([self.body, other.body]),
            np.concatenate([self.geom, other.geom]),
        )

    def _select(self, mask: np.ndarray) -> ShapePoints:
        return ShapePoints(self.position[mask], self.radius[mask], self.body[mask], self.geom[mask])


def collect_shape_points(model: mujoco.MjModel, *, colliding: bool) -> ShapePoints:
    """Return the points of all geoms that can collide, or of all that are only visual. The world has none."""
    positions = []
    radii = []
    geoms = []
    for geom in range(model.ngeom):
        if bool(model.geom_contype[geom]) is colliding and model.geom_bodyid[geom]:
            in_geom, radius = _points_in_geom(model, geom)
            rotation = np.zeros(9)
            mujoco.mju_quat2Mat(rotation, model.geom_quat[geom])
            positions.append(model.geom_pos[geom] + in_geom @ rotation.reshape(3, 3).T)
            radii.append(np.full(len(in_geom), radius))
            geoms.append(np.full(len(in_geom), geom))
    if not positions:
        return ShapePoints(np.zeros((0, 3)), np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    geom_of_point = np.concatenate(geoms)
    return ShapePoints(
        np.concatenate(positions), np.concatenate(radii), model.geom_bodyid[geom_of_point], geom_of_point
    )


def _points_in_geom(model: mujoco.MjModel, geom: int) -> tuple[Array, float]:
    """Return the points of a geom in its own frame (n, 3), and the radius of the balls around them."""
    size = model.geom_size[geom]
    kind = int(model.geom_type[geom])
    if kind == int(mujoco.mjtGeom.mjGEOM_SPHERE):
        return np.zeros((1, 3)), float(size[0])
    if kind == int(mujoco.mjtGeom.mjGEOM_CAPSULE):
        return np.array([[0.0, 0.0, -size[1]], [0.0, 0.0, size[1]]]), float(size[0])
    if kind == int(mujoco.mjtGeom.mjGEOM_BOX):
        return _BOX_CORNERS * size, 0.0
    if kind == int(mujoco.mjtGeom.mjGEOM_CYLINDER):
        rims = [np.column_stack([_CIRCLE * size[0], np.full(len(_CIRCLE), z)]) for z in (-size[1], size[1])]
        return np.concatenate(rims), 0.0
    if kind == int(mujoco.mjtGeom.mjGEOM_ELLIPSOID):
        rings = [
            np.column_stack([_CIRCLE * np.cos(latitude), np.full(len(_CIRCLE), np.sin(latitude))])
            for latitude in _ELLIPSOID_LATITUDES_RAD
        ]
        return np.concatenate(rings) * size, 0.0
    mesh = int(model.geom_dataid[geom])
    vertices = model.mesh_vert[model.mesh_vertadr[mesh] :][: model.mesh_vertnum[mesh]].astype(np.float64)
    return vertices, 0.0
