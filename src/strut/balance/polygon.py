"""Convex polygons on the ground: margins, shrinking, insets and nearest points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from strut.arrays import Array

MIN_WIDTH_M = 1e-6  # points nearer to one line than this span no polygon


@dataclass(frozen=True, slots=True, eq=False)
class Polygon:
    """A convex polygon, or a stack of them, with corners in counter-clockwise order. Shape (..., n, 2).

    Points may have any leading shape that broadcasts with that of the stack.
    """

    corners: Array

    @property
    def centre(self) -> Array:
        """The mean of the corners. Shape (..., 2)."""
        return np.asarray(self.corners.mean(axis=-2))

    @property
    def edges(self) -> tuple[Array, Array]:
        """Inward unit normals (..., n, 2) of the edges that start at each corner, and their offsets (..., n)."""
        x, y = np.moveaxis(self._along, -1, 0)
        normal = np.stack([-y, x], axis=-1) / np.hypot(x, y)[..., None]
        return normal, np.sum(normal * self.corners, axis=-1)

    @property
    def _along(self) -> Array:
        """Vectors from each corner to the next. Shape (..., n, 2)."""
        return np.concatenate([self.corners[..., 1:, :], self.corners[..., :1, :]], axis=-2) - self.corners

    def margin(self, points: Array) -> Array:
        """Return the signed distance to the nearest edge line, positive inside. (..., 2) in, (...) out."""
        normal, distance = self.edges
        return np.asarray((np.sum(points[..., None, :] * normal, axis=-1) - distance).min(axis=-1))

    def shrink(self, share: float) -> Polygon:
        """Return the polygon scaled by 1 - share about its centre (the published buffer)."""
        centre = self.centre[..., None, :]
        return Polygon(centre + (1.0 - share) * (self.corners - centre))

    def inset(self, distance_m: float) -> Polygon | None:
        """Return a single polygon with every edge moved inwards; None if an edge vanishes."""
        normal, distance = self.edges
        before = np.roll(normal, 1, axis=0)
        moved = distance + distance_m
        lines = np.stack([before, normal], axis=1)
        offsets = np.stack([np.roll(moved, 1), moved], axis=1)
        inset = Polygon(np.asarray(np.linalg.solve(lines, offsets[..., None])[..., 0], dtype=np.float64))
        kept = np.sum(inset._along * self._along, axis=-1) > 0.0
        return inset if kept.all() else None

    def nearest(self, points: Array) -> Array:
        """Return the nearest points of the polygon; points inside stay. (..., 2) in and out."""
        along = self._along
        from_corner = points[..., None, :] - self.corners
        share = np.sum(from_corner * along, axis=-1) / np.sum(along**2, axis=-1)
        on_edge = self.corners + np.clip(share, 0.0, 1.0)[..., None] * along
        best = np.argmin(np.sum((on_edge - points[..., None, :]) ** 2, axis=-1), axis=-1)
        nearest = np.take_along_axis(on_edge, best[..., None, None], axis=-2)[..., 0, :]
        return np.where((self.margin(points) < 0.0)[..., None], nearest, points)

    def nearest_at_same_x(self, points: Array) -> Array:
        """Return the nearest points with the same x, or the nearest x of the polygon. (..., 2) in and out."""
        normal, distance = self.edges
        x = np.clip(points[..., 0], self.corners[..., 0].min(axis=-1), self.corners[..., 0].max(axis=-1))
        with np.errstate(divide="ignore", invalid="ignore"):
            bound = (distance - x[..., None] * normal[..., 0]) / normal[..., 1]  # y on each edge's line
        lowest = np.where(normal[..., 1] > 1e-12, bound, -np.inf).max(axis=-1)
        highest = np.where(normal[..., 1] < -1e-12, bound, np.inf).min(axis=-1)
        return np.stack([x, np.clip(points[..., 1], lowest, np.maximum(lowest, highest))], axis=-1)


def convex_hull(points: Array) -> Polygon | None:
    """Return the convex hull of points; None if they lie on a line. Shape (n, 2)."""
    if len(points) < 3 or np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[1] < MIN_WIDTH_M:
        return None
    if len(points) > 3:
        return Polygon(points[ConvexHull(points).vertices])
    ax, ay = points[1] - points[0]
    bx, by = points[2] - points[0]
    return Polygon(points if ax * by > ay * bx else points[::-1])
