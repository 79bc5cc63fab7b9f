"""ffmpeg as a film encoder: the program that imageio-ffmpeg brings along, or the system's where it brings none.

The program is run by ourselves: imageio-ffmpeg's own writer does not tell when encoding fails.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Literal

import imageio_ffmpeg
import numpy as np
import numpy.typing as npt

from strut.errors import VideoError

VideoFormat = Literal["mp4", "webm"]
CODECS: dict[VideoFormat, list[str]] = {
    "mp4": ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"],
    "webm": ["-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "24", "-b:v", "0"],
}


def video_bytes(pictures: Iterable[npt.NDArray[np.uint8]], form: VideoFormat, *, rate_hz: float) -> bytes:
    """Return a film of pictures, to ffmpeg one by one as they are drawn. Shape (height, width, 3) each, all alike."""
    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise VideoError(f"Writing {form} needs ffmpeg, which is not installed; install it or choose gif.") from error
    frames = _even(pictures)
    first = next(frames)
    size = ["-video_size", f"{first.shape[1]}x{first.shape[0]}", "-framerate", f"{rate_hz:g}"]
    source = ["-f", "rawvideo", "-pix_fmt", "rgb24", *size, "-i", "-"]
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as said:
        film = Path(scratch) / f"film.{form}"
        command = [program, "-loglevel", "error", *source, *CODECS[form], str(film)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said) as encoder:
            assert encoder.stdin is not None
            with suppress(BrokenPipeError):  # it gave up; its reason is read below
                for frame in chain([first], frames):
                    encoder.stdin.write(frame.tobytes())
                encoder.stdin.close()
        if encoder.returncode:
            said.seek(0)
            reason = said.read().decode(errors="replace").strip().splitlines() or ["it gave no reason"]
            raise VideoError(f"ffmpeg could not write {form}: {reason[-1]}.")
        return film.read_bytes()


def _even(pictures: Iterable[npt.NDArray[np.uint8]]) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield pictures of even height and width, which the codecs need; the last row or column is drawn twice."""
    for picture in pictures:
        yield np.pad(picture, ((0, picture.shape[0] % 2), (0, picture.shape[1] % 2), (0, 0)), mode="edge")
