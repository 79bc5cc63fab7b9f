"""Make the film of the first page and the films of the gallery: bodies that strut moves, in their emotions.

    python docs/make_film.py FOLDER            # motions and films are kept in FOLDER; what is there is not made again
    python docs/make_film.py FOLDER --only film

Go2 and G1 are adopted from the package example-robot-data. ffmpeg reads and writes the films. Everything takes about
fifteen minutes of one core.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

import strut
from strut.arrays import Pixels

IMAGES = Path(__file__).parent / "images"
ALL = ("neutral", "happy", "sad", "angry", "fearful")
FRAMES_PER_S = 10.0
PAPER, INK = (203, 213, 225), (30, 36, 48)


class Body(NamedTuple):
    """A body of the films: its heading, its motion in an emotion, and how wide a panel is drawn and cut [pixels]."""

    heading: str
    plan: Callable[[Path, str], strut.Motion]
    drawn_px: int
    panel_px: int


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
    "human": Body("human model", lambda _, emotion: strut.walk("heiman", emotion, cycles=6), 168, 168),
    "go2": Body("Go2, adopted", _adopted("go2", "go2", 12), 240, 232),
    "g1": Body("G1, adopted", _adopted("g1", "g1_29dof_rev_1_0", 8), 240, 176),
    "cassie": Body("Cassie", _story, 240, 176),
    "alice": Body(
        "Alice",
        lambda _, emotion: strut.walk("alice", emotion, goal=strut.Place(0.3, 0.1, 0.5), expression="animated"),
        240,
        176,
    ),
    "mrpete": Body(
        "Mr. Pete", lambda _, emotion: strut.walk("mrpete", emotion, cycles=3, expression="animated"), 240, 232
    ),
    "pepper": Body("Pepper", lambda _, emotion: strut.perform("pepper", "wave", emotion), 240, 176),
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
    panels = {(body, emotion): panel(folder, body, emotion) for emotion in emotions for body in bodies}
    if len(bodies) == 1:
        grid = [[panels[bodies[0], emotion] for emotion in emotions]]
        headings, rows = list(emotions), [""]
    else:
        grid = [[panels[body, emotion] for body in bodies] for emotion in emotions]
        headings, rows = [BODIES[body].heading for body in bodies], list(emotions)
    count = min(len(film) for row in grid for film in row)
    pictures = [_sheet([[film[at] for film in row] for row in grid], headings, rows) for at in range(count)]
    write = {".gif": _write_gif, ".webp": _write_webp}[out.suffix]
    write(pictures, out)
    print(f"wrote {out} ({out.stat().st_size / 1e6:.1f} MB)")  # noqa: T201 -- a script for people


def panel(folder: Path, body: str, emotion: str) -> Pixels:
    """Return the pictures of one motion, planned and drawn once. Shape (frames, height, width, 3)."""
    drawn_px, panel_px = BODIES[body].drawn_px, BODIES[body].panel_px
    file = folder / f"{body}_{emotion}.npz"
    film = file.with_suffix(".mp4")
    if not file.exists():
        strut.save_motion(BODIES[body].plan(folder, emotion), file)
    if not film.exists():
        strut.save_views(
            strut.load_motion(file), mp4=film, plain=True, width_px=drawn_px, frames_per_s=FRAMES_PER_S, duration_s=4.0
        )
    shape = ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0"]
    width, height = map(int, subprocess.check_output([*shape, str(film)], text=True).strip().split(","))
    raw = subprocess.check_output(
        ["ffmpeg", "-v", "error", "-i", str(film), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    )
    pictures = np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3)[: round(4.0 * FRAMES_PER_S)]
    left = (width - panel_px) // 2
    return pictures[:, :, left : left + panel_px]


def _sheet(grid: list[list[Pixels]], headings: list[str], rows: list[str]) -> Pixels:
    """Return panels under their headings, with the names of rows in their corners."""
    top = 26
    heights = [max(picture.shape[0] for picture in row) for row in grid]
    widths = [max(row[column].shape[1] for row in grid) for column in range(len(grid[0]))]
    sheet = Image.new("RGB", (sum(widths) + 2 * (len(widths) - 1), top + sum(heights) + 2 * (len(rows) - 1)), PAPER)
    pen = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(15)
    y = top
    for row, height, name in zip(grid, heights, rows, strict=True):
        x = 0
        for picture, width, heading in zip(row, widths, headings, strict=True):
            sheet.paste(Image.fromarray(picture), (x, y + height - picture.shape[0]))
            if y == top:
                pen.text((x + width / 2, top / 2), heading, INK, font, anchor="mm")
            if name:
                pen.text((x + 8, y + 8), name, INK, font)
            x += width + 2
        y += height + 2
    return np.asarray(sheet)


def _write_gif(pictures: Sequence[Pixels], out: Path) -> None:
    """Write an endless GIF with one palette for all pictures; any reader of Markdown shows it."""
    height, width, _ = pictures[0].shape
    palette = "split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none:diff_mode=rectangle"
    raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(FRAMES_PER_S), "-i", "-"]
    command = ["ffmpeg", "-v", "error", "-y", *raw, "-filter_complex", palette, "-loop", "0", str(out)]
    subprocess.run(command, input=np.stack(pictures).tobytes(), check=True)


def _write_webp(pictures: Sequence[Pixels], out: Path) -> None:
    """Write an endless WebP, a fifth as large as a GIF; browsers show it."""
    first, *others = [Image.fromarray(picture) for picture in pictures]
    pace_ms = round(1000.0 / FRAMES_PER_S)
    first.save(out, save_all=True, append_images=others, duration=pace_ms, loop=0, quality=60, method=4)


if __name__ == "__main__":
    main()
