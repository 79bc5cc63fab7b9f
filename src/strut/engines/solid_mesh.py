"""Solid mesh: triangles of the parts of a robot's body, by trimesh, counter-clockwise seen from outside."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import trimesh

from strut.engines.solids import Mesh, Solid

AROUND = 20  # corners of a circle: enough that a limb looks round
MOST_FACES = 40_000  # of all meshes of a body together: what a page holds and a phone draws
MOST_FACES_DRAWN = 400_000  # in pictures and films, which need no more
_COARSER = 1.25  # how much larger cells become when a mesh still has too many faces


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
    return tuple(
        part if part.mesh is None or share >= 1.0 else replace(part, mesh=_reduced(part.mesh, share)) for part in parts
    )


def _reduced(mesh: Mesh, share: float) -> Mesh:
    """Return a mesh with at most a share of its faces: vertices in one cell of a grid become one."""
    most_faces = max(12, int(share * len(mesh.faces)))
    whole = trimesh.Trimesh(mesh.vertices, mesh.faces, process=False)
    cell_m, vertices, faces = float(np.sqrt(2.0 * whole.area / most_faces)), mesh.vertices, mesh.faces
    while len(faces) > most_faces:
        _, cell, members = np.unique(np.round(mesh.vertices / cell_m), axis=0, return_inverse=True, return_counts=True)
        cell = cell.reshape(-1)
        vertices = np.stack([np.bincount(cell, column) for column in mesh.vertices.T], axis=1) / members[:, None]
        corners = cell[mesh.faces]
        ordered = np.sort(corners, axis=1)
        kept = np.flatnonzero((np.diff(ordered, axis=1) > 0).all(axis=1))  # the others are a line or a point now
        faces = corners[kept[np.unique(ordered[kept], axis=0, return_index=True)[1]]]
        cell_m *= _COARSER
    return Mesh(vertices, faces) if len(faces) else mesh
