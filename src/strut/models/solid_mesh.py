"""Solid mesh: triangles of the parts of a robot's body, by trimesh, counter-clockwise seen from outside."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from threading import Lock

import numpy as np
import numpy.typing as npt
import trimesh
from fast_simplification import simplify

from strut.arrays import Array
from strut.models.solids import Mesh, Solid

AROUND = 20  # corners of a circle: enough that a limb looks round
MOST_FACES = 80_000  # of all meshes of a body together: what a page holds and a phone draws
MOST_FACES_DRAWN = 400_000  # in pictures, which need no more
MOST_FACES_FILMED = 120_000  # in films, whose frames are small and many; with fewer, shells of others crumple
_ONE_AT_A_TIME = Lock()  # fast-simplification holds its mesh in globals: two threads would mix theirs
_SAME_PLACE = 1e-6  # of a mesh's size
_LEAST_FACES = 12  # those of a box
_EAGERNESS = 5.0  # with which edges collapse: more leaves spikes in surfaces that are not closed
_LOOKS = 40
_CELLS = 192
_BEHIND = 1.5  # directions, cells of a grid across a mesh, and how many behind the first are seen


def solid_mesh(solid: Solid, *, around: int = AROUND) -> Mesh:
    """Return the triangles of a part. `around` is the number of corners of each circle, even and at least 4."""
    if solid.mesh is not None:
        return solid.mesh
    first, second, _ = (float(size) for size in solid.size_m)
    if solid.kind == "box":
        made = trimesh.creation.box(extents=2.0 * solid.size_m)
    elif solid.kind == "cylinder":
        made = trimesh.creation.cylinder(radius=first, height=2.0 * second, sections=around)
    elif solid.kind == "capsule":
        made = trimesh.creation.capsule(radius=first, height=2.0 * second, count=(around, around))
        made.apply_translation(-made.bounds.mean(axis=0))
    else:
        made = trimesh.creation.uv_sphere(radius=1.0, count=(around // 2 + 1, around))
        made.vertices *= first if solid.kind == "sphere" else solid.size_m
    return Mesh(np.array(made.vertices), np.array(made.faces))


@lru_cache(maxsize=16)
def lightened(parts: tuple[Solid, ...], most_faces: int) -> tuple[Solid, ...]:
    """Return the parts of a body with meshes reduced so that they have at most so many faces together."""
    share = most_faces / max(1, sum(len(part.mesh.faces) for part in parts if part.mesh is not None))
    return tuple(part if part.mesh is None or share >= 1.0 else _lighter(part, part.mesh, share) for part in parts)


def _lighter(part: Solid, mesh: Mesh, share: float) -> Solid:
    """Return a part with a share of its faces."""
    return replace(part, mesh=reduced(mesh, max(_LEAST_FACES, int(share * len(mesh.faces)))))


def reduced(mesh: Mesh, most_faces: int) -> Mesh:
    """Return a mesh with about so many faces at most, if its shape lets it: edges collapse where that changes least.

    By quadric error metrics (M. Garland, P. S. Heckbert, 1997).
    """
    vertices = mesh.vertices.astype(np.float32)
    faces = mesh.faces.astype(np.int32)
    if len(faces) > most_faces:
        vertices, faces = _joined(vertices, faces)
        with _ONE_AT_A_TIME:
            vertices, faces = simplify(vertices, faces, target_count=most_faces, agg=_EAGERNESS)
    return Mesh(vertices.astype(np.float64), faces.astype(np.int64)) if len(faces) else mesh


def _joined(
    vertices: npt.NDArray[np.float32], faces: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """Return a surface whose faces share the vertices where they meet: files repeat them, and it would tear there."""
    grain = float(np.linalg.norm(np.ptp(vertices, axis=0))) * _SAME_PLACE
    _, first, number = np.unique(np.round(vertices / grain), axis=0, return_index=True, return_inverse=True)
    joined = number.astype(np.int32)[faces]
    has_area = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    return vertices[first], joined[has_area]


def outer_faces(mesh: Mesh) -> npt.NDArray[np.int64]:
    """Return the faces that are seen from anywhere outside: what machines hide in their shells needs no triangles.

    From every direction, points of faces are sorted into a grid, and those nearest to the eye are seen. Shape (m, 3).
    """
    corners = mesh.vertices[mesh.faces].astype(np.float32).transpose(2, 1, 0)  # by axis and corner: passes are long
    middle = corners.mean(axis=1, keepdims=True)
    points = np.concatenate([middle, (corners + middle) / 2.0], axis=1).reshape(3, -1)
    points -= points.mean(axis=1, keepdims=True)  # or single precision would be coarse far from the origin
    points /= float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))) / _CELLS
    seen = np.zeros(len(mesh.faces), dtype=np.bool_)
    for towards_eye in _directions(_LOOKS):
        axes = np.linalg.svd(towards_eye[None])[2].astype(np.float32)
        axes[0] = towards_eye
        near, right, up = axes @ points
        column, row = ((one - one.min()).astype(np.int32) for one in (right, up))
        cell = column * (row.max() + 1) + row
        nearest = np.full(int(cell.max()) + 1, -np.inf, dtype=np.float32)
        np.maximum.at(nearest, cell, near)
        seen |= (near >= nearest[cell] - _BEHIND).reshape(4, -1).any(axis=0)
    return np.asarray(mesh.faces[seen])


def _directions(count: int) -> Array:
    """Return directions spread evenly over a sphere, along a spiral. Shape (count, 3)."""
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    across = np.sqrt(1.0 - height**2)
    angle = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    return np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1)
