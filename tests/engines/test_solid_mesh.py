from collections import Counter

import numpy as np
import pytest

from strut.engines.solid_mesh import _directions, outer_faces, solid_mesh
from strut.engines.solids import Mesh, Solid

GREY = (0.5, 0.5, 0.5, 1.0)
BOX = Solid("box", np.array([0.1, 0.2, 0.3]), GREY)
CAPSULE = Solid("capsule", np.array([0.1, 0.25, 0.0]), GREY)
BALL = Solid("sphere", np.array([0.1, 0.0, 0.0]), GREY)


@pytest.mark.parametrize("solid", [BOX, CAPSULE, BALL], ids=["box", "capsule", "sphere"])
def test_a_mesh_is_closed_and_every_edge_is_walked_once_each_way(solid: Solid) -> None:
    faces = solid_mesh(solid).faces
    edges = Counter((int(face[k]), int(face[(k + 1) % 3])) for face in faces for k in range(3))
    assert set(edges.values()) == {1}
    assert all((end, start) in edges for start, end in edges)


@pytest.mark.parametrize(
    ("solid", "volume_m3"),
    [
        (BOX, 8.0 * 0.1 * 0.2 * 0.3),
        (CAPSULE, np.pi * 0.1**2 * 0.5 + 4.0 / 3.0 * np.pi * 0.1**3),
        (BALL, 4.0 / 3.0 * np.pi * 0.1**3),
    ],
    ids=["box", "capsule", "sphere"],
)
def test_a_mesh_encloses_the_volume_of_its_part_with_faces_outwards(solid: Solid, volume_m3: float) -> None:
    mesh = solid_mesh(solid, around=80)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(volume_m3, rel=5e-3)


@pytest.mark.parametrize("solid", [CAPSULE, BALL], ids=["capsule", "sphere"])
def test_the_vertices_of_a_round_part_lie_on_its_surface(solid: Solid) -> None:
    vertices = solid_mesh(solid).vertices
    on_axis = np.clip(vertices[:, 2], -solid.size_m[1], solid.size_m[1])
    away = np.linalg.norm(vertices - np.stack([0 * on_axis, 0 * on_axis, on_axis], axis=1), axis=1)
    np.testing.assert_allclose(away, np.full(len(vertices), 0.1), atol=1e-12)


def test_what_a_finely_meshed_shell_hides_is_left_out_and_all_of_the_shell_is_kept() -> None:
    shell, core = solid_mesh(BALL, around=160), solid_mesh(BALL)
    vertices = np.concatenate([shell.vertices, 0.5 * core.vertices])
    seen = outer_faces(Mesh(vertices, np.concatenate([shell.faces, core.faces + len(shell.vertices)])))
    np.testing.assert_array_equal(seen, shell.faces)


def test_a_part_is_looked_at_from_directions_that_are_spread_evenly_all_around() -> None:
    directions = _directions(40)
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1.0)
    anywhere = np.random.default_rng(0).normal(size=(500, 3))
    cosine = directions @ (anywhere / np.linalg.norm(anywhere, axis=1, keepdims=True)).T
    assert np.degrees(np.arccos(cosine.max(axis=0))).max() < 27.0  # forty caps of 18 degrees would fill the sphere
