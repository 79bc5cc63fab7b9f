"""Convex polygon on the ground: how far a point is inside, the polygon shrunk, the nearest point of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from strut.robot import Array


@dataclass(frozen=True, slots=True, eq=False)
class Polygon:
    """A convex polygon with its corners in counter-clockwise order. Shape (n, 2)."""

    corners: Array

    @property
    def centre(self) -> Array:
        """The mean of the corners. Shape (2,)."""
        return np.asarray(self.corners.mean(axis=0))

    @property
    def edges(self) -> tuple[Array, Array]:
        """Inward unit normals (n, 2) of the edges from each corner on, and their distances from the origin (n,)."""
        along = np.roll(self.corners, -1, axis=0) - self.corners
        normal = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.linalg.norm(along, axis=1, keepdims=True)
        return normal, np.sum(normal * self.corners, axis=1)

    def margin(self, points: Array) -> Array:
        """Return the distance inside the polygon, negative outside (from the worst edge). (..., 2) in, (...) out."""
        normal, distance = self.edges
        return np.asarray((points @ normal.T - distance).min(axis=-1))

    def shrunk(self, share: float) -> Polygon:
        """Return the polygon scaled by 1 - share about its centre: the published buffer."""
        return Polygon(self.centre + (1.0 - share) * (self.corners - self.centre))

    def inset(self, distance_m: float) -> Polygon | None:
        """Return the polygon with every edge moved inwards, or None where an edge vanishes."""
        normal, distance = self.edges
        before, moved = np.roll(normal, 1, axis=0), distance + distance_m
        lines, offsets = np.stack([before, normal], axis=1), np.stack([np.roll(moved, 1), moved], axis=1)
        inset = Polygon(np.asarray(np.linalg.solve(lines, offsets[..., None])[..., 0], dtype=np.float64))
        turned = np.roll(inset.corners, -1, axis=0) - inset.corners
        kept = np.sum(turned * np.stack([normal[:, 1], -normal[:, 0]], axis=1), axis=1) > 0.0
        return inset if kept.all() else None

    def nearest(self, points: Array) -> Array:
        """Return the nearest points of the polygon, each point itself where it is inside. (N, 2) in and out."""
        along = np.roll(self.corners, -1, axis=0) - self.corners
        share = np.einsum("nki,ki->nk", points[:, None] - self.corners, along) / np.sum(along**2, axis=1)
        on_edge = self.corners + np.clip(share, 0.0, 1.0)[..., None] * along
        best = np.argmin(np.sum((on_edge - points[:, None]) ** 2, axis=-1), axis=1)
        return np.where((self.margin(points) < 0.0)[:, None], on_edge[np.arange(len(points)), best], points)

    def nearest_across(self, points: Array) -> Array:
        """Return the nearest points that keep their x where the polygon has that x. (N, 2) in and out."""
        normal, distance = self.edges
        x = np.clip(points[:, 0], self.corners[:, 0].min(), self.corners[:, 0].max())
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = (distance - x[:, None] * normal[:, 0]) / normal[:, 1]  # y on each edge's line
        lowest = np.where(normal[:, 1] > 1e-12, bound, -np.inf).max(axis=1)
        highest = np.where(normal[:, 1] < -1e-12, bound, np.inf).min(axis=1)
        return np.stack([x, np.clip(points[:, 1], lowest, np.maximum(lowest, highest))], axis=1)


def convex_hull(points: Array) -> Polygon:
    """Return the convex hull of points that do not all lie on a line. Shape (n, 2)."""
    return Polygon(points[ConvexHull(points).vertices])
