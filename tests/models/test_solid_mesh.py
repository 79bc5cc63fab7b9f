from collections import Counter

import numpy as np
import pytest

from strut.models.solid_mesh import outer_faces, simplify_mesh, simplify_solids, solid_mesh
from strut.models.solids import Mesh, Solid

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
    shell = solid_mesh(BALL, around=160)
    core = solid_mesh(BALL)
    vertices = np.concatenate([shell.vertices, 0.5 * core.vertices])
    seen = outer_faces(Mesh(vertices, np.concatenate([shell.faces, core.faces + len(shell.vertices)])))
    np.testing.assert_array_equal(seen, shell.faces)


def test_a_mesh_is_reduced_to_its_number_of_faces_and_keeps_its_shape() -> None:
    ball = solid_mesh(BALL, around=60)
    less = simplify_mesh(ball, 500)
    assert len(less.faces) <= 510 < len(ball.faces)
    away = np.linalg.norm(less.vertices, axis=1)
    np.testing.assert_allclose(away, 0.1, atol=2e-3)
    same = simplify_mesh(ball, len(ball.faces))
    np.testing.assert_allclose(same.vertices, ball.vertices, atol=1e-6)
    np.testing.assert_array_equal(same.faces, ball.faces)


def test_bodies_are_lightened_evenly_and_only_where_they_have_too_many_faces() -> None:
    large = solid_mesh(BALL, around=60)
    small = solid_mesh(BALL, around=30)
    parts = (Solid("mesh", np.zeros(3), GREY, large), BOX, Solid("mesh", np.zeros(3), GREY, small))
    total = len(large.faces) + len(small.faces)
    assert simplify_solids(parts, total) == parts
    lighter = simplify_solids(parts, total // 2)
    assert lighter[1] is BOX
    for before, after in ((large, lighter[0].mesh), (small, lighter[2].mesh)):
        assert len(after.faces) == pytest.approx(len(before.faces) / 2.0, rel=0.05)
    least = simplify_solids(parts, 2)
    assert [len(least[k].mesh.faces) for k in (0, 2)] == [12, 12]


@pytest.mark.parametrize("kind", ["cylinder", "ellipsoid"])
def test_cylinders_and_ellipsoids_have_their_sizes_along_each_axis(kind) -> None:
    size = np.array([0.1, 0.25, 0.0]) if kind == "cylinder" else np.array([0.1, 0.2, 0.3])
    mesh = solid_mesh(Solid(kind, size, GREY), around=40)
    half = (0.1, 0.1, 0.25) if kind == "cylinder" else size
    np.testing.assert_allclose(np.abs(mesh.vertices).max(axis=0), half, rtol=5e-3)
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    volume = np.pi * 0.01 * 0.5 if kind == "cylinder" else 4.0 / 3.0 * np.pi * 0.1 * 0.2 * 0.3
    assert np.sum(a * np.cross(b, c)) / 6.0 == pytest.approx(volume, rel=0.02)
    own = Mesh(np.zeros((3, 3)), np.array([[0, 1, 2]]))
    assert solid_mesh(Solid("mesh", np.zeros(3), GREY, own)) is own
