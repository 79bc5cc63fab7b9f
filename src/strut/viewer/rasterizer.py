"""Rasterizer: the visible points of a body at one instant, and the shadows on it and on the floor."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.models.solids import Solid
from strut.viewer.camera import Camera
from strut.viewer.fill import Covered, across, covered, doubled_area
from strut.viewer.triangles import Triangles, shading_triangles, triangles_of

SHADOW_CELLS = 200  # of the shadow map, across a body
LIFT_CELLS = 1.5  # height of a tested point above its surface, so that the surface does not shadow itself


@dataclass(frozen=True, slots=True, eq=False)
class VisiblePoints:
    """The visible points of a body.

    Args:
        cell: Numbers of the samples of the window that show the body, row by row. Shape (m,).
        part: Number of the part. Shape (m,).
        points_in_world: The points. Shape (m, 3).
        normal: Unit normals there, towards the camera. Shape (m, 3).
    """

    cell: Index
    part: Index
    points_in_world: Array
    normal: Array


class PosedBody:
    """A body at one instant, for cameras and lamps."""

    def __init__(self, parts: tuple[Solid, ...], centre_in_world: Array, part_to_world: Array) -> None:
        """Place the p parts. Shapes (p, 3) and (p, 3, 3)."""
        self._triangles = triangles_of(parts)
        self._blockers = shading_triangles(parts)
        self._part_to_world = part_to_world
        self._vertices = self._triangles.vertices_in_world(centre_in_world, part_to_world)
        self._blocking = self._blockers.vertices_in_world(centre_in_world, part_to_world)

    def visible_points(self, camera: Camera, window: tuple[slice, slice], finer: int) -> VisiblePoints:
        """Return the visible points in a window (rows, columns) of pixels, each divided `finer` times in both."""
        rows, columns = window
        place, depth = camera.project(self._vertices)
        place = finer * (place - np.array([columns.start, rows.start]))
        size = (finer * (columns.stop - columns.start), finer * (rows.stop - rows.start))
        shown = _facing(self._triangles, place, -1.0 / depth, size)
        row, column = np.divmod(shown.cell, size[0])
        rays = camera.rays((column + 0.5) / finer + columns.start, (row + 0.5) / finer + rows.start)
        points = camera.eye_in_world + rays / -shown.depth[:, None]
        normal = self._normals_at(shown.triangle, place, depth, np.stack([column, row], axis=1) + 0.5)
        away = np.einsum("mi,mi->m", normal, rays) > 0.0  # imported meshes may be inside out
        normal[away] *= -1.0
        return VisiblePoints(shown.cell, self._triangles.part[shown.triangle], points, normal)

    def _normals_at(self, triangle: Index, place: Array, depth: Array, cells: Array) -> Array:
        """Return unit normals of triangles at cells, given place (v, 2) and depth (v,) of the vertices. (m, 3) out."""
        corners = self._triangles.normals_in_world(self._part_to_world)
        normal = corners[0, triangle]
        bent = np.flatnonzero(self._triangles.smooth[triangle])
        which = triangle[bent]
        vertices = self._triangles.faces[:, which]
        weight = _weights(place[vertices], cells[bent]) / depth[vertices]
        mixed = sum(weight[corner][:, None] * corners[corner, which] for corner in range(3))
        normal[bent] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return np.asarray(normal)

    def lit(self, points_in_world: Array, normal: Array, light: Array) -> Array:
        """Return the share of a far lamp's light that reaches points. Shapes (n, 3), (n, 3), (3,) in, (n,) out.

        By a shadow map (L. Williams, 1978), the mean of its four nearest cells. Closed parts enter it with their far
        side, so that no part is in the shadow of its own surface.
        """
        axes = across(light)
        flat = self._blocking @ axes.T
        low = flat.min(axis=0)
        cell_m = float(np.ptp(flat, axis=0).max()) / SHADOW_CELLS
        size = (SHADOW_CELLS + 2, SHADOW_CELLS + 2)
        shown = _facing(self._blockers, (flat - low) / cell_m + 1.0, -self._blocking @ light, size, sign=-1.0)
        nearest = np.full(size[0] * size[1], np.inf)
        nearest[shown.cell] = shown.depth
        lifted = points_in_world + LIFT_CELLS * cell_m * normal
        corner = np.floor((lifted @ axes.T - low) / cell_m + 0.5).astype(np.intp)
        corner = np.clip(corner, 0, SHADOW_CELLS)
        depth = -lifted @ light
        reached = np.zeros(len(lifted))
        first = corner[:, 1] * size[0] + corner[:, 0]
        for further in (0, 1, size[0], size[0] + 1):
            reached += 0.25 * (depth <= nearest[first + further] + cell_m)
        return reached

    def shadow(self, towards: Array, low_m: Array, cell_m: float, cells: int) -> npt.NDArray[np.bool_]:
        """Return which cells of a square of floor are in the shadow of a lamp. Shapes (3,), (2,) in, (n, n) out.

        Rows go along x, columns along y, from the corner `low_m` on.
        """
        floor = self._blocking[:, :2] - self._blocking[:, 2:] / towards[2] * towards[:2]
        place = ((floor - low_m) / cell_m)[:, ::-1]
        hidden = np.zeros(cells * cells, dtype=np.bool_)
        hidden[_facing(self._blockers, place, np.zeros(len(place)), (cells, cells)).cell] = True
        return hidden.reshape(cells, cells)


def _facing(triangles: Triangles, place: Array, depth: Array, size: tuple[int, int], *, sign: float = 1.0) -> Covered:
    """Return the cells that front faces cover, given position (v, 2) and depth (v,) of the vertices.

    With a sign of -1, the back faces of closed parts.
    """
    x = place[:, 0][triangles.faces]
    y = place[:, 1][triangles.faces]
    facing = np.flatnonzero((sign * doubled_area(x, y) < 0.0) | ~triangles.closed)
    found = covered(x[:, facing], y[:, facing], depth[triangles.faces[:, facing]], size)
    return replace(found, triangle=facing[found.triangle])


def _weights(corners: Array, points: Array) -> Array:
    """Return barycentric coordinates of points, each in its triangle. Shapes (3, m, 2), (m, 2) in, (3, m) out."""
    ux, uy = (corners[1] - corners[0]).T
    vx, vy = (corners[2] - corners[0]).T
    right, down = (points - corners[0]).T
    area = ux * vy - uy * vx
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)
    second = (right * vy - down * vx) * scale
    third = (down * ux - right * uy) * scale
    return np.stack([1.0 - second - third, second, third])
