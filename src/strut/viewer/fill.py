"""Fill: the cells of a grid that triangles cover, and the nearest triangle in each.

Triangles are filled row by row, and the smallest depth decides which one is visible (a z-buffer, E. Catmull, 1974).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.plumbing.compiled import compiled


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Covered cells with the nearest triangle of each.

    Args:
        cell: Number of the cell, row by row. Shape (m,).
        triangle: Number of the triangle. Shape (m,).
        depth: Shape (m,).
    """

    cell: Index
    triangle: Index
    depth: Array


def across(light: Array) -> Array:
    """Return right and down as seen from a lamp in the direction `light`. Shape (3,) in, (2, 3) out."""
    right = np.cross(light, np.eye(3)[int(np.argmin(np.abs(light)))])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, light)])


def covered(
    place: Array,
    depth: Array,
    faces: npt.NDArray[np.int64],
    size: tuple[int, int],
    *,
    closed: npt.NDArray[np.bool_] | None = None,
    sign: float = 1.0,
) -> Covered:
    """Return the cells that triangles cover, with the nearest triangle of each.

    Args:
        place: Columns and rows of the vertices; cell k extends from k to k + 1. Shape (v, 2).
        depth: Of the vertices; linear over the grid, and smaller for nearer points. Shape (v,).
        faces: Vertices of the triangles, corner by corner. Shape (3, n).
        size: Columns and rows of the grid.
        closed: Triangles of which only one side is drawn; none if left out. Shape (n,).
        sign: 1 for their front, -1 for their back.
    """
    closed = np.zeros(faces.shape[1], dtype=np.bool_) if closed is None else closed
    nearest = np.full(size[0] * size[1], np.inf)
    winner = np.full(size[0] * size[1], -1)
    fill_nearest(place, depth, faces, closed, sign, size[0], size[1], nearest, winner)
    cell = np.flatnonzero(winner >= 0)
    return Covered(cell, winner[cell], nearest[cell])


@compiled
def _first_cell(edge: float, cells: int) -> int:
    """Return the first cell, of 0 to `cells`, whose middle is at an edge or after it."""
    return int(min(max(np.ceil(edge - 0.5), 0.0), float(cells)))


@compiled
def fill_nearest(
    place: Array,
    depth: Array,
    faces: npt.NDArray[np.int64],
    closed: npt.NDArray[np.bool_],
    sign: float,
    wide: int,
    high: int,
    nearest: Array,
    winner: Index,
) -> None:
    """Write the depth and the number of the nearest triangle of each cell, of equally near ones the last.

    Arguments as in `covered`, and both results. Shape (wide * high,) each.
    """
    for triangle in range(faces.shape[1]):
        first, second, third = faces[0, triangle], faces[1, triangle], faces[2, triangle]
        ax, ay, ad = place[first, 0], place[first, 1], depth[first]
        bx, by, bd = place[second, 0], place[second, 1], depth[second]
        cx, cy, cd = place[third, 0], place[third, 1], depth[third]
        area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
        if area == 0.0 or np.isnan(area) or (closed[triangle] and sign * area >= 0.0):
            continue
        along_x = ((bd - ad) * (cy - ay) - (cd - ad) * (by - ay)) / area
        along_y = ((cd - ad) * (bx - ax) - (bd - ad) * (cx - ax)) / area
        from_x, from_y = ax, ay
        if by < ay:
            ax, ay, bx, by = bx, by, ax, ay
        if cy < ay:
            ax, ay, cx, cy = cx, cy, ax, ay
        if cy < by:
            bx, by, cx, cy = cx, cy, bx, by
        long_slope = (cx - ax) / (cy - ay)  # from the highest corner a to the lowest one c, past b
        for row in range(_first_cell(ay, high), _first_cell(cy, high)):
            height = row + 0.5
            long = ax + (height - ay) * long_slope
            if height < by:
                short = ax + (height - ay) * (bx - ax) / (by - ay)
            else:
                short = bx + (height - by) * (cx - bx) / (cy - by)
            level = ad + along_y * (height - from_y)
            for column in range(_first_cell(min(long, short), wide), _first_cell(max(long, short), wide)):
                cell = row * wide + column
                here = level + along_x * (column + 0.5 - from_x)
                if here <= nearest[cell]:
                    nearest[cell] = here
                    winner[cell] = triangle


def doubled_area(x: Array, y: Array) -> Array:
    """Return twice the area of triangles on a grid; negative if counter-clockwise, as rows go down. Shape (3, n)."""
    return np.asarray((x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]))
