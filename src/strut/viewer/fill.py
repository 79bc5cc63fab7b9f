"""Fill: the cells of a grid that triangles cover, and the nearest triangle in each.

Triangles are filled row by row, and the smallest depth decides which one is visible (a z-buffer, E. Catmull, 1974). All
triangles are computed at once, in arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Index

MAX_ROWS = 300_000  # of triangles that are filled at once, for the memory of the arrays


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


def covered(x: Array, y: Array, depth: Array, size: tuple[int, int]) -> Covered:
    """Return the cells that triangles cover, with the nearest triangle of each.

    Args:
        x: Columns of the corners; cell k extends from k to k + 1. Shape (3, n).
        y: Rows of the corners. Shape (3, n).
        depth: Of the corners; linear over the grid, and smaller for nearer points. Shape (3, n).
        size: Columns and rows of the grid.
    """
    low = np.clip(np.ceil(np.minimum(np.minimum(y[0], y[1]), y[2]) - 0.5), 0, size[1]).astype(np.intp)
    high = np.clip(np.ceil(np.maximum(np.maximum(y[0], y[1]), y[2]) - 0.5), 0, size[1]).astype(np.intp)
    has_rows = np.flatnonzero(high > low)
    nearest = np.full(size[0] * size[1], np.inf)
    batches = list[Covered]()
    for batch in np.array_split(has_rows, int((high - low)[has_rows].sum()) // MAX_ROWS + 1):
        cells = _fill(x[:, batch], y[:, batch], depth[:, batch], size, (low[batch], high[batch] - low[batch]))
        np.minimum.at(nearest, cells.cell, cells.depth)
        is_first = cells.depth <= nearest[cells.cell]
        batches.append(Covered(cells.cell[is_first], batch[cells.triangle[is_first]], cells.depth[is_first]))
    winner = np.full(size[0] * size[1], -1)
    for cells in batches:  # of equally near triangles, the last one
        is_first = cells.depth <= nearest[cells.cell]
        winner[cells.cell[is_first]] = cells.triangle[is_first]
    cell = np.flatnonzero(winner >= 0)
    return Covered(cell, winner[cell], nearest[cell])


def _fill(x: Array, y: Array, depth: Array, size: tuple[int, int], rows: tuple[Index, Index]) -> Covered:
    """Return all cells whose centres are in triangles, row by row, by the first row and the number of rows of each."""
    first_row, tall = rows
    owner, below = _enumerate_counts(tall)
    row = first_row[owner] + below
    ends = np.clip(np.ceil(_span(x, y, owner, row.astype(np.float64) + 0.5) - 0.5), 0, size[0]).astype(np.intp)
    wide = ends[1] - ends[0]
    met = np.flatnonzero(wide > 0)
    owner = owner[met]
    row = row[met]
    start = ends[0][met]
    wide = wide[met]
    along_x, along_y = _slopes(x, y, depth)
    slope = along_x[owner]
    level = depth[0][owner] + slope * (start + 0.5 - x[0][owner]) + along_y[owner] * (row + 0.5 - y[0][owner])
    span, along = _enumerate_counts(wide)
    return Covered((row * size[0] + start)[span] + along, owner[span], level[span] + slope[span] * along)


def _enumerate_counts(counts: Index) -> tuple[Index, Index]:
    """Return owners and numbers within owners: for the counts 2, 0, 3 these are 0, 0, 2, 2, 2 and 0, 1, 0, 1, 2."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def _span(x: Array, y: Array, owner: Index, height: Array) -> Array:
    """Return the columns at which rows enter and leave their triangles. Shapes (3, n) twice, (m,) twice in, (2, m) out.

    A row intersects the edge from the lowest corner to the highest one, and one of the two others.
    """
    order = np.argsort(y, axis=0)
    x = np.take_along_axis(x, order, axis=0)
    y = np.take_along_axis(y, order, axis=0)
    run = x[[2, 1, 2]] - x[[0, 0, 1]]
    rise = y[[2, 1, 2]] - y[[0, 0, 1]]
    slope = np.divide(run, rise, out=np.zeros_like(run), where=rise != 0.0)
    long = x[0][owner] + (height - y[0][owner]) * slope[0][owner]
    other = owner + (height >= y[1][owner]) * y.shape[1]  # which of the two others
    short = x[:2].ravel()[other] + (height - y[:2].ravel()[other]) * slope[1:].ravel()[other]
    return np.stack([np.minimum(long, short), np.maximum(long, short)])


def _slopes(x: Array, y: Array, depth: Array) -> tuple[Array, Array]:
    """Return the slopes of depth along columns and rows of triangles. Shape (3, n) each in, (n,) each out."""
    (ux, vx), (uy, vy), (ud, vd) = (corner[1:] - corner[0] for corner in (x, y, depth))
    area = ux * vy - uy * vx
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)  # a triangle seen edge-on covers no cell
    return (ud * vy - vd * uy) * scale, (vd * ux - ud * vx) * scale


def doubled_area(x: Array, y: Array) -> Array:
    """Return twice the area of triangles on a grid; negative if counter-clockwise, as rows go down. Shape (3, n)."""
    return np.asarray((x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]))
