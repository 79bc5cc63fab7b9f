"""Solid mesh: closed triangle meshes of the parts of a robot's body, counter-clockwise seen from outside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.engines.rigid_body import Solid
from strut.robot import Array

AROUND = 20  # corners of a circle: enough that a limb looks round


@dataclass(frozen=True, slots=True, eq=False)
class Mesh:
    """Triangles: vertices in the part's own frame [m] (n, 3), and the three vertices of each face (m, 3)."""

    vertices: Array
    faces: npt.NDArray[np.int64]


def solid_mesh(solid: Solid, *, around: int = AROUND) -> Mesh:
    """Return the mesh of a part. `around` is the number of corners of each circle, even and at least 4."""
    if solid.kind == "box":
        return _box(solid.size_m)
    half_length_m = float(solid.size_m[1]) if solid.kind == "capsule" else 0.0
    return _capsule(float(solid.size_m[0]), half_length_m, around)


def _box(half_sizes_m: Array) -> Mesh:
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    squares = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [triangle for a, b, c, d in squares for triangle in ((a, b, c), (a, c, d))]
    return Mesh(corners * half_sizes_m, np.array(faces))


def _capsule(radius_m: float, half_length_m: float, around: int) -> Mesh:
    """Return two half balls along z with a tube between them; a ball if the half length is 0."""
    latitude = np.linspace(-np.pi / 2.0, np.pi / 2.0, around // 2 + 1)[1:-1]
    shift = np.where(latitude < 0.0, -half_length_m, half_length_m)
    if half_length_m > 0.0:
        below, above = latitude[latitude < -1e-9], latitude[latitude > 1e-9]
        latitude = np.concatenate([below, [0.0, 0.0], above])
        shift = np.repeat([-half_length_m, half_length_m], [len(below) + 1, len(above) + 1])
    longitude = np.arange(around) * 2.0 * np.pi / around
    ring = np.stack([np.cos(longitude), np.sin(longitude)], axis=1)
    rings = np.empty((len(latitude), around, 3))
    rings[..., :2] = radius_m * np.cos(latitude)[:, None, None] * ring
    rings[..., 2] = (radius_m * np.sin(latitude) + shift)[:, None]
    pole = radius_m + half_length_m
    vertices = np.concatenate([[[0.0, 0.0, -pole]], rings.reshape(-1, 3), [[0.0, 0.0, pole]]])
    return Mesh(vertices, _ring_faces(len(latitude), around))


def _ring_faces(n_rings: int, around: int) -> npt.NDArray[np.int64]:
    """Return the faces from a bottom pole, the first vertex, over rings of vertices to a top pole, the last one."""
    this = np.arange(around)
    following = (this + 1) % around
    top, last = 1 + n_rings * around, 1 + (n_rings - 1) * around
    faces = [np.stack([np.zeros_like(this), 1 + following, 1 + this], axis=1)]
    for ring in range(n_rings - 1):
        low, high = 1 + ring * around, 1 + (ring + 1) * around
        faces.append(np.stack([low + this, low + following, high + following], axis=1))
        faces.append(np.stack([low + this, high + following, high + this], axis=1))
    faces.append(np.stack([last + this, last + following, np.full_like(this, top)], axis=1))
    return np.concatenate(faces)
