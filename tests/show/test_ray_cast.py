import numpy as np
import pytest

from strut.engines.rigid_body import Solid
from strut.show.ray_cast import hit_distance, shaded, surface_normal

GREY = (0.5, 0.5, 0.5, 1.0)
BOX = Solid("box", np.array([0.1, 0.2, 0.3]), GREY)
CAPSULE = Solid("capsule", np.array([0.1, 0.25, 0.0]), GREY)
BALL = Solid("sphere", np.array([0.1, 0.0, 0.0]), GREY)


@pytest.mark.parametrize(
    ("solid", "along_x_m", "along_z_m"),
    [(BOX, 0.9, 0.7), (CAPSULE, 0.9, 0.65), (BALL, 0.9, 0.9)],
    ids=["box", "capsule", "sphere"],
)
def test_rays_along_the_axes_stop_at_the_surface(solid: Solid, along_x_m: float, along_z_m: float) -> None:
    directions = -np.eye(3)[[0, 2]]
    met = hit_distance(solid, np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), directions)
    np.testing.assert_allclose(met, [along_x_m, along_z_m], atol=1e-12)


@pytest.mark.parametrize("solid", [BOX, CAPSULE, BALL], ids=["box", "capsule", "sphere"])
def test_hit_points_lie_on_the_surface_and_normals_face_the_ray(solid: Solid) -> None:
    rng = np.random.default_rng(1)
    origin = rng.normal(size=(500, 3))
    origin /= np.linalg.norm(origin, axis=1, keepdims=True)
    direction = 0.15 * rng.normal(size=(500, 3)) - origin
    met = hit_distance(solid, origin, direction)
    hit = np.isfinite(met)
    assert hit.sum() > 50
    points = origin[hit] + met[hit, None] * direction[hit]
    if solid.kind == "box":
        np.testing.assert_allclose(np.max(np.abs(points) / solid.size_m, axis=1), np.ones(hit.sum()), atol=1e-9)
    else:
        on_axis = np.clip(points[:, 2], -solid.size_m[1], solid.size_m[1])
        away = points - np.stack([0 * on_axis, 0 * on_axis, on_axis], axis=1)
        np.testing.assert_allclose(np.linalg.norm(away, axis=1), np.full(hit.sum(), 0.1), atol=1e-9)
    normal = surface_normal(solid, points)
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), np.ones(hit.sum()), atol=1e-12)
    assert np.all(np.sum(normal * direction[hit], axis=1) < 0.0)


def test_a_ball_under_the_lamp_shades_a_disc_of_its_own_size() -> None:
    x = np.linspace(-0.3, 0.3, 120)
    ground = np.stack([x, 0 * x, 0 * x], axis=1)
    dark = shaded((BALL,), np.array([[0.0, 0.0, 1.0]]), np.eye(3)[None], ground, np.array([0.0, 0.0, 1.0]))
    np.testing.assert_array_equal(dark, np.abs(x) < 0.1)


def test_a_slanted_lamp_moves_the_shadow_away_from_it() -> None:
    light = np.array([0.6, 0.0, 0.8])
    ground = np.array([[-0.75, 0.0, 0.0], [0.75, 0.0, 0.0], [0.0, 0.0, 0.0]])
    dark = shaded((BALL,), np.array([[0.0, 0.0, 1.0]]), np.eye(3)[None], ground, light)
    np.testing.assert_array_equal(dark, [True, False, False])
