"""Motions side by side in the scene of a browser: bodies, marks and names are where the footage has them."""

import re

import numpy as np
import pytest
import viser
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.models.solid_mesh import solid_mesh
from strut.viewer.floor import POLYGON_COLOR, SPOT_COLORS, SPOT_SIZES
from strut.viewer.footage import SideBySide, footage, nearest_samples
from strut.viewer.lanes import Stage
from strut.viewer.scene import Scene

TIMES_S = np.arange(0.0, 6.0, 0.25)
ASPECT = 1.5
FINE_M = 2.0**-14  # what is rounded for the browser


@pytest.fixture(scope="module")
def opened():
    """Return a scene and viser's server of it."""
    servers = []
    original = viser.ViserServer
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(viser, "ViserServer", lambda **options: servers.append(original(**options)) or servers[-1])
        scene = Scene()
    yield scene, servers[0]
    scene.close()


@pytest.fixture(scope="module")
def scene(opened):
    return opened[0]


@pytest.fixture(scope="module")
def films(robot, calm, angry):
    return [footage(motion, robot, nearest_samples(motion, TIMES_S)) for motion in (calm, angry)]


@pytest.fixture(scope="module")
def stage(scene, robot, calm, angry):
    return Stage(scene, SideBySide([calm, angry], [robot, robot]), TIMES_S, aspect=ASPECT, narrow_aspect=0.5)


def lanes_of(scene):
    """Return the names of the lanes, the first one first."""
    return sorted(name for name in scene.objects if name.count("/") == 1 and name != "/ground")


def vertices_in_lane(scene, name):
    """Return the vertices of a part in the frame of its lane."""
    frame = scene.objects[name.rpartition("/")[0]]
    turn = Rotation.from_quat(np.roll(frame.wxyz, -1)).as_matrix()
    return scene.objects[name].vertices @ turn.T + np.array(frame.position)


@pytest.mark.parametrize("frames", [[0], [3], [1, 2, 9], [20, 4, 5]])
def test_bodies_marks_and_names_are_where_they_are_in_the_footage(scene, stage, films, frames):
    for frame in frames:
        stage.go_to(frame)
    for lane, film in zip(lanes_of(scene), films, strict=True):
        for name in [name for name in scene.objects if name.startswith(lane) and "/part_" in name]:
            index = int(name.rpartition("_")[2])
            corners = solid_mesh(film.solids[index]).vertices
            if film.solids[index].kind == "sphere":  # balls may spin with what carries them
                assert_allclose(vertices_in_lane(scene, name).mean(axis=0), film.centre_in_world[frame, index],
                                atol=4 * FINE_M + 1e-3)  # fmt: skip
                continue
            placed = corners @ film.solid_to_world[frame, index].T + film.centre_in_world[frame, index]
            assert_allclose(vertices_in_lane(scene, name), placed, atol=4 * FINE_M)
        polygon = film.polygons[frame]
        mark = scene.objects[f"{lane}/support_polygon"]
        assert mark.visible == (polygon is not None)
        if polygon is not None:
            drawn = np.unique(np.round(mark.vertices[:, :2], 5), axis=0)
            assert_allclose(drawn, np.unique(np.round(polygon.corners, 5), axis=0), atol=2e-5)
            assert_allclose(mark.vertices[: len(polygon.corners), :2], polygon.corners, atol=1e-6)  # in their order
        for spot, at_m in film.spots_at(frame).items():
            assert_allclose(scene.objects[f"{lane}/{spot.replace(' ', '_')}"].position[:2], at_m, atol=FINE_M)
        label = scene.objects[f"{lane}/label"]
        assert_allclose(label.position[:2], film.base_in_world[frame, :2], atol=0.006)
        assert label.position[2] > film.corners_in_world()[..., 2].max()


def test_marks_lie_over_the_floor_the_smaller_spot_on_the_larger_and_are_no_bodies(scene, stage):
    lane = lanes_of(scene)[0]
    marks = [scene.objects[f"{lane}/{name}"] for name in ("centre_of_pressure", "centre_of_mass", "support_polygon")]
    pressure, mass, polygon = marks
    assert pressure.position[2] > mass.position[2] > 0.0
    assert (polygon.vertices[:, 2] > 0.0).all()
    assert polygon.vertices[0, 2] < 0.005
    assert [mark.cast_shadow or mark.receive_shadow for mark in marks] == [False] * 3
    assert polygon.opacity == pytest.approx(0.35)
    colors = (SPOT_COLORS["centre of pressure"], SPOT_COLORS["centre of mass"], POLYGON_COLOR)
    for mark, color in zip(marks, colors, strict=True):
        assert_allclose(mark.color, np.round(255.0 * np.array(color)), atol=1.0)


def test_a_spot_is_a_disc_whose_triangles_fill_it(scene, stage):
    lane = lanes_of(scene)[0]
    areas = {}
    for spot, size in SPOT_SIZES.items():
        disc = scene.objects[f"{lane}/{spot.replace(' ', '_')}"]
        first, second, third = np.swapaxes(disc.vertices[disc.faces], 0, 1)
        doubled = np.cross(second - first, third - first)
        assert_allclose(doubled[:, :2], 0.0, atol=1e-12)
        radius_m = np.linalg.norm(disc.vertices, axis=1).max()
        areas[spot] = doubled[:, 2].sum() / 2.0 / size**2
        assert doubled[:, 2].min() > 0.0  # seen from above
        assert doubled[:, 2].sum() / 2.0 == pytest.approx(np.pi * radius_m**2, rel=0.02)
        assert_allclose(disc.vertices[:, 2], 0.0)
    assert areas["centre of mass"] == pytest.approx(areas["centre of pressure"])


def test_triangles_of_the_support_polygon_fill_it_once(scene, stage, films):
    stage.go_to(2)
    for lane, film in zip(lanes_of(scene), films, strict=True):
        mark = scene.objects[f"{lane}/support_polygon"]
        first, second, third = np.swapaxes(mark.vertices[mark.faces][..., :2], 0, 1)
        across, down = second - first, third - first
        areas = (across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]) / 2.0
        corners = film.polygons[2].corners
        beside = np.roll(corners, -1, axis=0)
        area = (corners[:, 0] * beside[:, 1] - corners[:, 1] * beside[:, 0]).sum() / 2.0
        assert area > 0.0
        assert areas.sum() == pytest.approx(area, rel=1e-4)
        assert np.abs(areas).sum() == pytest.approx(area, rel=1e-4)  # none covers another


def test_lanes_are_side_by_side_about_the_middle_without_touching(scene, stage, films):
    first, second = (np.array(scene.objects[lane].position) for lane in lanes_of(scene))
    for offset, film in zip((first, second), films, strict=True):
        base_m = film.base_in_world[:, 0] + offset[0]
        assert base_m.min() == pytest.approx(-base_m.max(), abs=1e-9)
        assert offset[2] == 0.0
    aside = [
        offset[1] + (film.base_in_world[:, 1].min() + film.base_in_world[:, 1].max()) / 2.0
        for offset, film in zip((first, second), films, strict=True)
    ]
    assert aside[0] == pytest.approx(-aside[1])
    right, left = (
        film.corners_in_world()[..., 1] + offset[1] for film, offset in zip(films, (first, second), strict=True)
    )
    assert right.max() < left.min() < right.max() + 1.5 * np.ptp(right)


@pytest.mark.parametrize("window", ["wide", "narrow"])
def test_the_first_view_holds_all_that_moves_and_not_much_more(opened, scene, stage, films, window):
    camera = opened[1].initial_camera
    target = np.array(camera.look_at)
    eye, aspect = np.array(camera.position), ASPECT
    if window == "narrow":
        page = scene.record(lambda: iter([0.1]))
        eye = np.array(re.search(r"initialCameraPosition=([-\d.,]+)", page)[1].split(","), dtype=float)
        aspect = 0.5
    ahead = (target - eye) / np.linalg.norm(target - eye)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    offsets = [np.array(scene.objects[lane].position) for lane in lanes_of(scene)]
    points = np.concatenate(
        [film.corners_in_world().reshape(-1, 3) + at for film, at in zip(films, offsets, strict=True)]
    )
    away = points - eye
    depth = away @ ahead
    half = np.tan(camera.fov / 2.0)
    across = np.abs(away @ right).max(initial=0.0, where=depth > 0.0)
    share = np.maximum(np.abs(away @ right) / aspect, np.abs(away @ np.cross(right, ahead))) / depth / half
    assert across > 0.0
    assert 0.75 < share.max() < 1.0
    ground = scene.objects["/ground"]
    assert_allclose(ground.position, [*target[:2], 0.0], atol=1e-9)
    assert (np.abs(points[:, :2] - target[:2]).max(axis=0) < ground.width / 2.0).all()
