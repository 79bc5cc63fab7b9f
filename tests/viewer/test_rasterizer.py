"""Triangles on a grid: what is seen lies on the true surface, the nearest part wins, shadows have the right size."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.models.solids import Solid
from strut.viewer.camera import Camera, fitted_camera
from strut.viewer.fill import covered
from strut.viewer.rasterizer import PosedBody
from strut.viewer.render import MIN_BRIGHTNESS, readable
from tests.models.test_solids import SOLIDS, outside

SIZE = (120, 100)
WINDOW = (slice(0, SIZE[1]), slice(0, SIZE[0]))
ANY = pytest.mark.parametrize("solid", SOLIDS.values(), ids=SOLIDS.keys())
BALL = SOLIDS["sphere"]
UP = np.array([0.0, 0.0, 1.0])


def alone(solid: Solid, centre=(0.0, 0.0, 0.0)) -> PosedBody:
    return PosedBody((solid,), np.array([centre]), np.eye(3)[None])


def camera_on(points) -> Camera:
    return fitted_camera(np.asarray(points), SIZE, azimuth_rad=0.7, elevation_rad=0.4)


@ANY
def test_what_is_seen_lies_on_the_surface_and_faces_the_camera(solid: Solid) -> None:
    camera = camera_on(0.5 * np.array([[-1, -1, -1], [1, 1, 1], [1, -1, 1], [-1, 1, -1]]))
    seen = alone(solid).visible_points(camera, WINDOW, 2)
    assert len(seen.cell) > 200
    assert len(set(seen.cell)) == len(seen.cell)
    off = outside(solid, seen.points_in_world)
    np.testing.assert_allclose(off, np.zeros(len(off)), atol=0.05 if solid.kind == "ellipsoid" else 3e-3)
    np.testing.assert_allclose(np.linalg.norm(seen.normal, axis=1), np.ones(len(off)), atol=1e-9)
    assert (np.sum(seen.normal * (seen.points_in_world - camera.eye_in_world), axis=1) < 0.0).all()
    columns = seen.cell % (2 * SIZE[0])
    rows = seen.cell // (2 * SIZE[0])
    places = camera.project(seen.points_in_world)[0]
    np.testing.assert_allclose(places, np.stack([columns + 0.5, rows + 0.5], axis=1) / 2.0, atol=1e-6)


def test_a_ball_covers_the_disc_that_it_projects_to() -> None:
    camera = camera_on(np.array([[-0.3, -0.3, -0.3], [0.3, 0.3, 0.3], [0.3, -0.3, 0.3], [-0.3, 0.3, 0.3]]))
    distance_m = float(np.linalg.norm(camera.eye_in_world))
    radius_px = camera.focal_px * 0.1 / np.sqrt(distance_m**2 - 0.1**2)
    assert len(alone(BALL).visible_points(camera, WINDOW, 1).cell) == pytest.approx(np.pi * radius_px**2, rel=0.03)


def test_the_nearest_of_several_moved_and_turned_parts_is_seen() -> None:
    parts = tuple(SOLIDS.values())
    rng = np.random.default_rng(2)
    centre = rng.normal(0.0, 0.15, (len(parts), 3))
    turn = Rotation.random(len(parts), rng=rng).as_matrix()
    camera = camera_on(np.concatenate([centre - 0.3, centre + 0.3]))
    nearest = np.full(SIZE[0] * SIZE[1], np.inf)
    part = np.full(SIZE[0] * SIZE[1], -1)
    for index, (one, place, rotation) in enumerate(zip(parts, centre, turn, strict=True)):
        seen = PosedBody((one,), place[None], rotation[None]).visible_points(camera, WINDOW, 1)
        depth = camera.project(seen.points_in_world)[1]
        nearer = depth < nearest[seen.cell]
        nearest[seen.cell[nearer]] = depth[nearer]
        part[seen.cell[nearer]] = index
    seen = PosedBody(parts, centre, turn).visible_points(camera, WINDOW, 1)
    np.testing.assert_array_equal(part[seen.cell], seen.part)
    assert len(seen.cell) == np.count_nonzero(part >= 0)


def test_a_ball_under_the_lamp_shades_a_disc_of_its_own_size_and_a_slanted_lamp_moves_it_away() -> None:
    body = alone(BALL, (0.0, 0.0, 1.0))
    low = np.array([-1.0, -1.0])
    for towards, middle in ((UP, (0.0, 0.0)), (np.array([0.6, 0.0, 0.8]), (-0.75, 0.0))):
        shade = body.shadow(towards, low, 0.01, 200)
        rows, columns = np.nonzero(shade)
        np.testing.assert_allclose([-1.0 + 0.01 * (rows.mean() + 0.5), -1.0 + 0.01 * (columns.mean() + 0.5)], middle,
                                   atol=2e-3)  # fmt: skip
        assert len(rows) * 1e-4 == pytest.approx(np.pi * 0.1**2 / towards[2], rel=0.03)


def test_the_lamp_reaches_the_upper_of_two_balls_and_not_the_top_of_the_lower_one() -> None:
    body = PosedBody((BALL, BALL), np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.5]]), np.eye(3)[None].repeat(2, axis=0))
    points = np.array([[0.0, 0.0, 0.6], [0.0, 0.0, 0.1]])
    np.testing.assert_allclose(body.shadow_map(UP).lit(points, np.array([UP, UP])), [1.0, 0.0])


def test_cells_are_covered_where_their_middles_are_and_once() -> None:
    place = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [9.0, 0.0], [9.0, 2.0], [9.0, 4.0]])
    faces = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6]]).T
    found = covered(place, np.zeros(7), faces, (6, 5))
    rows = found.cell // 6
    columns = found.cell % 6
    assert sorted(zip(rows, columns, strict=True)) == [(row, column) for row in range(4) for column in range(4)]


def test_triangles_beyond_the_grid_or_without_a_place_cover_no_cell_outside_of_it() -> None:
    place = np.array([[-1e300, -5.0], [1e300, 1.2], [0.5, 1e300], [np.nan, 1.0], [np.inf, 2.0], [3.0, 3.0]])
    faces = np.array([[0, 1, 2], [3, 1, 5], [4, 5, 2]]).T
    found = covered(place, np.zeros(6), faces, (6, 5))
    assert set(found.triangle) <= {0}
    assert found.cell.size == 0 or (found.cell.min() >= 0 and found.cell.max() < 30)


@pytest.mark.parametrize(("sign", "shown"), [(1.0, [1]), (-1.0, [0])])
def test_of_a_closed_part_only_the_side_that_is_asked_for_is_drawn(sign: float, shown: list[int]) -> None:
    place = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0]])
    faces = np.array([[0, 1, 2], [0, 2, 1]]).T
    found = covered(place, np.zeros(3), faces, (5, 5), closed=np.ones(2, dtype=np.bool_), sign=sign)
    assert sorted(set(found.triangle)) == shown


@pytest.mark.parametrize("seed", range(4))
def test_triangles_cover_the_cells_whose_middles_are_inside_and_keep_their_plane_of_depths(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width, height = 40, 30
    corners = rng.uniform(-10.0, [width + 10.0, height + 10.0], (3, 2))
    slope = rng.uniform(-0.1, 0.1, 2)
    found = covered(corners, 5.0 + corners @ slope, np.array([[0], [1], [2]]), (width, height))
    middle = np.stack(np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5), axis=-1).reshape(-1, 2)
    sides = [
        (after - before)[0] * (middle - before)[:, 1] - (after - before)[1] * (middle - before)[:, 0]
        for before, after in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    ]
    inside = np.flatnonzero(np.all(np.array(sides) > 0.0, axis=0) | np.all(np.array(sides) < 0.0, axis=0))
    np.testing.assert_array_equal(np.sort(found.cell), inside)
    np.testing.assert_allclose(found.depth, 5.0 + middle[found.cell] @ slope, atol=1e-9)


def test_of_triangles_one_behind_another_the_nearest_covers_a_cell() -> None:
    place = np.tile([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], (3, 1))
    found = covered(place, np.repeat([3.0, 1.0, 2.0], 3), np.arange(9).reshape(3, 3).T, (9, 9))
    assert set(found.triangle) == {1}


def test_normals_of_a_ball_and_a_capsule_are_those_of_the_true_surface_between_corners() -> None:
    camera = camera_on(np.array([[-0.3, -0.3, -0.3], [0.3, 0.3, 0.3]]))
    for solid in (BALL, SOLIDS["capsule"]):
        seen = alone(solid).visible_points(camera, WINDOW, 1)
        axis = np.zeros((len(seen.cell), 3))
        if solid.kind == "capsule":
            axis[:, 2] = np.clip(seen.points_in_world[:, 2], -solid.size_m[1], solid.size_m[1])
        true = seen.points_in_world - axis
        true /= np.linalg.norm(true, axis=1, keepdims=True)
        rays = seen.points_in_world - camera.eye_in_world
        frontal = np.sum(true * rays, axis=1) < -0.2 * np.linalg.norm(rays, axis=1)  # not at the very rim
        assert frontal.sum() > 1000
        assert np.sum(true * seen.normal, axis=1)[frontal].min() > 0.9995


def test_black_bodies_are_drawn_grey_and_others_as_they_are():
    seen_well = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.4], [0.3, 0.3, 0.3], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(readable(seen_well), seen_well)  # also blue, whose luminance is 0.07
    dark = np.array([[0.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.0, 0.0, 0.2]])
    drawn = readable(dark)
    np.testing.assert_allclose(drawn[:2], MIN_BRIGHTNESS)
    np.testing.assert_allclose(np.ptp(drawn, axis=1), np.ptp(dark, axis=1), atol=1e-12)  # what tells its hue stays
    assert readable(np.array([[1.2, 0.0, 0.0]])).max() == 1.0
