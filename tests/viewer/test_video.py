"""Films: even pictures in, as many frames of that size out, and a reason when the encoder gives up."""

import subprocess

import imageio_ffmpeg
import numpy as np
import pytest

from strut.errors import VideoError
from strut.viewer.video import pad_to_even, video_bytes


def pictures(height, width, count=3):
    rng = np.random.default_rng(0)
    return [rng.integers(0, 255, (height, width, 3), dtype=np.uint8) for _ in range(count)]


@pytest.mark.parametrize("shape", [(4, 6), (5, 6), (4, 7), (5, 7)])
def test_odd_pictures_have_their_last_row_or_column_twice(shape):
    drawn = pictures(*shape)
    for picture, even in zip(drawn, pad_to_even(drawn), strict=True):
        height, width = shape
        assert even.shape == (height + height % 2, width + width % 2, 3)
        np.testing.assert_array_equal(even[:height, :width], picture)
        np.testing.assert_array_equal(even[-1, :width], picture[-1])
        np.testing.assert_array_equal(even[:height, -1], picture[:, -1])


def test_a_film_has_every_picture_at_its_size_and_pace(tmp_path):
    film = tmp_path / "film.mp4"
    film.write_bytes(video_bytes(pictures(33, 64, 7), "mp4", rate_hz=5.0))
    assert imageio_ffmpeg.count_frames_and_secs(str(film)) == (7, pytest.approx(1.4))
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(film)]
    raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True)
    assert len(raw.stdout) == 7 * 34 * 64 * 3


def test_the_error_of_a_film_that_cannot_be_written_gives_the_reason(monkeypatch):
    monkeypatch.setitem(video_bytes.__globals__["CODECS"], "mp4", ["-c:v", "no_such_codec"])
    with pytest.raises(VideoError, match="ffmpeg could not write mp4"):
        video_bytes(pictures(4, 4), "mp4", rate_hz=5.0)
