"""Rasterizer: triangles on a grid of cells, the nearest in each, as films and shadows need them.

Every triangle is filled row by row, from where a row enters it to where it leaves; depth tells which triangle is seen
(a z-buffer, E. Catmull, 1974). All triangles at once, in arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from strut.engines.solid_mesh import solid_mesh
from strut.engines.solids import Solid
from strut.robot import Array
from strut.show.camera import Camera

ROUND_FACES = 9_000  # of all round parts; their normals are those of the true surface, so that they look round
AROUND = (10, 32)  # corners of a circle, at least and at most: fewer where there are many round parts
SHADOW_CELLS = 200  # across a body, of its shadow on itself
LIFTED_CELLS = 1.5  # how far a point is taken off its surface, or it would lie in its own shadow
MOST_ROWS = 300_000  # of triangles that are filled in one go
_FACES = {"capsule": 2, "sphere": 1, "ellipsoid": 1}
_FLAT = ("box", "mesh", "cylinder")  # kinds whose faces have an edge between them


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """Triangles of all parts of a body, each in its part's own frame.

    Args:
        vertex_m: Shape (v, 3).
        owner: Which part each vertex belongs to. Shape (v,).
        faces: Vertices of the triangles, counter-clockwise seen from outside. Shape (n, 3).
        normal: Unit normals at their corners, out of the part. Shape (n, 3, 3).
        part: Which part each belongs to. Shape (n,).
        closed: Whether that is surely closed, so that its far side is never seen. Shape (n,).
    """

    vertex_m: Array
    owner: npt.NDArray[np.intp]
    faces: npt.NDArray[np.int64]
    normal: Array
    part: npt.NDArray[np.intp]
    closed: npt.NDArray[np.bool_]

    def vertices_in_world(self, centre_in_world: Array, part_to_world: Array) -> Array:
        """Return the vertices where the parts are. Shapes (p, 3), (p, 3, 3) in, (v, 3) out."""
        turned = np.einsum("vij,vj->vi", part_to_world[self.owner], self.vertex_m)
        return np.asarray(turned + centre_in_world[self.owner])


@dataclass(frozen=True, slots=True, eq=False)
class Covered:
    """Cells that triangles cover, at most one triangle a cell: the nearest.

    Args:
        cell: Which cell, row by row. Shape (m,).
        triangle: Which triangle is seen there. Shape (m,).
        weight: Barycentric coordinates of the cell's middle. Shape (m, 3).
        depth: Shape (m,).
    """

    cell: npt.NDArray[np.intp]
    triangle: npt.NDArray[np.intp]
    weight: Array
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

    cell: npt.NDArray[np.intp]
    part: npt.NDArray[np.intp]
    points_in_world: Array
    normal: Array


@lru_cache(maxsize=16)
def triangles_of(parts: tuple[Solid, ...]) -> Triangles:
    """Return the triangles of the parts of a body."""
    meshes = [solid_mesh(part, around=around) for part, around in zip(parts, _corners_of_circles(parts), strict=True)]
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes)])
    part_of_face = np.repeat(np.arange(len(parts)), [len(mesh.faces) for mesh in meshes])
    normals = [_normals(part, mesh.vertices[mesh.faces]) for part, mesh in zip(parts, meshes, strict=True)]
    return Triangles(
        vertex_m=np.concatenate([mesh.vertices for mesh in meshes]),
        owner=np.repeat(np.arange(len(parts)), np.diff(starts)),
        faces=np.concatenate([mesh.faces + start for mesh, start in zip(meshes, starts, strict=False)]),
        normal=np.concatenate(normals),
        part=part_of_face,
        closed=np.array([part.kind != "mesh" for part in parts])[part_of_face],
    )


def _corners_of_circles(parts: tuple[Solid, ...]) -> list[int]:
    """Return how many corners the circles of parts have: even, more of large ones, fewer where many are round.

    A ball has as many faces as the square of it, a capsule twice that.
    """
    round_parts = [part for part in {*parts} if part.kind in _FACES]
    faces = sum(_FACES[part.kind] for part in round_parts) or 1
    usual_m = float(np.mean([part.size_m[0] for part in round_parts])) if round_parts else 1.0
    shares = np.sqrt(ROUND_FACES / faces * np.array([part.size_m[0] for part in parts]) / usual_m)
    shares[[part.kind not in _FACES for part in parts]] = AROUND[1]  # a cylinder has few faces anyway
    return [2 * int(corners / 2.0) for corners in np.clip(shares, *AROUND)]


def _normals(part: Solid, corner_m: Array) -> Array:
    """Return unit normals at the corners of a part's triangles: of round parts, those of the true surface."""
    if part.kind in _FLAT:
        face = np.cross(corner_m[:, 1] - corner_m[:, 0], corner_m[:, 2] - corner_m[:, 0])
        normal = np.repeat(face[:, None], 3, axis=1)
        if part.kind == "cylinder":
            side = np.abs(face[:, 2]) < 0.5 * np.linalg.norm(face, axis=1)
            normal[side] = corner_m[side] * np.array([1.0, 1.0, 0.0])
    elif part.kind == "capsule":
        along = np.clip(corner_m[..., 2:], -part.size_m[1], part.size_m[1])
        normal = corner_m - along * np.array([0.0, 0.0, 1.0])
    else:
        radii_m = part.size_m if part.kind == "ellipsoid" else np.ones(3)
        normal = corner_m / radii_m**2
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-300))


class PosedBody:
    """A body at one instant, as a camera and lamps see it."""

    def __init__(self, parts: tuple[Solid, ...], centre_in_world: Array, part_to_world: Array) -> None:
        """Place the p parts. Shapes (p, 3) and (p, 3, 3)."""
        self._triangles, self._part_to_world = triangles_of(parts), part_to_world
        self._vertices = self._triangles.vertices_in_world(centre_in_world, part_to_world)

    def seen(self, camera: Camera, window: tuple[slice, slice], finer: int) -> Seen:
        """Return what a camera sees through a window of rows and columns of its pixels, each cut `finer` times."""
        rows, columns = window
        place, depth = camera.project(self._vertices)
        place = finer * (place - np.array([columns.start, rows.start]))
        size = (finer * (columns.stop - columns.start), finer * (rows.stop - rows.start))
        shown = self._covered(place, -1.0 / depth, size)
        corners, part = self._triangles.faces[shown.triangle], self._triangles.part[shown.triangle]
        weight = shown.weight / depth[corners]
        weight /= weight.sum(axis=1, keepdims=True)
        points = np.einsum("mk,mki->mi", weight, self._vertices[corners])
        normal = np.einsum("mk,mki->mi", weight, self._triangles.normal[shown.triangle])
        normal = np.einsum("mij,mj->mi", self._part_to_world[part], normal)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        away = np.sum(normal * (points - camera.eye_in_world), axis=1) > 0.0  # surfaces of others may be inside out
        return Seen(shown.cell, part, points, np.where(away[:, None], -normal, normal))

    def lit(self, points_in_world: Array, normal: Array, light: Array) -> Array:
        """Return how much of a far lamp's light reaches points on the body. Shapes (n, 3), (n, 3), (3,) in, (n,) out.

        By a shadow map (L. Williams, 1978), whose four nearest cells are asked.
        """
        across = _across(light)
        flat = self._vertices @ across.T
        low = flat.min(axis=0)
        cell_m = float(np.ptp(flat, axis=0).max()) / SHADOW_CELLS
        size = (SHADOW_CELLS + 2, SHADOW_CELLS + 2)
        shown = self._covered((flat - low) / cell_m + 1.0, -self._vertices @ light, size)
        nearest = np.full(size[0] * size[1], np.inf)
        nearest[shown.cell] = shown.depth
        lifted = points_in_world + LIFTED_CELLS * cell_m * normal
        corner = np.floor((lifted @ across.T - low) / cell_m + 0.5).astype(np.intp)
        corner = np.clip(corner, 0, SHADOW_CELLS)
        depth, reached = -lifted @ light, np.zeros(len(lifted))
        for right, down in ((0, 0), (1, 0), (0, 1), (1, 1)):
            cell = (corner[:, 1] + down) * size[0] + corner[:, 0] + right
            reached += 0.25 * (depth <= nearest[cell] + cell_m)
        return reached

    def shadow(self, towards: Array, low_m: Array, cell_m: float, cells: int) -> npt.NDArray[np.bool_]:
        """Return which cells of a square of floor a lamp in a direction does not reach. Shapes (3,), (2,) in, (n, n).

        Rows go along x, columns along y, from the corner `low_m` on.
        """
        floor = self._vertices[:, :2] - self._vertices[:, 2:] / towards[2] * towards[:2]
        place = ((floor - low_m) / cell_m)[:, ::-1]
        hidden = np.zeros(cells * cells, dtype=np.bool_)
        hidden[self._covered(place, np.zeros(len(place)), (cells, cells)).cell] = True
        return hidden.reshape(cells, cells)

    def _covered(self, place: Array, depth: Array, size: tuple[int, int]) -> Covered:
        """Return the cells that its triangles cover, given place (v, 2) and depth (v,) of the vertices as seen."""
        faces = self._triangles.faces
        corners = place[faces]
        (ux, uy), (vx, vy) = (corners[:, 1] - corners[:, 0]).T, (corners[:, 2] - corners[:, 0]).T
        facing = np.flatnonzero((ux * vy < uy * vx) | ~self._triangles.closed)  # rows go down
        found = covered(corners[facing], depth[faces[facing]], size)
        return replace(found, triangle=facing[found.triangle])


def _across(light: Array) -> Array:
    """Return right and down of who looks from a lamp. Shape (3,) in, (2, 3) out."""
    right = np.cross(light, np.eye(3)[int(np.argmin(np.abs(light)))])
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(right, light)])


def covered(place: Array, depth: Array, size: tuple[int, int]) -> Covered:
    """Return which cells of a grid triangles cover, and which is nearest.

    Args:
        place: Columns and rows of the corners; cell k reaches from k to k + 1. Shape (n, 3, 2).
        depth: Of the corners; what is linear over the grid, and smaller where it is nearer. Shape (n, 3).
        size: Columns and rows of the grid.
    """
    a, b, c = place[:, 0, 1], place[:, 1, 1], place[:, 2, 1]  # one by one: reducing a short axis is slow
    low = np.clip(np.ceil(np.minimum(np.minimum(a, b), c) - 0.5), 0, size[1])
    high = np.clip(np.ceil(np.maximum(np.maximum(a, b), c) - 0.5), 0, size[1])
    kept = np.flatnonzero(high > low)
    nearest, found = np.full(size[0] * size[1], np.inf), list[Covered]()
    for some in np.array_split(kept, int((high - low).sum()) // MOST_ROWS + 1):
        rows = low[some].astype(np.intp), (high - low)[some].astype(np.intp)
        found.append(_filled(place[some], depth[some], size, *rows))
        found[-1] = replace(found[-1], triangle=some[found[-1].triangle])
        np.minimum.at(nearest, found[-1].cell, found[-1].depth)
    every = Covered(*(np.concatenate([getattr(one, name) for one in found]) for name in Covered.__slots__))
    seen = np.flatnonzero(every.depth <= nearest[every.cell])
    _, once = np.unique(every.cell[seen], return_index=True)  # surfaces that touch are equally near
    return Covered(*(getattr(every, name)[seen[once]] for name in Covered.__slots__))


def _filled(
    place: Array, depth: Array, size: tuple[int, int], first_row: npt.NDArray[np.intp], tall: npt.NDArray[np.intp]
) -> Covered:
    """Return all cells whose middles lie in triangles, row by row, given the first row of each and how many it has."""
    owner, below = _counted(tall)
    row = first_row[owner] + below
    ends = _span(place, owner, row.astype(np.float64) + 0.5)
    columns = np.clip(np.ceil(ends - 0.5), 0, size[0]).astype(np.intp)
    span, along = _counted(columns[1] - columns[0])
    column, row, owner = columns[0][span] + along, row[span], owner[span]
    weight = _weights(place, owner, np.stack([column, row], axis=1) + 0.5)
    return Covered(row * size[0] + column, owner, weight, np.einsum("mk,mk->m", weight, depth[owner]))


def _counted(counts: npt.NDArray[np.intp]) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return for 2, 0, 3 of them the owners 0, 0, 2, 2, 2 and the numbers 0, 1, 0, 1, 2."""
    owner = np.repeat(np.arange(len(counts)), counts)
    return owner, np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]


def _span(place: Array, owner: npt.NDArray[np.intp], height: Array) -> Array:
    """Return where lines across the grid enter and leave their triangles. Shapes (n, 3, 2), (m,), (m,) in, (2, m)."""
    ends = np.stack([np.full_like(height, np.inf), np.full_like(height, -np.inf)])
    for one, other in ((0, 1), (1, 2), (2, 0)):
        (x, y), (run, rise) = place[:, one].T, (place[:, other] - place[:, one]).T
        slope = np.divide(run, rise, out=np.zeros_like(run), where=rise != 0.0)
        up = height - y[owner]
        crosses = np.flatnonzero((up >= 0.0) != (up >= rise[owner]))
        meets = x[owner[crosses]] + up[crosses] * slope[owner[crosses]]
        ends[0, crosses], ends[1, crosses] = np.minimum(ends[0, crosses], meets), np.maximum(ends[1, crosses], meets)
    return np.where(ends[0] <= ends[1], ends, 0.0)


def _weights(place: Array, owner: npt.NDArray[np.intp], points: Array) -> Array:
    """Return barycentric coordinates of points in their triangles. Shapes (n, 3, 2), (m,), (m, 2) in, (m, 3) out."""
    a, b, c = place[:, 0], place[:, 1], place[:, 2]
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    area = ux * vy - uy * vx
    scale = np.divide(1.0, area, out=np.zeros_like(area), where=area != 0.0)  # who is seen edge-on covers no cell
    right, down = (points - a[owner]).T
    second = right * (vy * scale)[owner] - down * (vx * scale)[owner]
    third = down * (ux * scale)[owner] - right * (uy * scale)[owner]
    return np.stack([1.0 - second - third, second, third], axis=1)
