import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from strut.arrays import Array
from strut.errors import BadMotionError, FileError, OutOfRangeError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.camera import ELEVATION_RAD, fitted_camera
from strut.viewer.files import save_gif, save_png, save_views
from strut.viewer.floor import POLYGON_COLOR, SPOT_COLORS, floor_area, grid_step_m
from strut.viewer.footage import Footage, SideBySide, footage, frame_times_s, mid_swing_sample, nearest_samples
from strut.viewer.picture import follow, marks_of, png_bytes
from strut.viewer.render import draw_frame
from strut.viewer.width import FILM, PICTURE


def pixels_of(png: bytes) -> Array:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float)


def drawn(film: Footage) -> tuple[Array, Array]:
    """Return a picture of the first frame and the pixels (column, row) of the parts' centres."""
    corners = film.corners_in_world()[0]
    camera = fitted_camera(corners, (160, 140))
    size_m = float(np.linalg.norm(np.ptp(corners, axis=0)))
    picture = draw_frame(film, 0, camera, size_m=size_m, ground=floor_area(corners))
    return picture.astype(float), camera.project(film.centre_in_world[0])[0]


def test_each_part_has_its_own_colour_where_it_projects_to(stool: Robot, bare: Motion) -> None:
    film = footage(bare, stool, np.array([0]))
    picture, middles = drawn(film)
    for (column, row), strongest in zip(middles.astype(int), [2, 0, 1], strict=True):
        color = picture[row, column]
        assert color.argmax() == strongest
        assert color.max() > 1.8 * np.sort(color)[1]


def test_the_body_of_a_walker_is_drawn_in_its_colour(robot: Robot, calm: Motion) -> None:
    film = footage(calm, robot, np.array([mid_swing_sample(calm, robot)]))
    picture, middles = drawn(film)
    red, green, blue = picture[tuple(middles[0].astype(int)[::-1])] / 255.0
    given = np.array(film.solids[0].color[:3])
    np.testing.assert_allclose(np.array([red, green, blue]) / red, given / given[0], atol=0.12)


def test_the_centre_of_pressure_is_a_red_dot_inside_a_green_polygon(robot: Robot, calm: Motion) -> None:
    film = footage(calm, robot, np.array([mid_swing_sample(calm, robot)]))
    bodiless = replace(
        film, solids=film.solids[:1], centre_in_world=film.centre_in_world[:, :1] + [0.0, 0.0, 9.0],
        solid_to_world=film.solid_to_world[:, :1],
    )  # fmt: skip
    camera = fitted_camera(film.corners_in_world()[0], (160, 140))
    picture = draw_frame(bodiless, 0, camera, size_m=0.9, ground=floor_area(film.corners_in_world()[0])).astype(float)
    assert film.polygons[0] is not None
    dot, middle = camera.project(
        np.array([[*film.spots["centre of pressure"][0], 0.0], [*film.polygons[0].centre, 0.0]])
    )[0]
    assert picture[int(dot[1]), int(dot[0])].argmax() == 0
    assert picture[int(dot[1]), int(dot[0]), 0] > 2.0 * picture[int(dot[1]), int(dot[0]), 1]
    red, green, _ = picture[int(middle[1]), int(middle[0])]
    assert green > red + 10.0


def test_invisible_parts_are_not_drawn(stool: Robot, bare: Motion) -> None:
    assert len(footage(bare, stool, np.array([0])).solids) == 3


def test_a_picture_holds_the_motions_side_by_side(tmp_path: Path, robot: Robot, calm: Motion, angry: Motion) -> None:
    save_png([calm, angry], [robot, robot], tmp_path / "two.png", panel_px=120)
    two = pixels_of((tmp_path / "two.png").read_bytes())
    one = pixels_of(png_bytes(SideBySide([calm], [robot]), panel_px=120))
    assert two.shape[1] == 2 * one.shape[1] == 240
    assert np.abs(two[:, :120] - two[:, 120:]).max() > 50.0


def test_the_legend_below_the_picture_explains_the_colours_on_the_ground(
    robot: Robot, calm: Motion, arm: Robot, wave: Motion
):
    key = pixels_of(png_bytes(SideBySide([calm], [robot]), panel_px=420))[-29:]
    for color in (POLYGON_COLOR, *SPOT_COLORS.values()):
        assert np.abs(key - 255.0 * np.array(color)).max(axis=2).min() < 3.0
    assert marks_of(SideBySide([wave], [arm])) == []
    two_balls = replace(calm, contact=calm.contact & np.array([True, False, False, True]))  # as in a trot
    assert marks_of(SideBySide([two_balls], [robot])) == ["centre of mass", "centre of pressure"]


def test_a_camera_does_not_lose_a_robot_that_stands_walks_and_stands(robot: Robot, calm: Motion) -> None:
    film = footage(calm, robot, np.zeros(101, dtype=int))
    way_m = np.interp(np.arange(101), [45, 55], [0.0, 4.0])
    moved = np.stack([way_m, 0.0 * way_m, 0.0 * way_m], axis=1)
    film = replace(film, time_s=np.arange(101) / 5.0, base_in_world=film.base_in_world + moved)
    away_m = np.linalg.norm((follow(film).path_in_world - film.base_in_world)[:, :2], axis=1)
    assert away_m.max() < 0.6
    assert away_m[[0, -1]].max() < 0.01


def test_the_same_motion_gives_the_same_picture(robot: Robot, calm: Motion) -> None:
    assert png_bytes(SideBySide([calm], [robot]), panel_px=80) == png_bytes(SideBySide([calm], [robot]), panel_px=80)


def test_a_moment_can_be_chosen(robot: Robot, calm: Motion) -> None:
    start, later = (png_bytes(SideBySide([calm], [robot]), at_s=at_s, panel_px=80) for at_s in (0.0, 3.0))
    assert start != later


@pytest.mark.parametrize("at_s", [-0.1, 99.0, float("nan")])
def test_a_moment_outside_the_motion_is_refused(robot: Robot, calm: Motion, at_s: float) -> None:
    with pytest.raises(OutOfRangeError, match="Nothing can be shown at"):
        png_bytes(SideBySide([calm], [robot]), at_s=at_s, panel_px=80)


def test_a_picture_is_not_overwritten_unasked(tmp_path: Path, stool: Robot, bare: Motion) -> None:
    save_png([bare], [stool], tmp_path / "a.png", panel_px=60)
    with pytest.raises(FileError, match="is there already"):
        save_png([bare], [stool], tmp_path / "a.png", panel_px=60)
    save_png([bare], [stool], tmp_path / "a.png", panel_px=60, force=True)


def test_a_film_moves_and_reports_its_progress(tmp_path: Path, stool: Robot, bare: Motion) -> None:
    done: list[tuple[int, int]] = []
    save_gif(
        [bare], [stool], tmp_path / "a.gif", duration_s=0.5, panel_px=60, on_frame=lambda k, n: done.append((k, n))
    )
    with Image.open(tmp_path / "a.gif") as film:
        assert (film.n_frames, done[-1]) == (10, (10, 10))
        first = np.asarray(film.convert("RGB"), dtype=int)
        film.seek(4)
        later = np.asarray(film.convert("RGB"), dtype=int)
    assert (np.abs(later - first).max(axis=-1) > 40).sum() > 20


def test_a_motion_needs_its_own_robot(robot: Robot, bare: Motion) -> None:
    with pytest.raises(BadMotionError, match="A motion of stool with 8 coordinates does not fit mrpete"):
        SideBySide([bare], [robot])
    with pytest.raises(BadMotionError, match="1 motions came with 2 robots"):
        SideBySide([bare], [robot, robot])
    with pytest.raises(BadMotionError, match="There is no motion to show"):
        SideBySide([], [])


def test_times_beyond_the_end_give_the_last_sample(bare: Motion) -> None:
    np.testing.assert_array_equal(nearest_samples(bare, np.array([-1.0, 0.011, 0.029, 99.0])), [0, 1, 1, 49])


def test_frames_are_even_and_end_before_the_film_does() -> None:
    np.testing.assert_allclose(frame_times_s(1.0, 4.0), [0.0, 0.25, 0.5, 0.75])


@pytest.mark.parametrize("value", [0.0, -1.0, float("nan"), float("inf")])
def test_a_film_without_length_is_refused(value: float) -> None:
    with pytest.raises(OutOfRangeError, match="The duration of a film is"):
        frame_times_s(value, 10.0)


def test_a_moment_that_is_no_number_is_refused(bare: Motion) -> None:
    with pytest.raises(OutOfRangeError, match="A time to show is not a number"):
        nearest_samples(bare, np.array([np.nan]))


def test_the_telling_moment_has_a_foot_in_the_air(robot: Robot, calm: Motion) -> None:
    assert not calm.contact[mid_swing_sample(calm, robot)].all()


@pytest.mark.parametrize(("size_m", "step_m"), [(0.9, 0.1), (1.0, 0.2), (2.6, 0.5), (12.0, 2.0)])
def test_grid_lines_are_round_distances_apart(size_m: float, step_m: float) -> None:
    assert grid_step_m(size_m) == pytest.approx(step_m)


@pytest.mark.parametrize("turn_rad", [0.3, -0.3])
def test_an_animation_of_the_eyes_is_viewed_from_the_front_at_eye_height(turn_rad: float) -> None:
    cassie = load_robot("cassie")
    qpos = np.tile(cassie.standing_qpos, (2, 1))
    qpos[1, 3:7] = (np.cos(turn_rad / 2.0), 0.0, 0.0, np.sin(turn_rad / 2.0))
    story = Motion(
        "cassie",
        np.array([0.0, 1.0]),
        qpos,
        cassie.joint_names,
        np.ones((2, 2), dtype=np.bool_),
        cassie.foot_names,
        meta={"show": []},
    )
    shown = SideBySide([story], [cassie])
    assert np.sign(shown.azimuth_rad) == np.sign(turn_rad)
    assert shown.elevation_rad < ELEVATION_RAD
    walk = SideBySide([replace(story, meta={})], [cassie])
    assert walk.elevation_rad == ELEVATION_RAD


@pytest.mark.parametrize(("robots", "width_px", "film_px", "picture_px"), [
    (1, None, 720, 840), (2, None, 1280, 1260), (5, None, 1280, 2100), (8, None, 1600, 3360), (2, 500, 500, 500),
])  # fmt: skip
def test_films_and_pictures_are_wide_enough_to_be_looked_at(robots, width_px, film_px, picture_px) -> None:
    assert robots * FILM.panel_px(robots, width_px) == film_px
    assert robots * PICTURE.panel_px(robots, width_px) == picture_px


def test_the_width_that_is_asked_for_is_that_of_all_that_is_drawn(tmp_path, monkeypatch, stool, bare) -> None:
    monkeypatch.setattr("strut.viewer.files.robot_of", lambda _motion: stool)
    files = {ending: tmp_path / f"a.{ending}" for ending in ("png", "gif")}
    save_views(bare, width_px=200, duration_s=0.3, **files)
    for path in files.values():
        with Image.open(path) as picture:
            assert picture.width == 200
    with pytest.raises(OutOfRangeError, match="50 pixels wide cannot be drawn; choose 60 to 4000"):
        save_views(bare, width_px=50, png=tmp_path / "b.png")
