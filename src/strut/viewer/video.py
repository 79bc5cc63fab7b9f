"""ffmpeg as a film encoder: the program that imageio-ffmpeg brings along, or the system's where it brings none.

We run the program, because the writer of imageio-ffmpeg does not report failures.
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

from strut.arrays import Pixels
from strut.errors import VideoError

VideoFormat = Literal["mp4", "webm", "mov"]
CODECS: dict[VideoFormat, list[str]] = {
    "mp4": ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart"],
    "webm": ["-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "24", "-b:v", "0", "-row-mt", "1", "-cpu-used", "4"],
    "mov": ["-c:v", "prores_ks", "-profile:v", "4444", "-vendor", "apl0", "-pix_fmt", "yuv444p10le"],
}
TRANSPARENT: dict[VideoFormat, list[str]] = {"webm": ["-pix_fmt", "yuva420p"], "mov": ["-pix_fmt", "yuva444p10le"]}


def video_bytes(pictures: Iterable[Pixels], form: VideoFormat, *, rate_hz: float) -> bytes:
    """Return a film of pictures of one shape (height, width, 3), which go to ffmpeg one by one.

    Those of shape (height, width, 4), with opacity, make a transparent film, which WebM and ProRes (mov) can hold.
    """
    try:
        program = imageio_ffmpeg.get_ffmpeg_exe()
    except RuntimeError as error:
        raise VideoError(f"Writing {form} needs ffmpeg, which is not installed; install it or choose gif.") from error
    frames = pad_to_even(pictures)
    first = next(frames)
    size = ["-video_size", f"{first.shape[1]}x{first.shape[0]}", "-framerate", f"{rate_hz:g}"]
    has_opacity = first.shape[2] == 4
    source = ["-f", "rawvideo", "-pix_fmt", "rgba" if has_opacity else "rgb24", *size, "-i", "-"]
    codec = [*CODECS[form], *(TRANSPARENT[form] if has_opacity else [])]
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryFile() as messages:
        film = Path(scratch) / f"film.{form}"
        command = [program, "-loglevel", "error", *source, *codec, str(film)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=messages) as encoder:
            assert encoder.stdin is not None
            with suppress(BrokenPipeError):  # ffmpeg ended early; its reason is read below
                for frame in chain([first], frames):
                    encoder.stdin.write(frame.tobytes())
                encoder.stdin.close()
        if encoder.returncode:
            messages.seek(0)
            reason = messages.read().decode(errors="replace").strip().splitlines() or ["it gave no reason"]
            raise VideoError(f"ffmpeg could not write {form}: {reason[-1]}.")
        return film.read_bytes()


def pad_to_even(pictures: Iterable[Pixels]) -> Iterator[Pixels]:
    """Yield pictures of even height and width, which the codecs need, by repeating the last row or column."""
    for picture in pictures:
        yield np.pad(picture, ((0, picture.shape[0] % 2), (0, picture.shape[1] % 2), (0, 0)), mode="edge")
