"""Fill: which cells of a grid triangles cover, and which triangle is the nearest in each.

Every triangle is filled row by row, from where a row enters it to where it leaves; depth tells which triangle is seen
(a z-buffer, E. Catmull, 1974). All triangles at once, in arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Index

MOST_ROWS = 300_000  # of triangles that are filled in one go


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Cells that triangles cover, at most one triangle a cell: the nearest.

    Args:
        cell: Which cell, row by row. Shape (m,).
        triangle: Which triangle is seen there. Shape (m,).
        depth: Shape (m,).
    """

    cell: Index
    triangle: Index
    depth: Array


def across(light: Array) -> Array:
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
    nearest = np.full(size[0] * size[1], np.inf)
    found = list[Covered]()
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


def _filled(x: Array, y: Array, depth: Array, size: tuple[int, int], rows: tuple[Index, Index]) -> Covered:
    """Return all cells whose middles lie in triangles, row by row, given the first row of each and how many it has."""
    first_row, tall = rows
    owner, below = _counted(tall)
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
    span, along = _counted(wide)
    return Covered((row * size[0] + start)[span] + along, owner[span], level[span] + slope[span] * along)


def _counted(counts: Index) -> tuple[Index, Index]:
    """Return for 2, 0, 3 of them the owners 0, 0, 2, 2, 2 and the numbers 0, 1, 0, 1, 2."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts)


def _span(x: Array, y: Array, owner: Index, height: Array) -> Array:
    """Return where lines across the grid enter and leave their triangles. Shapes (3, n) twice, (m,) twice in, (2, m).

    A line meets the edge from the lowest corner to the highest one, and one of the two others.
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
    """Return how depth changes along columns and rows over triangles. Shape (3, n) each in, (n,) each out."""
    (ux, vx), (uy, vy), (ud, vd) = (corner[1:] - corner[0] for corner in (x, y, depth))
    area = ux * vy - uy * vx
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)  # who is seen edge-on covers no cell
    return (ud * vy - vd * uy) * scale, (vd * ux - ud * vx) * scale


def doubled_area(x: Array, y: Array) -> Array:
    """Return twice the area of triangles on a grid: below 0 if they run counter-clockwise, for rows go down. (3, n)."""
    return np.asarray((x[1] - x[0]) * (y[2] - y[0]) - (y[1] - y[0]) * (x[2] - x[0]))
