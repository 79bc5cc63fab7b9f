"""Triangles: the parts of a body as one set of triangles with normals, coarser for shadows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.models.solid_mesh import simplify_solids, solid_mesh
from strut.models.solids import Mesh, Solid
from strut.viewer.fill import across, covered, doubled_area

ROUND_FACES = 9_000  # of all round parts; with normals of the true surface, these few look round
SHADOW_ROUND_FACES = 3_000  # the same for shadows, which are soft
SHADOW_FACES = 16_000  # of meshes, for shadows
AROUND = (10, 32)  # smallest and largest number of corners of a circle: fewer if there are many round parts
MIN_FRONT_SHARE = 0.95  # of a closed mesh; imported ones may have some triangles inside out
_LOOK_CELLS = 48
_AROUND_IT = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]) / np.sqrt(3.0)
_FACES = {"capsule": 2, "sphere": 1, "ellipsoid": 1}
CREASE = float(np.cos(np.deg2rad(35.0)))  # of a mesh: faces that turn more from the mean at a corner have an edge
_SAME_PLACE = 1e-6  # distance of vertices that are one, over the size of a mesh: files repeat them


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """Triangles of all parts of a body, part after part, in the frame of their part.

    Args:
        vertex_m: Shape (v, 3).
        vertex_stops: End of each part among the vertices. Shape (p,).
        faces: Vertices of the triangles, counter-clockwise seen from outside, corner by corner. Shape (3, n).
        face_stops: End of each part among the triangles. Shape (p,).
        normal: Unit normals at the corners, out of the part. Shape (3, n, 3).
        part: Number of the part of each triangle. Shape (n,).
        smooth: Whether its three normals differ. Shape (n,).
        closed: Whether its part is closed, so that back faces may be culled. Shape (n,).
    """

    vertex_m: Array
    vertex_stops: npt.NDArray[np.intp]
    faces: npt.NDArray[np.int64]
    face_stops: npt.NDArray[np.intp]
    normal: Array
    part: npt.NDArray[np.intp]
    smooth: npt.NDArray[np.bool_]
    closed: npt.NDArray[np.bool_]

    def vertices_in_world(self, centre_in_world: Array, part_to_world: Array) -> Array:
        """Return the vertices of parts at their poses. Shapes (p, 3), (p, 3, 3) in, (v, 3) out."""
        placed = np.empty_like(self.vertex_m)
        first = 0
        for last, centre, turn in zip(self.vertex_stops, centre_in_world, part_to_world, strict=True):
            placed[first:last] = self.vertex_m[first:last] @ turn.T + centre
            first = last
        return placed


@lru_cache(maxsize=16)
def triangles_of(parts: tuple[Solid, ...]) -> Triangles:
    """Return the triangles of the parts of a body."""
    return _triangles(parts, _closed(parts), ROUND_FACES)


@lru_cache(maxsize=16)
def shading_triangles(parts: tuple[Solid, ...]) -> Triangles:
    """Return fewer triangles of the parts of a body, for its shadows."""
    return _triangles(simplify_solids(parts, SHADOW_FACES), _closed(parts), SHADOW_ROUND_FACES)


@lru_cache(maxsize=16)
def _closed(parts: tuple[Solid, ...]) -> npt.NDArray[np.bool_]:
    """Return which parts are closed. Shape (p,)."""
    return np.array([part.mesh is None or front_share(part.mesh) >= MIN_FRONT_SHARE for part in parts])


def front_share(mesh: Mesh) -> float:
    """Return the share of front faces in what is visible of a mesh from all around.

    In a thin shell with reduced triangles, some of the inner side is visible through the outer one.
    """
    front = 0
    total = 0
    faces = mesh.faces.T
    for towards_eye in _AROUND_IT:
        place = mesh.vertices @ across(towards_eye).T
        place = (place - place.min(axis=0)) * (_LOOK_CELLS / max(float(np.ptp(place, axis=0).max()), 1e-9))
        seen = covered(place, -(mesh.vertices @ towards_eye), faces, (_LOOK_CELLS, _LOOK_CELLS)).triangle
        x, y = place.T[:, faces[:, seen]]
        front = front + int((doubled_area(x, y) < 0.0).sum())
        total = total + len(seen)
    return front / max(1, total)


def _triangles(parts: tuple[Solid, ...], closed: npt.NDArray[np.bool_], round_faces: int) -> Triangles:
    corners = _corners_of_circles(parts, round_faces)
    meshes = [solid_mesh(part, around=around) for part, around in zip(parts, corners, strict=True)]
    vertices, faces = ([getattr(mesh, what) for mesh in meshes] for what in ("vertices", "faces"))
    vertex_stops, face_stops = (np.cumsum([*map(len, those)]) for those in (vertices, faces))
    owner = np.repeat(np.arange(len(parts)), np.diff(face_stops, prepend=0))
    first_vertex = np.append(0, vertex_stops)[owner]
    normals = [_normals(part, mesh.vertices[mesh.faces]) for part, mesh in zip(parts, meshes, strict=True)]
    corner_normal = np.concatenate(normals)
    return Triangles(
        vertex_m=np.concatenate(vertices),
        vertex_stops=vertex_stops,
        faces=np.ascontiguousarray((np.concatenate(faces) + first_vertex[:, None]).T),
        face_stops=face_stops,
        normal=np.ascontiguousarray(corner_normal.swapaxes(0, 1)),
        part=owner,
        smooth=(np.ptp(corner_normal, axis=1) > 0.0).any(axis=1),
        closed=closed[owner],
    )


def _corners_of_circles(parts: tuple[Solid, ...], most_faces: int) -> list[int]:
    """Return the numbers of corners of the circles of parts: even, more for large parts, fewer if many are round.

    A ball has as many faces as the square of the number, a capsule twice as many.
    """
    round_parts = [part for part in {*parts} if part.kind in _FACES]
    faces = sum(_FACES[part.kind] for part in round_parts) or 1
    usual_m = float(np.mean([part.size_m[0] for part in round_parts])) if round_parts else 1.0
    shares = np.sqrt(most_faces / faces * np.array([part.size_m[0] for part in parts]) / usual_m)
    shares[[part.kind not in _FACES for part in parts]] = AROUND[1]  # a cylinder has few faces anyway
    return [2 * int(corners / 2.0) for corners in np.clip(shares, *AROUND)]


def _normals(part: Solid, corner_m: Array) -> Array:
    """Return unit normals at the corners (n, 3, 3) of a part's triangles: of round parts, those of the true surface."""
    if part.kind == "mesh":
        normal = _mesh_normals(corner_m)
    elif part.kind in ("box", "cylinder"):
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


def _mesh_normals(corner_m: Array) -> Array:
    """Return normals at the corners of a mesh: the mean of the faces around one, or of the face where it has an edge.

    The mean is weighted by area (H. Gouraud, 1971). Shape (n, 3, 3) in and out.
    """
    face = np.cross(corner_m[:, 1] - corner_m[:, 0], corner_m[:, 2] - corner_m[:, 0])
    places = corner_m.reshape(-1, 3)
    grain_m = _SAME_PLACE * max(float(np.linalg.norm(np.ptp(places, axis=0))), 1e-9)
    x, y, z = np.round((places - places.min(axis=0)) / grain_m).astype(np.int64).T  # below 2^21, as 1 / _SAME_PLACE is
    vertex = np.unique((x << 42) | (y << 21) | z, return_inverse=True)[1]
    count = int(vertex.max()) + 1
    total = np.stack([np.bincount(vertex, np.repeat(face[:, axis], 3), count) for axis in range(3)], axis=1)
    mean = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-300)
    own = face / np.maximum(np.linalg.norm(face, axis=1, keepdims=True), 1e-300)
    around = mean[vertex].reshape(-1, 3, 3)
    is_round = np.einsum("nci,ni->nc", around, own) > CREASE
    return np.asarray(np.where(is_round[..., None], around, own[:, None]))
