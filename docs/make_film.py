"""Make the film of the first page and the films of the gallery: bodies that strut moves, in their emotions.

    python docs/make_film.py FOLDER            # motions are kept in FOLDER; what is there is not planned again
    python docs/make_film.py FOLDER --only film

Go2 and G1 are adopted from the package example-robot-data. The film of the first page is a GIF, which any reader of
Markdown shows, and an MP4 of twice its rate and 1200 pixels. Everything takes about fifteen minutes of one core.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import strut
from strut.arrays import Pixels
from strut.viewer.animation import film_of, gif_bytes
from strut.viewer.footage import SideBySide
from strut.viewer.video import video_bytes

IMAGES = Path(__file__).parent / "images"
ALL = ("neutral", "happy", "sad", "angry", "fearful")
FRAMES_PER_S = 20.0  # of the MP4; all others have every second picture
SECONDS = {"film": 6.0, "body": 4.0}
HIGH_PX = {"film": 300, "body": 220}  # of a panel
GIF_PX = 720  # width
GIF_COLORS = 64
GAP_PX = 2
PAPER, INK = (203, 213, 225), (30, 36, 48)


class Body(NamedTuple):
    """A body of the films: its heading, its motion in an emotion, and the width of a panel over its height."""

    heading: str
    plan: Callable[[Path, str], strut.Motion]
    wide: float


def _adopted(name: str, file: str, cycles: int) -> Callable[[Path, str], strut.Motion]:
    def plan(folder: Path, emotion: str) -> strut.Motion:
        home = folder / name
        if not home.is_dir():
            strut.adopt(file, name, home)
        return strut.walk(strut.load_robot(home), emotion, cycles=cycles)

    return plan


def _story(_folder: Path, emotion: str) -> strut.Motion:
    return strut.animate("cassie", strut.load_animation(strut.animation.story_path("cassie", emotion)))


BODIES = {
    "human": Body("human model", lambda _, emotion: strut.walk("heiman", emotion, cycles=6), 0.80),
    "go2": Body("Go2, adopted", _adopted("go2", "go2", 12), 1.26),
    "g1": Body("G1, adopted", _adopted("g1", "g1_29dof_rev_1_0", 8), 0.94),
    "cassie": Body("Cassie", _story, 0.98),
    "alice": Body(
        "Alice",
        lambda _, emotion: strut.walk("alice", emotion, goal=strut.Place(0.3, 0.1, 0.5), expression="animated"),
        0.94,
    ),
    "mrpete": Body("Mr. Pete", lambda _, emotion: strut.walk("mrpete", emotion, cycles=3, expression="animated"), 1.16),
    "pepper": Body("Pepper", lambda _, emotion: strut.perform("pepper", "wave", emotion), 0.94),
}
FILM = ("human", "go2", "g1", "cassie")


def main() -> None:
    """Make what is missing, and put the films into `docs/images`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=["film", *BODIES])
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.only in {None, "film"}:
        write_film(arguments.folder, FILM, ("happy", "sad", "angry"), IMAGES / "film.gif")
    for body in BODIES:
        if arguments.only in {None, body}:
            write_film(arguments.folder, (body,), ALL, IMAGES / f"{body}.webp")


def write_film(folder: Path, bodies: Sequence[str], emotions: Sequence[str], out: Path) -> None:
    """Write a film of bodies in emotions: one body in a row of emotions, several in columns."""
    kind = "body" if len(bodies) == 1 else "film"
    panels = {(body, emotion): panel(folder, body, emotion, kind) for emotion in emotions for body in bodies}
    if kind == "body":
        grid = [[panels[bodies[0], emotion] for emotion in emotions]]
        headings, rows = list(emotions), [""]
    else:
        grid = [[panels[body, emotion] for body in bodies] for emotion in emotions]
        headings, rows = [BODIES[body].heading for body in bodies], list(emotions)
    count = min(len(film) for row in grid for film in row)
    pictures = [_sheet([[film[at] for film in row] for row in grid], headings, rows) for at in range(count)]
    if kind == "body":
        _write_webp(pictures[::2], out)
    else:
        high, wide, _ = pictures[0].shape
        size_px = (GIF_PX, round(high * GIF_PX / wide))
        small = [np.asarray(Image.fromarray(one).resize(size_px, Image.Resampling.LANCZOS)) for one in pictures[::2]]
        out.write_bytes(gif_bytes(small, rate_hz=FRAMES_PER_S / 2.0, colors=GIF_COLORS))
        _write_mp4(pictures, out.with_suffix(".mp4"))
    print(f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB)")  # noqa: T201 -- a script for people


def _write_mp4(pictures: Sequence[Pixels], out: Path) -> None:
    """Write a video of a quarter of the usual size: pages are loaded more often than frames are looked at."""
    with tempfile.TemporaryDirectory() as folder:
        large = Path(folder) / "large.mp4"
        large.write_bytes(video_bytes(pictures, "mp4", rate_hz=FRAMES_PER_S))
        codec = [
            "-c:v",
            "libx264",
            "-crf",
            "26",
            "-preset",
            "veryslow",
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
        ]
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(large), *codec, str(out)], check=True)


def panel(folder: Path, body: str, emotion: str, kind: str) -> list[Pixels]:
    """Return the pictures of one motion, which is planned once. Shape (height, width, 3) each."""
    file = folder / f"{body}_{emotion}.npz"
    if not file.exists():
        strut.save_motion(BODIES[body].plan(folder, emotion), file)
    motion = strut.load_motion(file)
    size_px = (2 * round(BODIES[body].wide * HIGH_PX[kind] / 2.0), HIGH_PX[kind])
    film = film_of(
        SideBySide([motion], [strut.robot_of(motion)]),
        size_px=size_px,
        plain=True,
        frames_per_s=FRAMES_PER_S,
        duration_s=SECONDS[kind],
    )
    return list(film.pictures())


def _sheet(grid: list[list[Pixels]], headings: list[str], rows: list[str]) -> Pixels:
    """Return panels under their headings, with the names of rows in their corners."""
    high = len(grid[0][0])
    top = round(0.13 * high)
    widths = [picture.shape[1] for picture in grid[0]]
    size_px = (sum(widths) + GAP_PX * (len(widths) - 1), top + len(grid) * (high + GAP_PX) - GAP_PX)
    sheet = Image.new("RGB", size_px, PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(round(0.075 * high))
    for number, (row, name) in enumerate(zip(grid, rows, strict=True)):
        x = 0
        y = top + number * (high + GAP_PX)
        for picture, heading in zip(row, headings, strict=True):
            width = picture.shape[1]
            sheet.paste(Image.fromarray(picture), (x, y))
            if number == 0:
                pen.text((x + width / 2, top / 2), heading, INK, font, anchor="mm")
            if x == 0 and name:
                pen.text((x + 10, y + 8), name, INK, font)
            x += width + GAP_PX
    return np.asarray(sheet)


def _write_webp(pictures: Sequence[Pixels], out: Path) -> None:
    """Write an endless WebP, a fifth as large as a GIF; browsers show it."""
    first, *others = [Image.fromarray(picture) for picture in pictures]
    pace_ms = round(2000.0 / FRAMES_PER_S)
    first.save(out, save_all=True, append_images=others, duration=pace_ms, loop=0, quality=60, method=4)


if __name__ == "__main__":
    main()
