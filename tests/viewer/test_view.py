"""Cameras, sizes and backgrounds of pictures and films, by what is in the files."""

import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

import strut
from strut.cli.main import main
from strut.errors import FileError, OutOfRangeError
from strut.viewer.animation import film_of
from strut.viewer.footage import SideBySide
from strut.viewer.picture import picture_of
from strut.viewer.view import View

DIRECTIONS = ("side", "front", "three-quarter")


@pytest.fixture
def shown(calm, robot):
    return SideBySide([calm], [robot])


@pytest.fixture
def saved(calm, tmp_path):
    strut.save_motion(calm, tmp_path / "calm.npz")
    return str(tmp_path / "calm.npz")


def test_directions_are_named_from_the_robot(shown, calm):
    looks = {}
    for name in DIRECTIONS:
        camera = film_of(shown, camera=name, duration_s=0.1).titled.shot.camera
        looks[name] = camera.axes[2]
    assert looks["side"][1] > 0.9  # from its right, where y is negative
    assert looks["front"][0] < -0.9
    np.testing.assert_allclose(-looks["three-quarter"][0], looks["three-quarter"][1])
    turned = calm.qpos.copy()
    turned[:, :2] = turned[:, :2] @ np.array([[0.0, 1.0], [-1.0, 0.0]])
    turned[:, 3:7] = [np.cos(np.pi / 4.0), 0.0, 0.0, np.sin(np.pi / 4.0)]
    from_front = View("front").angles_rad(
        SideBySide([strut.Motion(**{**as_fields(calm), "qpos": turned})], shown.robots)
    )
    assert from_front[0] == pytest.approx(np.pi / 2.0)


def size_of(path):
    with Image.open(path) as picture:
        return picture.size


def as_fields(motion):
    return {name: getattr(motion, name) for name in ("robot", "time_s", "joint_names", "contact", "foot_names")}


def test_a_fixed_camera_keeps_the_whole_way_in_view_and_one_that_follows_keeps_the_robot_in_place(shown, calm):
    fixed, follow = (film_of(shown, camera=move).titled.shot.takes[0] for move in ("fixed", "follow"))
    np.testing.assert_array_equal(np.ptp(fixed.path_in_world, axis=0), 0.0)
    way_m = np.ptp(calm.qpos[:, 0])
    assert np.ptp(follow.path_in_world[:, 0]) > 0.5 * way_m
    titled = film_of(shown, camera="fixed,side").titled
    places = titled.shot.camera.project(fixed.film.corners_in_world().reshape(-1, 3) - fixed.path_in_world[0])[0]
    assert places.min() > 0.0
    assert (places < titled.shot.camera.size_px).all()


@pytest.mark.parametrize("camera", ["above", "side,front", "follow,fixed", "side,fixed,front", ""])
def test_cameras_that_do_not_exist_are_refused(camera):
    with pytest.raises(OutOfRangeError, match="choose side, front, three-quarter, follow or fixed"):
        View(camera)


def test_a_plain_picture_has_no_text_and_no_marks(shown):
    usual = picture_of(shown, panel_px=200)
    plain = picture_of(shown, panel_px=200, view=View(plain=True)).astype(int)
    assert len(plain) < len(usual)
    red, green, blue = plain.reshape(-1, 3).T
    assert not ((red > 150) & (green < 90) & (blue < 90)).any()  # no centre of pressure
    assert len(np.unique(plain[0], axis=0)) == 1  # backdrop, not a title


def test_a_transparent_picture_has_the_body_a_shadow_and_nothing_around(shown):
    picture = picture_of(shown, panel_px=200, view=View(transparent=True))
    opaque = picture_of(shown, panel_px=200, view=View(plain=True))
    assert picture.shape == (*opaque.shape[:2], 4)
    opacity = picture[..., 3]
    assert opacity[0].max() == 0
    body = opacity == 255
    assert 0.02 < body.mean() < 0.5
    np.testing.assert_array_equal(picture[body][:, :3], opaque[body])
    assert ((opacity > 20) & (opacity < 200)).mean() > 0.01


def test_pictures_and_films_have_the_size_that_is_asked_for(saved, tmp_path, capsys):
    show = ["show", saved, saved, "--size", "301x200", "--seconds", "0.2"]
    assert main([*show, "--png", str(tmp_path / "a.png"), "--frames", str(tmp_path / "frames")]) == 0
    assert size_of(tmp_path / "a.png") == (301, 200)
    frames = sorted((tmp_path / "frames").iterdir())
    assert [path.name for path in frames] == ["0000.png", "0001.png", "0002.png", "0003.png"]
    assert {size_of(path) for path in frames} == {(301, 200)}
    for wrong, words in (("300", "1920x1080"), ("300x70", "no room"), ("90x300", "choose 120 to 4000")):
        assert main(["show", saved, saved, "--size", wrong, "--png", str(tmp_path / "b.png")]) == 2
        assert words in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "b.png").exists()


@pytest.mark.parametrize(("ending", "decoder"), [("webm", ["-c:v", "libvpx-vp9"]), ("mov", [])])
def test_transparent_films_keep_their_opacity(saved, tmp_path, ending, decoder):
    film = tmp_path / f"a.{ending}"
    words = ["show", saved, f"--{ending}", str(film), "--transparent", "--size", "120x100", "--seconds", "0.2"]
    assert main(words) == 0
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", *decoder, "-i", str(film)]
    raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgba", "-"], capture_output=True, check=True).stdout
    pictures = np.frombuffer(raw, np.uint8).reshape(-1, 100, 120, 4)
    assert len(pictures) == 4
    assert pictures[:, 0, :, 3].max() < 8
    assert (pictures[..., 3] > 247).mean() > 0.02


def test_formats_without_opacity_cannot_be_transparent(saved, calm, tmp_path, capsys):
    assert main(["show", saved, "--mp4", str(tmp_path / "a.mp4"), "--transparent"]) == 2
    assert "--transparent needs" in capsys.readouterr().err
    with pytest.raises(OutOfRangeError, match=r"a\.gif cannot be transparent"):
        strut.save_views(calm, gif=tmp_path / "a.gif", transparent=True)


def test_frames_are_not_replaced_unasked_and_nothing_is_drawn_first(calm, tmp_path):
    (tmp_path / "0002.png").write_bytes(b"mine")
    drawn = []
    with pytest.raises(FileError, match="is there already"):
        strut.save_views(calm, frames=tmp_path, duration_s=0.2, on_frame=lambda *at: drawn.append(at))
    assert drawn == []
    assert [path.name for path in tmp_path.iterdir()] == ["0002.png"]


def test_a_row_of_poses_has_its_own_camera(calm, tmp_path):
    with pytest.raises(OutOfRangeError, match="A row of poses has its own camera"):
        strut.save_views(calm, png=tmp_path / "a.png", poses=4, camera="front")
