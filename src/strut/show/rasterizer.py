"""Rasterizer: triangles on a grid of cells, the nearest in each, as films and shadows need them.

Every triangle is filled row by row, from where a row enters it to where it leaves; depth tells which triangle is seen
(a z-buffer, E. Catmull, 1974). All triangles at once, in arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.engines.solids import Solid
from strut.robot import Array
from strut.show.camera import Camera
from strut.show.triangles import Triangles, shading_triangles, triangles_of

SHADOW_CELLS = 200  # across a body, of its shadow on itself
LIFTED_CELLS = 1.5  # how far a point is taken off its surface, or it would lie in its own shadow
MOST_ROWS = 300_000  # of triangles that are filled in one go
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Cells that triangles cover, at most one triangle a cell: the nearest.

    Args:
        cell: Which cell, row by row. Shape (m,).
        triangle: Which triangle is seen there. Shape (m,).
        depth: Shape (m,).
    """

    cell: Indices
    triangle: Indices
    depth: Array


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """What a camera sees of a body.

    Args:
        cell: Which samples of its window meet the body, row by row. Shape (m,).
        part: Which part is met. Shape (m,).
        points_in_world: Where. Shape (m, 3).
        normal: Unit normals there, towards the camera. Shape (m, 3).
    """

    cell: Indices
    part: Indices
    points_in_world: Array
    normal: Array


class PosedBody:
    """A body at one instant, as a camera and lamps see it."""

    def __init__(self, parts: tuple[Solid, ...], centre_in_world: Array, part_to_world: Array) -> None:
        """Place the p parts. Shapes (p, 3) and (p, 3, 3)."""
        self._triangles, self._blockers = triangles_of(parts), shading_triangles(parts)
        self._part_to_world = part_to_world
        self._vertices = self._triangles.vertices_in_world(centre_in_world, part_to_world)
        self._blocking = self._blockers.vertices_in_world(centre_in_world, part_to_world)

    def seen(self, camera: Camera, window: tuple[slice, slice], finer: int) -> Seen:
        """Return what a camera sees through a window of rows and columns of its pixels, each cut `finer` times."""
        rows, columns = window
        place, depth = camera.project(self._vertices)
        place = finer * (place - np.array([columns.start, rows.start]))
        size = (finer * (columns.stop - columns.start), finer * (rows.stop - rows.start))
        shown = _facing(self._triangles, place, -1.0 / depth, size)
        row, column = np.divmod(shown.cell, size[0])
        rays = camera.rays((column + 0.5) / finer + columns.start, (row + 0.5) / finer + rows.start)
        points = camera.eye_in_world + rays / -shown.depth[:, None]
        normal = self._normals_at(shown.triangle, place, depth, np.stack([column, row], axis=1) + 0.5)
        away = np.einsum("mi,mi->m", normal, rays) > 0.0  # surfaces of others may be inside out
        normal[away] *= -1.0
        return Seen(shown.cell, self._triangles.part[shown.triangle], points, normal)

    def _normals_at(self, triangle: Indices, place: Array, depth: Array, cells: Array) -> Array:
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
        """Return how much of a far lamp's light reaches points on the body. Shapes (n, 3), (n, 3), (3,) in, (n,) out.

        By a shadow map (L. Williams, 1978), whose four nearest cells are asked.
        """
        across = _across(light)
        flat = self._blocking @ across.T
        low = flat.min(axis=0)
        cell_m = float(np.ptp(flat, axis=0).max()) / SHADOW_CELLS
        size = (SHADOW_CELLS + 2, SHADOW_CELLS + 2)
        shown = _facing(self._blockers, (flat - low) / cell_m + 1.0, -self._blocking @ light, size)
        nearest = np.full(size[0] * size[1], np.inf)
        nearest[shown.cell] = shown.depth
        lifted = points_in_world + LIFTED_CELLS * cell_m * normal
        corner = np.floor((lifted @ across.T - low) / cell_m + 0.5).astype(np.intp)
        corner = np.clip(corner, 0, SHADOW_CELLS)
        depth, reached = -lifted @ light, np.zeros(len(lifted))
        first = corner[:, 1] * size[0] + corner[:, 0]
        for further in (0, 1, size[0], size[0] + 1):
            reached += 0.25 * (depth <= nearest[first + further] + cell_m)
        return reached

    def shadow(self, towards: Array, low_m: Array, cell_m: float, cells: int) -> npt.NDArray[np.bool_]:
        """Return which cells of a square of floor a lamp in a direction does not reach. Shapes (3,), (2,) in, (n, n).

        Rows go along x, columns along y, from the corner `low_m` on.
        """
        floor = self._blocking[:, :2] - self._blocking[:, 2:] / towards[2] * towards[:2]
        place = ((floor - low_m) / cell_m)[:, ::-1]
        hidden = np.zeros(cells * cells, dtype=np.bool_)
        hidden[_facing(self._blockers, place, np.zeros(len(place)), (cells, cells)).cell] = True
        return hidden.reshape(cells, cells)


def _facing(triangles: Triangles, place: Array, depth: Array, size: tuple[int, int]) -> Covered:
    """Return the cells that triangles cover from their front, given place (v, 2) and depth (v,) of the vertices."""
    x, y = place[:, 0][triangles.faces], place[:, 1][triangles.faces]
    doubled = (x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0])
    facing = np.flatnonzero((doubled < 0.0) | ~triangles.closed)  # rows go down
    found = covered(x[:, facing], y[:, facing], depth[triangles.faces[:, facing]], size)
    return replace(found, triangle=facing[found.triangle])


def _across(light: Array) -> Array:
    """Return right and down of who looks from a lamp. Shape (3,) in, (2, 3) out."""
    right = np.cross(light, np.eye(3)[int(np.argmin(np.abs(light)))])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, light)])


def covered(x: Array, y: Array, depth: Array, size: tuple[int, int]) -> Covered:
    """Return which cells of a grid triangles cover, and which is nearest.

    Args:
        x: Columns of the corners; cell k reaches from k to k + 1. Shape (3, n).
        y: Rows of the corners. Shape (3, n).
        depth: Of the corners; what is linear over the grid, and smaller where it is nearer. Shape (3, n).
        size: Columns and rows of the grid.
    """
    low = np.clip(np.ceil(np.minimum(np.minimum(y[0], y[1]), y[2]) - 0.5), 0, size[1]).astype(np.intp)
    high = np.clip(np.ceil(np.maximum(np.maximum(y[0], y[1]), y[2]) - 0.5), 0, size[1]).astype(np.intp)
    kept = np.flatnonzero(high > low)
    nearest, found = np.full(size[0] * size[1], np.inf), list[Covered]()
    for some in np.array_split(kept, int((high - low)[kept].sum()) // MOST_ROWS + 1):
        filled = _filled(x[:, some], y[:, some], depth[:, some], size, (low[some], high[some] - low[some]))
        np.minimum.at(nearest, filled.cell, filled.depth)
        first = filled.depth <= nearest[filled.cell]
        found.append(Covered(filled.cell[first], some[filled.triangle[first]], filled.depth[first]))
    winner = np.full(size[0] * size[1], -1)
    for one in found:  # of surfaces that touch, equally near, the last
        first = one.depth <= nearest[one.cell]
        winner[one.cell[first]] = one.triangle[first]
    cell = np.flatnonzero(winner >= 0)
    return Covered(cell, winner[cell], nearest[cell])


def _filled(x: Array, y: Array, depth: Array, size: tuple[int, int], rows: tuple[Indices, Indices]) -> Covered:
    """Return all cells whose middles lie in triangles, row by row, given the first row of each and how many it has."""
    first_row, tall = rows
    owner, below = _counted(tall)
    row = first_row[owner] + below
    ends = np.clip(np.ceil(_span(x, y, owner, row.astype(np.float64) + 0.5) - 0.5), 0, size[0]).astype(np.intp)
    wide = ends[1] - ends[0]
    met = np.flatnonzero(wide > 0)
    owner, row, start, wide = owner[met], row[met], ends[0][met], wide[met]
    along_x, along_y = _slopes(x, y, depth)
    slope = along_x[owner]
    level = depth[0][owner] + slope * (start + 0.5 - x[0][owner]) + along_y[owner] * (row + 0.5 - y[0][owner])
    span, along = _counted(wide)
    return Covered((row * size[0] + start)[span] + along, owner[span], level[span] + slope[span] * along)


def _counted(counts: Indices) -> tuple[Indices, Indices]:
    """Return for 2, 0, 3 of them the owners 0, 0, 2, 2, 2 and the numbers 0, 1, 0, 1, 2."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def _span(x: Array, y: Array, owner: Indices, height: Array) -> Array:
    """Return where lines across the grid enter and leave their triangles. Shapes (3, n) twice, (m,) twice in, (2, m).

    A line meets the edge from the lowest corner to the highest one, and one of the two others.
    """
    order = np.argsort(y, axis=0)
    x, y = np.take_along_axis(x, order, axis=0), np.take_along_axis(y, order, axis=0)
    run, rise = x[[2, 1, 2]] - x[[0, 0, 1]], y[[2, 1, 2]] - y[[0, 0, 1]]
    slope = np.divide(run, rise, out=np.zeros_like(run), where=rise != 0.0)
    long = x[0][owner] + (height - y[0][owner]) * slope[0][owner]
    other = owner + (height >= y[1][owner]) * y.shape[1]  # which of the two others
    short = x[:2].ravel()[other] + (height - y[:2].ravel()[other]) * slope[1:].ravel()[other]
    return np.stack([np.minimum(long, short), np.maximum(long, short)])


def _slopes(x: Array, y: Array, depth: Array) -> tuple[Array, Array]:
    """Return how depth changes along columns and rows over triangles. Shape (3, n) each in, (n,) each out."""
    (ux, vx), (uy, vy), (ud, vd) = (corner[1:] - corner[0] for corner in (x, y, depth))
    area = ux * vy - uy * vx
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)  # who is seen edge-on covers no cell
    return (ud * vy - vd * uy) * scale, (vd * ux - ud * vx) * scale


def _weights(corners: Array, points: Array) -> Array:
    """Return barycentric coordinates of points, each in its triangle. Shapes (3, m, 2), (m, 2) in, (3, m) out."""
    (ux, uy), (vx, vy) = (corners[1] - corners[0]).T, (corners[2] - corners[0]).T
    right, down = (points - corners[0]).T
    area = ux * vy - uy * vx
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)
    second, third = (right * vy - down * vx) * scale, (down * ux - right * uy) * scale
    return np.stack([1.0 - second - third, second, third])
