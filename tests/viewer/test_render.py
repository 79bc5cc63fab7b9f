"""One frame as pixels: brightness by the angle to the lamp, soft shadows of the right size, a grid that fades away."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.arrays import Array
from strut.balance.polygon import convex_hull
from strut.models.solids import Solid
from strut.viewer.camera import Camera, fitted_camera, view_axes
from strut.viewer.floor import BACKDROP, FLOOR_COLOR, GRID_COLOR, POLYGON_COLOR, SPOT_COLORS, FloorArea, cast_shadow
from strut.viewer.footage import Footage
from strut.viewer.rasterizer import PosedBody
from strut.viewer.render import draw_frame, light_direction

SIZE = (240, 200)
DULL = (0.6, 0.4, 0.2, 1.0)
UP = np.array([0.0, 0.0, 1.0])
BALL = Solid("sphere", np.array([0.1, 0.0, 0.0]), DULL)


def scene(*parts: tuple[Solid, tuple[float, float, float]], polygon=None, spots=None) -> Footage:
    """Return one frame of parts at places."""
    solids, centres = zip(*parts, strict=True)
    return Footage(
        time_s=np.zeros(1),
        base_in_world=np.zeros((1, 3)),
        solids=solids,
        centre_in_world=np.array([centres]),
        solid_to_world=np.tile(np.eye(3), (1, len(solids), 1, 1)),
        polygons=(polygon,),
        spots={name: np.array([place]) for name, place in (spots or {}).items()},
    )


def looking_down(height_m: float, focal_px: float = 300.0) -> Camera:
    """Return a camera above the origin that looks straight down on the middle of a pixel; columns go along -y."""
    axes = np.array([[0.0, -1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    return Camera(np.array([0.0, 0.0, height_m]), axes, focal_px, np.array(SIZE) / 2.0 + 0.5, SIZE)


def draw(film: Footage, camera: Camera, *, size_m: float = 1.0, grid_m: float = 100.0) -> Array:
    ground = FloorArea(np.zeros(2), 0.66 * size_m, grid_m)
    return draw_frame(film, 0, camera, size_m=size_m, ground=ground).astype(float) / 255.0


def colors_at(picture: Array, camera: Camera, points_m: Array) -> Array:
    columns, rows = np.floor(camera.project(np.asarray(points_m))[0]).astype(int).T
    return picture[rows, columns]


def test_the_lamp_is_above_and_over_the_left_shoulder_of_the_camera():
    for azimuth in (-0.8, 0.0, 2.0):
        axes = view_axes(azimuth, 0.4)
        lamp = light_direction(Camera(np.zeros(3), axes, 1.0, np.zeros(2), SIZE))
        assert np.linalg.norm(lamp) == pytest.approx(1.0)
        assert lamp @ UP > 0.8
        assert lamp @ axes[0] < -0.3  # to the left
        assert lamp @ axes[2] < -0.3  # from behind the camera


def test_the_brightness_of_a_ball_grows_linearly_with_the_cosine_to_the_lamp_and_to_the_sky():
    """Lambert's law: where no gloss is, colours are those of the ball times a linear function of both cosines."""
    camera = fitted_camera(np.array([[-0.1, -0.1, 0.9], [0.1, 0.1, 1.1]]), SIZE)
    lamp = light_direction(camera)
    picture = draw(scene((BALL, (0.0, 0.0, 1.0))), camera)
    rng = np.random.default_rng(0)
    normals = rng.standard_normal((4000, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    towards_eye = camera.eye_in_world - [0.0, 0.0, 1.0]
    towards_eye /= np.linalg.norm(towards_eye)
    normals = normals[normals @ towards_eye > 0.4]
    seen = colors_at(picture, camera, [0.0, 0.0, 1.0] + 0.1 * normals)
    halfway = (lamp + towards_eye) / np.linalg.norm(lamp + towards_eye)
    dull = normals @ halfway < 0.8
    bright = normals @ lamp
    for facing in (bright > 0.1, bright < -0.25):  # between them lies the edge of the shadow, which is soft
        rows = dull & facing
        assert rows.sum() > 100
        shade = seen[rows] / DULL[:3]
        assert_allclose(shade, shade[:, :1].repeat(3, axis=1), atol=0.03)
        terms = np.column_stack([np.ones(rows.sum()), normals[rows, 2], np.maximum(bright[rows], 0.0)])
        factors, *_ = np.linalg.lstsq(terms, shade.mean(axis=1), rcond=None)
        assert_allclose(terms @ factors, shade.mean(axis=1), atol=0.03)
        assert factors[0] == pytest.approx(0.44, abs=0.04)  # of the sky alone, so that no side is black
        assert factors[1] == pytest.approx(0.16, abs=0.04)
    glossy = seen[normals @ halfway > 0.995]
    flat = (0.44 + 0.16 * normals[:, 2] + 0.48 * bright)[normals @ halfway > 0.995, None] * DULL[:3]
    assert_allclose(glossy - flat, 0.16, atol=0.04)  # the lamp's own colour, which is white


def test_a_lit_white_plate_is_nearly_white_and_its_far_side_grey():
    plate = Solid("box", np.array([0.4, 0.4, 0.01]), (1.0, 1.0, 1.0, 1.0))
    camera = looking_down(3.0)
    top = draw(scene((plate, (0.0, 0.0, 0.5))), camera)[95:105, 115:125]
    assert 0.9 < top.mean() <= 1.0
    below = Camera(np.array([0.0, 0.0, -2.0]), np.eye(3), 300.0, np.array(SIZE) / 2.0, SIZE)
    assert draw(scene((plate, (0.0, 0.0, 0.5))), below)[95:105, 115:125].mean() == pytest.approx(0.28, abs=0.05)


def test_a_body_has_a_darker_rim_that_is_half_a_pixel_wide():
    camera = looking_down(3.0)
    plate = Solid("box", np.array([0.305, 0.305, 0.001]), DULL)
    row = draw(scene((plate, (0.0, 0.0, 0.0))), camera)[100, :, 1]
    assert_allclose(np.diff(row[91:150]), 0.0, atol=0.01)
    assert_allclose(row[[90, 150]], row[[91, 149]] * (1.0 + 0.55) / 2.0, atol=0.02)  # one of two samples is rim
    assert (row[[89, 151]] > row[[90, 150]] + 0.05).all()  # the floor


def test_a_shadow_holds_as_much_darkness_as_the_discs_that_lamp_and_sky_cast():
    """Blurring moves darkness and loses none: its sum is that of the projected areas, its width grows by the blur."""
    body = PosedBody((BALL,), np.array([[0.2, 0.1, 0.6]]), np.eye(3)[None])
    corners = np.array([[0.1, 0.0, 0.5], [0.3, 0.2, 0.7]])
    lamp = np.array([0.6, 0.0, 0.8])
    cells = 150
    shadow = cast_shadow(body, corners, light=lamp, half_m=1.0, cells=cells)
    assert_allclose(shadow.middle_m, [0.2, 0.1])
    cell_m = 2.0 / cells
    disc_m2 = np.pi * 0.1**2
    assert shadow.darkness.sum() * cell_m**2 == pytest.approx(0.42 * disc_m2 / 0.8 + 0.24 * disc_m2, rel=0.03)
    places = 0.1 + cell_m * (np.arange(cells) + 0.5) - 1.0
    across = shadow.darkness.sum(axis=0)  # along y both lie in one line, which the lamp's slant does not change
    mean = (across * places).sum() / across.sum()
    variance = (across * (places - mean) ** 2).sum() / across.sum()
    blurred = [0.1**2 / 4.0 + (2.0 * blur) ** 2 for blur in (0.010, 0.045)]
    expected = np.average(blurred, weights=[0.42 / 0.8, 0.24])
    assert mean == pytest.approx(0.1, abs=2e-3)
    assert variance == pytest.approx(expected, rel=0.05)
    along = shadow.darkness.sum(axis=1)
    forward = (along * (places + 0.1)).sum() / along.sum()
    away_m = np.average([0.2 - 0.6 * 0.6 / 0.8, 0.2], weights=[0.42 / 0.8, 0.24])
    assert forward == pytest.approx(away_m, abs=3e-3)


def test_grid_lines_are_at_whole_steps_and_a_pixel_wide():
    camera = looking_down(3.0)
    away = (BALL, (0.0, 0.0, 50.0))  # behind the camera and without a shadow here
    picture = draw(scene(away), camera, size_m=50.0, grid_m=0.25)
    columns, _ = camera.project(np.column_stack([np.full(3, 0.1), [-0.25, 0.0, 0.25], np.zeros(3)]))[0].T
    row = picture[int(camera.project(np.array([[0.1, 0.0, 0.0]]))[0][0, 1])]
    assert_allclose(row[columns.astype(int) + 12], np.tile(FLOOR_COLOR, (3, 1)), atol=0.01)
    darkest = np.array(FLOOR_COLOR) + 0.8 * (np.array(GRID_COLOR) - FLOOR_COLOR)
    for column in columns:
        near = row[int(column) - 2 : int(column) + 3]
        assert_allclose(near.min(axis=0), darkest, atol=0.01)
        missing = (np.array(FLOOR_COLOR) - near)[:, 0].sum() / (FLOOR_COLOR[0] - GRID_COLOR[0])
        assert missing == pytest.approx(0.8 * 1.6, abs=0.1)  # its own pixel and a third of both beside it


def test_the_floor_fades_into_the_backdrop_far_from_the_body():
    camera = looking_down(3.0, focal_px=60.0)
    picture = draw(scene((BALL, (0.0, 0.0, 1.0))), camera)
    y_m = np.linspace(0.25, 1.6, 28)  # on the side of the lamp, where no shadow falls
    colors = colors_at(picture, camera, np.column_stack([np.full(28, 0.1), y_m, np.zeros(28)]))
    haze = (colors - FLOOR_COLOR)[:, 0] / (BACKDROP[0] - FLOOR_COLOR[0])
    expected = 1.0 - (1.0 - np.hypot(y_m, 0.1) / 0.66) / 0.43  # over the outer 43 % of the floor's reach
    assert_allclose(haze, np.clip(expected, 0.0, 1.0), atol=0.08)


def test_a_support_polygon_is_tinted_and_has_an_edge_and_spots_lie_on_it():
    corners = np.array([[-0.3, -0.3], [0.3, -0.3], [0.3, 0.3], [-0.3, 0.3]])
    camera = looking_down(3.0)
    film = scene(
        (BALL, (0.0, 0.0, 50.0)),
        polygon=convex_hull(corners),
        spots={"centre of mass": (0.1, 0.1), "centre of pressure": (-0.1, -0.1)},
    )
    picture = draw(film, camera, size_m=1.5)
    inside, outside, edge = colors_at(picture, camera, np.array([[0.05, 0.15, 0], [0.05, 0.4, 0], [0.05, 0.2985, 0]]))
    floor = np.array(FLOOR_COLOR)
    assert_allclose(outside, floor, atol=0.02)
    assert_allclose(inside, floor + 0.2 * (np.array(POLYGON_COLOR) - floor), atol=0.02)
    assert_allclose(edge, inside + 0.9 * (np.array(POLYGON_COLOR) - inside), atol=0.06)
    for name, place in (("centre of mass", 0.1), ("centre of pressure", -0.1)):
        assert_allclose(colors_at(picture, camera, np.array([[place, place, 0.0]]))[0], SPOT_COLORS[name], atol=0.02)


def test_spots_shine_through_the_body_that_covers_them():
    camera = looking_down(3.0)
    plate = Solid("box", np.array([0.3, 0.3, 0.001]), DULL)
    spots = {"centre of pressure": (0.0, 0.0)}
    covered, bare = (
        draw(scene((plate, (0.0, 0.0, 0.2)), spots=some), camera)[SIZE[1] // 2, SIZE[0] // 2] for some in (spots, {})
    )
    on_white = bare + 0.62 * (1.0 - bare)  # the ring is the rest of a white disc
    assert_allclose(covered, on_white + 0.62 * (np.array(SPOT_COLORS["centre of pressure"]) - on_white), atol=0.02)


@pytest.mark.parametrize("shape", [(240, 200), (100, 300)])
def test_a_fitted_camera_centres_the_points_and_fills_the_picture_with_them(shape):
    points = np.random.default_rng(4).uniform([1.0, -2.0, 0.0], [1.5, -1.8, 0.9], (40, 3))
    camera = fitted_camera(points, shape, azimuth_rad=0.3, elevation_rad=0.5)
    places, depth = camera.project(points)
    assert_allclose((places.min(axis=0) + places.max(axis=0)) / 2.0, np.array(shape) / 2.0, atol=1e-9)
    assert (np.ptp(places, axis=0) / shape).max() == pytest.approx(0.86)
    size_m = np.linalg.norm(np.ptp(points, axis=0))
    middle_m = (points.min(axis=0) + points.max(axis=0)) / 2.0
    assert np.linalg.norm(camera.eye_in_world - middle_m) == pytest.approx(4.0 * size_m)  # as a long lens
    assert_allclose(depth.mean(), 4.0 * size_m, rtol=0.1)
    towards = (camera.eye_in_world - middle_m) / (4.0 * size_m)
    assert_allclose(towards, [np.cos(0.3) * np.cos(0.5), np.sin(0.3) * np.cos(0.5), np.sin(0.5)], atol=1e-9)
    assert_allclose(camera.rays(*places.T), (points - camera.eye_in_world) / depth[:, None], atol=1e-9)
