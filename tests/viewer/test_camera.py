import numpy as np

from strut.viewer.camera import Camera, fitted_camera, view_axes


def test_projection_agrees_with_similar_triangles() -> None:
    axes = np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])  # looks along x, y is left
    camera = Camera(np.zeros(3), axes, focal_px=100.0, middle_px=np.array([50.0, 40.0]), size_px=(100, 80))
    pixel, depth_m = camera.project(np.array([2.0, 0.5, 0.25]))
    np.testing.assert_allclose(pixel, [50.0 - 100.0 * 0.25, 40.0 - 100.0 * 0.125])
    np.testing.assert_allclose(depth_m, 2.0)


def test_a_ray_through_the_pixel_of_a_point_meets_the_point() -> None:
    points = np.random.default_rng(2).normal(size=(20, 3))
    camera = fitted_camera(points, (300, 200))
    pixels, depth_m = camera.project(points)
    rays = camera.rays(pixels[:, 0], pixels[:, 1])
    np.testing.assert_allclose(camera.eye_in_world + depth_m[:, None] * rays, points, atol=1e-9)


def test_the_view_is_from_three_quarters_and_upright() -> None:
    right, down, forward = view_axes()
    np.testing.assert_allclose(view_axes() @ view_axes().T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(np.cross(right, down), forward, atol=1e-12)
    assert right[2] == 0.0
    assert down[2] < 0.0
    np.testing.assert_allclose(forward[0], -forward[1])  # 45 degrees between front and side


def test_all_points_are_inside_the_fitted_picture() -> None:
    points = np.random.default_rng(3).uniform(-1.0, 2.0, size=(200, 3))
    pixels, _ = fitted_camera(points, (300, 200)).project(points)
    assert np.all(pixels > 0.0)
    assert np.all(pixels < [300.0, 200.0])
