"""Solid mesh: triangles of the visible parts of a body, counter-clockwise seen from outside."""

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

AROUND = 20  # corners of a circle; limbs look round with them
MAX_FACES = 80_000  # of all meshes of a body on a page, so that a phone draws them smoothly
MAX_FACES_DRAWN = 400_000  # of a body in a picture; more make no visible difference
MAX_FACES_FILMED = 120_000  # of a body in a film, whose frames are small; with fewer, thin shells deform
_ONE_AT_A_TIME = Lock()  # fast-simplification keeps its mesh in global variables
_SAME_PLACE = 1e-6  # distance of vertices that are merged, as a share of the size of the mesh
_MIN_FACES = 12  # faces of a box
_AGGRESSIVENESS = 5.0  # of the simplification; higher values leave spikes in open surfaces
_VIEW_DIRECTIONS = 40  # from which hidden faces are searched
_GRID_CELLS = 192  # across a mesh, in the image of each direction
_DEPTH_CELLS = 1.5  # faces so far behind the nearest one still count as visible


def solid_mesh(solid: Solid, *, around: int = AROUND) -> Mesh:
    """Return the triangles of a solid; `around` is the number of corners of a circle, even and at least 4."""
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
def simplify_solids(solids: tuple[Solid, ...], max_faces: int) -> tuple[Solid, ...]:
    """Return solids whose meshes together have at most about `max_faces` faces."""
    share = max_faces / max(1, sum(len(solid.mesh.faces) for solid in solids if solid.mesh is not None))
    if share >= 1.0:
        return solids
    return tuple(
        solid
        if solid.mesh is None
        else replace(solid, mesh=simplify_mesh(solid.mesh, max(_MIN_FACES, int(share * len(solid.mesh.faces)))))
        for solid in solids
    )


def simplify_mesh(mesh: Mesh, max_faces: int) -> Mesh:
    """Return a mesh with at most about `max_faces` faces, by quadric error metrics (Garland and Heckbert, 1997)."""
    vertices = mesh.vertices.astype(np.float32)
    faces = mesh.faces.astype(np.int32)
    if len(faces) > max_faces:
        vertices, faces = _merge_vertices(vertices, faces)
        with _ONE_AT_A_TIME:
            vertices, faces = simplify(vertices, faces, target_count=max_faces, agg=_AGGRESSIVENESS)
    return Mesh(vertices.astype(np.float64), faces.astype(np.int64)) if len(faces) else mesh


def _merge_vertices(
    vertices: npt.NDArray[np.float32], faces: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32]]:
    """Return a surface whose adjacent faces share vertices; where files repeat them, simplification opens gaps."""
    tolerance = float(np.linalg.norm(np.ptp(vertices, axis=0))) * _SAME_PLACE
    _, first, number = np.unique(np.round(vertices / tolerance), axis=0, return_index=True, return_inverse=True)
    joined = number.astype(np.int32)[faces]
    has_area = (joined[:, 0] != joined[:, 1]) & (joined[:, 1] != joined[:, 2]) & (joined[:, 2] != joined[:, 0])
    return vertices[first], joined[has_area]


def outer_faces(mesh: Mesh) -> npt.NDArray[np.int64]:
    """Return the faces that are visible from outside. Shape (m, 3).

    For each view direction, points of all faces are sorted into a grid; the nearest of each cell are visible.
    """
    corners = (
        mesh.vertices[mesh.faces].astype(np.float32).transpose(2, 1, 0)
    )  # axis, corner, face: fast passes over all faces
    middle = corners.mean(axis=1, keepdims=True)
    points = np.concatenate([middle, (corners + middle) / 2.0], axis=1).reshape(3, -1)
    points -= points.mean(axis=1, keepdims=True)  # single precision is coarse far from the origin
    points /= float(np.linalg.norm(np.ptp(mesh.vertices, axis=0))) / _GRID_CELLS
    is_visible = np.zeros(len(mesh.faces), dtype=np.bool_)
    for towards_eye in _directions(_VIEW_DIRECTIONS):
        axes = np.linalg.svd(towards_eye[None])[2].astype(np.float32)
        axes[0] = towards_eye
        near, right, up = axes @ points
        column = (right - right.min()).astype(np.int32)
        row = (up - up.min()).astype(np.int32)
        cell = column * (row.max() + 1) + row
        nearest = np.full(int(cell.max()) + 1, -np.inf, dtype=np.float32)
        np.maximum.at(nearest, cell, near)
        is_visible |= (near >= nearest[cell] - _DEPTH_CELLS).reshape(4, -1).any(axis=0)
    return np.asarray(mesh.faces[is_visible])


def _directions(count: int) -> Array:
    """Return directions spread evenly over a sphere, along a spiral. Shape (count, 3)."""
    height = 1.0 - (2.0 * np.arange(count) + 1.0) / count
    across = np.sqrt(1.0 - height**2)
    angle = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    return np.stack([across * np.cos(angle), across * np.sin(angle), height], axis=1)
