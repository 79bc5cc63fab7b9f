"""Rasterizer: the visible points of a body at one instant, and the shadows on it and on the floor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.models.solids import Solid
from strut.plumbing.compiled import compiled
from strut.schemas.fields import Vector
from strut.viewer.camera import Camera
from strut.viewer.fill import across, covered
from strut.viewer.triangles import shading_triangles, triangles_of

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


@dataclass(frozen=True, slots=True, eq=False)
class ShadowMap:
    """The points of a body that are nearest to a far lamp (L. Williams, 1978).

    Args:
        nearest_m: Distances along the light, infinite beside the body. Shape (n, n).
        axes: Right, down and away as seen from the lamp. Shape (3, 3).
        low_m: Right and down of the first corner of the map. Shape (2,).
        cell_m: Side of its cells.
    """

    nearest_m: Array
    axes: Array
    low_m: Array
    cell_m: float

    def lit(self, points_in_world: Array, normal: Array) -> Array:
        """Return the share of light that reaches points, the mean of four cells. Shapes (n, 3) twice in, (n,) out."""
        pairs = zip(points_in_world.tolist(), normal.tolist(), strict=True)
        arrays = self.nearest_m, self.axes, self.low_m, self.cell_m
        return np.array([lit_share(tuple(point), tuple(upright), *arrays) for point, upright in pairs])


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
        triangles = self._triangles
        place, depth = camera.project(self._vertices)
        place = finer * (place - np.array([columns.start, rows.start]))
        size = (finer * (columns.stop - columns.start), finer * (rows.stop - rows.start))
        shown = covered(place, -1.0 / depth, triangles.faces, size, closed=triangles.closed)
        points_in_world = np.empty((len(shown.cell), 3))
        normal = np.empty_like(points_in_world)
        part = triangles.part[shown.triangle]
        _find_surface(
            shown.cell,
            shown.triangle,
            -1.0 / shown.depth,
            size[0],
            camera.eye_in_world,
            camera.axes,
            finer * camera.focal_px,
            finer * (camera.middle_px - np.array([columns.start, rows.start])),
            place,
            depth,
            triangles.faces,
            triangles.normal,
            triangles.smooth,
            part,
            self._part_to_world,
            points_in_world,
            normal,
        )
        return VisiblePoints(shown.cell, part, points_in_world, normal)

    def shadow_map(self, light: Array) -> ShadowMap:
        """Return the shadow map of a far lamp in the direction `light` (3,).

        Closed parts enter it with their far side, so that no part is in the shadow of its own surface.
        """
        axes = np.concatenate([across(light), -light[None]])
        flat = self._blocking @ axes.T
        low_m = flat[:, :2].min(axis=0)
        cell_m = float(np.ptp(flat[:, :2], axis=0).max()) / SHADOW_CELLS
        side = SHADOW_CELLS + 2
        blockers = self._blockers
        place = (flat[:, :2] - low_m) / cell_m + 1.0
        shown = covered(place, flat[:, 2], blockers.faces, (side, side), closed=blockers.closed, sign=-1.0)
        nearest_m = np.full(side * side, np.inf)
        nearest_m[shown.cell] = shown.depth
        return ShadowMap(nearest_m.reshape(side, side), axes, low_m, cell_m)

    def shadow(
        self, towards: Array, low_m: Array, cell_m: float, cells: int, *, below_m: float = np.inf
    ) -> npt.NDArray[np.bool_]:
        """Return which cells of a square of floor are in the shadow of a lamp. Shapes (3,), (2,) in, (n, n) out.

        Rows go along x, columns along y, from the corner `low_m` on. Only triangles that reach down to `below_m` count.
        """
        faces = self._blockers.faces
        if below_m < np.inf:
            faces = faces[:, (self._blocking[:, 2] < below_m)[faces].any(axis=0)]
        floor = self._blocking[:, :2] - self._blocking[:, 2:] / towards[2] * towards[:2]
        place = ((floor - low_m) / cell_m)[:, ::-1]
        hidden = np.zeros(cells * cells, dtype=np.bool_)
        shown = covered(place, np.zeros(len(place)), faces, (cells, cells))
        hidden[shown.cell] = True
        return hidden.reshape(cells, cells)


@compiled
def lit_share(point: Vector, normal: Vector, nearest_m: Array, axes: Array, low_m: Array, cell_m: float) -> float:
    """Return the share of a lamp's light that reaches a point with a normal, by the arrays of a `ShadowMap`."""
    lift_m = LIFT_CELLS * cell_m
    x, y, z = point[0] + lift_m * normal[0], point[1] + lift_m * normal[1], point[2] + lift_m * normal[2]
    across_m = axes[0, 0] * x + axes[0, 1] * y + axes[0, 2] * z
    down_m = axes[1, 0] * x + axes[1, 1] * y + axes[1, 2] * z
    away_m = axes[2, 0] * x + axes[2, 1] * y + axes[2, 2] * z
    most = len(nearest_m) - 2
    column = int(min(max(np.floor((across_m - low_m[0]) / cell_m + 0.5), 0.0), most))
    row = int(min(max(np.floor((down_m - low_m[1]) / cell_m + 0.5), 0.0), most))
    share = 0.0
    for below in range(2):
        for aside in range(2):
            if away_m <= nearest_m[row + below, column + aside] + cell_m:
                share += 0.25
    return share


@compiled
def _find_surface(
    cell: Index,
    triangle: Index,
    far_m: Array,
    wide: int,
    eye: Array,
    axes: Array,
    focal_cells: float,
    middle: Array,
    place: Array,
    depth: Array,
    faces: npt.NDArray[np.int64],
    corner_normal: Array,
    smooth: npt.NDArray[np.bool_],
    part: Index,
    part_to_world: Array,
    points_in_world: Array,
    normal: Array,
) -> None:
    """Write points and unit normals towards the camera (m, 3) of triangles (m,) at cells (m,) of a grid.

    The grid is `wide` columns wide; `far_m` (m,) are depths of the points. Place (v, 2) and depth (v,) are those of the
    vertices; the normals (3, n, 3) at the corners are in their part.
    """
    for one in range(len(cell)):
        number = triangle[one]
        column, row = cell[one] % wide + 0.5, cell[one] // wide + 0.5
        weights = (1.0, 0.0, 0.0)
        if smooth[number]:
            first, second, third = faces[0, number], faces[1, number], faces[2, number]
            ux, uy = place[second, 0] - place[first, 0], place[second, 1] - place[first, 1]
            vx, vy = place[third, 0] - place[first, 0], place[third, 1] - place[first, 1]
            right, down = column - place[first, 0], row - place[first, 1]
            area = ux * vy - uy * vx
            at_second = (right * vy - down * vx) / area
            at_third = (down * ux - right * uy) / area
            at_first = 1.0 - at_second - at_third
            weights = (at_first / depth[first], at_second / depth[second], at_third / depth[third])
        x = y = z = 0.0
        for corner in range(3):
            x += weights[corner] * corner_normal[corner, number, 0]
            y += weights[corner] * corner_normal[corner, number, 1]
            z += weights[corner] * corner_normal[corner, number, 2]
        length = np.sqrt(x * x + y * y + z * z)
        aside, below = (column - middle[0]) / focal_cells, (row - middle[1]) / focal_cells
        towards = 0.0
        owner = part[one]
        for axis in range(3):
            ray = aside * axes[0, axis] + below * axes[1, axis] + axes[2, axis]
            points_in_world[one, axis] = eye[axis] + far_m[one] * ray
            turn = part_to_world[owner, axis]
            along = turn[0] * x + turn[1] * y + turn[2] * z
            normal[one, axis] = along / length
            towards += along * ray
        if towards > 0.0:  # imported meshes may be inside out
            for axis in range(3):
                normal[one, axis] *= -1.0
