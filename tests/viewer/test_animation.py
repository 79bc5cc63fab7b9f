"""Films of human walks: as long as the walk, without a seam, with the camera beside the walker; rows of poses."""

import io
from dataclasses import replace

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from strut.cli.main import main
from strut.errors import OutOfRangeError, VideoError
from strut.formats.motion_file import save_motion
from strut.maths.sampling import middle_cycle
from strut.models.subject import subject
from strut.viewer.animation import check_frame_rate, film_of
from strut.viewer.files import save_gif, save_mp4, save_pose_strip
from strut.viewer.footage import SideBySide
from strut.viewer.loop import repeat_cycle
from strut.viewer.pose_strip import pose_spacing_m, pose_strip_bytes, poses_of_motion, poses_side_by_side
from strut.viewer.video import video_bytes
from tests.walker import STEP, STEP_M, walked

AHEAD = np.array([1.0, 0.0, 0.0])


def frames_of(path):
    with Image.open(io.BytesIO(path.read_bytes())) as film:
        pictures = []
        for number in range(film.n_frames):
            film.seek(number)
            pictures.append(np.asarray(film.convert("RGB"), dtype=float))
        return np.array(pictures), film.info["duration"]


def test_a_walk_is_repeated_for_as_long_as_a_film_wants(heiman):
    walk, cycle = repeat_cycle(heiman, walked(heiman, 4), 3.3)
    assert walk.duration_s >= 3.3
    np.testing.assert_allclose(np.diff(walk.time_s), 0.01, atol=1e-9)
    np.testing.assert_allclose(np.diff(walk.qpos[:, 0]), STEP_M / STEP, atol=1e-9)  # it never jumps
    assert cycle.duration_s == pytest.approx(2 * STEP * 0.01)


def test_a_walk_that_does_not_repeat_is_not_repeated(heiman):
    walk = walked(heiman, 4)
    bent = walk.qpos.copy()
    bent[:, 10] += np.linspace(0.0, 1.0, len(bent))  # a joint that drifts
    assert repeat_cycle(heiman, replace(walk, qpos=bent), 1.0) is None


def test_a_film_of_a_walk_lasts_as_long_as_the_walk_and_has_no_seam(heiman, tmp_path):
    save_gif([walked(heiman, 4)], [heiman], tmp_path / "walk.gif", panel_px=60)
    pictures, frame_ms = frames_of(tmp_path / "walk.gif")
    assert frame_ms == 40
    assert len(pictures) * frame_ms == 2000
    changes = np.abs(np.diff(pictures, axis=0)).mean(axis=(1, 2, 3))
    seam = np.abs(pictures[0] - pictures[-1]).mean()
    assert changes.min() > 0.0  # never frozen
    assert seam < 1.5 * changes.max()


def test_a_row_of_poses_shows_a_whole_cycle(heiman, tmp_path):
    save_pose_strip([walked(heiman, 4)] * 2, [heiman] * 2, tmp_path / "row.png", poses=4, width_px=200)
    with Image.open(tmp_path / "row.png") as picture:
        pixels = np.asarray(picture.convert("RGB"), dtype=float)
    assert pixels.shape[1] == 200
    half = len(pixels) // 2
    np.testing.assert_array_equal(pixels[:half], pixels[half:])  # the same motion twice
    figures = (pixels[half // 3 : half] < 150.0).all(axis=2).any(axis=0)
    assert np.count_nonzero(np.diff(figures.astype(int)) == 1) >= 4
    with pytest.raises(OutOfRangeError, match="A row of 1 poses"):
        save_pose_strip([walked(heiman, 4)], [heiman], tmp_path / "one.png", poses=1)


def test_a_row_of_a_robot_shows_one_cycle_and_a_story_the_whole_of_it(mrpete, neutral_walk):
    film, whens = poses_of_motion(neutral_walk, mrpete, 4, "solid")
    assert whens == ["0 %", "25 %", "50 %", "75 %"]
    first, last = middle_cycle(neutral_walk.contact)
    assert (neutral_walk.contact[first] & ~neutral_walk.contact[first - 1]).any()
    assert film.time_s[0] == neutral_walk.time_s[first]
    assert film.time_s[-1] < neutral_walk.time_s[last]
    story = replace(neutral_walk, meta={**neutral_walk.meta, "show": []})
    film, whens = poses_of_motion(story, mrpete, 4, "solid")
    assert (film.time_s[0], film.time_s[-1]) == (story.time_s[0], story.time_s[-1])
    assert whens[0] == "0.00 s"


def test_rows_of_poses_have_one_scale(heiman, tmp_path):
    small = subject(1.5, 50.0)
    rows = {}
    for order in ("tall first", "small first"):
        bodies = [heiman, small] if order == "tall first" else [small, heiman]
        motions = [walked(body, 4) for body in bodies]
        save_pose_strip(motions, bodies, tmp_path / "rows.png", poses=3, width_px=240, look="stick", force=True)
        with Image.open(tmp_path / "rows.png") as picture:
            pixels = np.asarray(picture.convert("RGB"), dtype=float)
        rows[order] = np.split(pixels, 2)
    np.testing.assert_array_equal(rows["tall first"][0], rows["small first"][1])  # no row knows where it is drawn
    below_words = [row[int(0.14 * len(row)) :] for row in rows["tall first"]]
    tall_px, small_px = (np.ptp(np.flatnonzero((row < 150.0).all(axis=2).any(axis=1))) for row in below_words)
    assert small_px / tall_px == pytest.approx(1.5 / 1.86, abs=0.06)


def test_rows_of_poses_are_called_by_their_file(heiman, tmp_path):
    walk = walked(heiman, 4)
    one, same, other = (
        pose_strip_bytes(SideBySide([walk], [heiman], "stick", [name]), poses=2, width_px=240)
        for name in ("one.npz", "one.npz", "other.npz")
    )
    assert one == same
    assert one != other


def test_a_picture_of_a_human_walk_is_a_row_unless_a_moment_is_asked_for(heiman, tmp_path, capsys):
    save_motion(walked(heiman, 4), tmp_path / "walk.npz")
    show = ["show", str(tmp_path / "walk.npz"), "--stick", "--png"]
    assert main([*show, str(tmp_path / "row.png")]) == 0
    assert main([*show, str(tmp_path / "one.png"), "--at", "0.3"]) == 0
    with Image.open(tmp_path / "row.png") as row, Image.open(tmp_path / "one.png") as one:
        assert row.width > 2 * row.height
        assert one.width < 1.2 * one.height
    assert main([*show, str(tmp_path / "no.png"), "--at", "0.3", "--poses", "4"]) == 2
    assert "not both" in capsys.readouterr().err


def test_a_video_has_every_frame_and_needs_no_system_ffmpeg(bare, stool, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    save_mp4([bare], [stool], tmp_path / "film.mp4", duration_s=0.5, panel_px=61)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(tmp_path / "film.mp4"))
    assert (frames, seconds) == (10, pytest.approx(0.5))


def test_a_story_is_filmed_from_start_to_end(robot, calm):
    usual, story = (SideBySide([replace(calm, meta={**calm.meta, **told})], [robot]) for told in ({}, {"show": []}))
    assert film_of(usual).count == 160  # the middle 8 s, 20 a second
    assert film_of(story).count == round(25.0 * calm.duration_s) > 200


def test_a_video_that_cannot_be_encoded_says_why():
    with pytest.raises(VideoError, match="ffmpeg could not write mp4: "):
        video_bytes([np.zeros((2, 2, 3), dtype=np.uint8)], "mp4", rate_hz=0.0)


def test_poses_in_a_row_stand_apart_whatever_the_robot(robot, angry):
    film, _ = poses_of_motion(angry, robot, 6, "solid")
    row = poses_side_by_side(film, pose_spacing_m(film, AHEAD) * AHEAD).corners_in_world()[0].reshape(6, -1, 3)[..., 0]
    assert (row[:-1].max(axis=1) < row[1:].min(axis=1)).all()
    assert row[1:].min() - row[:-1].max() < np.ptp(row[0])  # and not lost in space


@pytest.mark.parametrize("rate_hz", [7.0, 30.0, 48.0])
def test_a_gif_keeps_real_time_although_its_clock_counts_hundredths(heiman, tmp_path, rate_hz):
    options = {"duration_s": 1.0, "frames_per_s": rate_hz, "panel_px": 60}
    save_gif([walked(heiman, 2)], [heiman], tmp_path / "walk.gif", **options)
    with Image.open(tmp_path / "walk.gif") as film:
        durations_ms = []
        for number in range(film.n_frames):
            film.seek(number)
            durations_ms.append(film.info["duration"])
    assert len(durations_ms) == rate_hz
    assert set(np.mod(durations_ms, 10)) == {0}
    np.testing.assert_allclose(np.cumsum(durations_ms), np.arange(1, rate_hz + 1) * 1000.0 / rate_hz, atol=5.001)


@pytest.mark.parametrize(
    ("rate_hz", "gif", "words"), [(0.5, False, "0.5"), (61.0, False, "1 to 60"), (60.0, True, "at most 50")]
)
def test_frame_rates_beyond_screens_are_refused(rate_hz, gif, words):
    with pytest.raises(OutOfRangeError, match=words):
        check_frame_rate(rate_hz, gif=gif)


def test_as_many_pictures_are_written_as_are_asked_for(heiman, tmp_path):
    save_motion(walked(heiman, 4), tmp_path / "walk.npz")
    film = tmp_path / "walk.gif"
    words = ["show", str(tmp_path / "walk.npz"), "--gif", str(film), "--fps", "5", "--seconds", "1", "--width", "60"]
    assert main(words) == 0
    pictures, frame_ms = frames_of(film)
    assert (len(pictures), frame_ms) == (5, 200)
    assert main([*words[:-4], "--fps", "99", "--force"]) == 2


@pytest.mark.parametrize(("steps", "rounds"), [(4, 2), (20, 2)])
def test_a_film_of_a_walk_repeats_its_cycle_as_often_as_the_walk_does_until_that_is_enough(heiman, steps, rounds):
    film = film_of(SideBySide([walked(heiman, steps)], [heiman]))
    assert film.count / film.rate_hz == pytest.approx(2 * STEP * 0.01, abs=0.5 / film.rate_hz)  # one cycle
    assert film.rounds == rounds


def test_several_walks_are_filmed_once(heiman):
    film = film_of(SideBySide([walked(heiman, 4)] * 2, [heiman] * 2))
    assert (film.rounds, film.count) == (1, round(2.0 * film.rate_hz))
