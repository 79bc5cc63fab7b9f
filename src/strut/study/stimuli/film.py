"""Film: a stimulus as a film for other survey software: GIF by Pillow, MP4 and WebM by ffmpeg."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from PIL import Image, ImageDraw
from scipy.spatial import ConvexHull

from strut.arrays import Array
from strut.errors import UnknownNameError
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.plumbing.csv_text import csv_of_rows
from strut.study.design.design import Display, read_design
from strut.study.design.trial_plan import view_azimuths
from strut.study.stimuli.stimulus import ASPECT, RATE_HZ, Stimulus, load_stimuli
from strut.viewer.video import video_bytes

Format = Literal["gif", "mp4", "webm"]
FORMATS: tuple[Format, ...] = get_args(Format)
_GROUND = "#232b36"
_DARK = "#0c0f14"
_LIGHT = "#ffffff"
_KEY = ("film", "stimulus", "intended", "control", "azimuth_deg")
_SMOOTH = 2  # pictures are drawn twice as large and reduced, so that edges of lights do not flicker


def save_film(
    stimulus: Stimulus, display: Display, path: Path, form: Format, *, height_px: int = 480, force: bool = False
) -> None:
    """Write a stimulus as a film with the same picture as in the survey."""
    frames = pictures(stimulus, display, height_px)
    film = _gif(frames) if form == "gif" else video_bytes(map(np.asarray, frames), form, rate_hz=RATE_HZ)
    write_atomically(path, film, force=force)


def pictures(stimulus: Stimulus, display: Display, height_px: int) -> Iterator[Image.Image]:
    """Yield the pictures of a stimulus, one per sample."""
    height = height_px * _SMOOTH
    width = 2 * round(height * ASPECT / 2)
    middle = np.array([width / 2.0, height / 2.0])
    zoom = height / 2.0
    unit = float(stimulus.payload(display)["unit"])
    grid = (stimulus.grid.reshape(-1, 2, 2) * zoom + middle).reshape(-1, 4)
    for points, depth in zip(stimulus.points * zoom + middle, stimulus.depth, strict=True):
        picture = Image.new("RGB", (width, height), _DARK)
        pen = ImageDraw.Draw(picture)
        for line in grid.tolist():
            pen.line(line, fill=_GROUND, width=max(1, round(0.003 * zoom)))
        if display.kind == "solid":
            _draw_solids(pen, stimulus.shapes, points, depth, zoom / unit)
        else:
            if display.kind == "sticks":
                for first, second in stimulus.bones:
                    pen.line([tuple(points[first]), tuple(points[second])], fill="#e8ecf2", width=round(0.016 * zoom))
            _draw_discs(pen, points, 0.014 * zoom, _LIGHT)
        yield picture.reduce(_SMOOTH)


def _draw_discs(pen: ImageDraw.ImageDraw, points: Array, radius: float, color: str | tuple[int, int, int]) -> None:
    for x, y in points.tolist():
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)


def _draw_solids(
    pen: ImageDraw.ImageDraw, shapes: tuple[dict[str, Any], ...], points: Array, depth: Array, scale: float
) -> None:
    """Draw the solids of a body from back to front, those behind darker; `scale` converts their radii to pixels."""
    parts = [slice(shape["first"], shape["first"] + shape["count"]) for shape in shapes]
    distance = np.array([depth[part].mean() for part in parts])
    light = 1.0 - 0.35 * (distance - distance.min()) / max(float(np.ptp(distance)), 1e-9)
    for k in np.argsort(-distance, kind="stable"):
        shape = shapes[k]
        corners = points[parts[k]]
        color = shapes[k]["color"]
        if shape["kind"] == "box":
            _draw_box(pen, corners, depth[parts[k]], color, light[k])
        elif shape["kind"] == "hull":
            _draw_polygon(pen, corners[ConvexHull(corners).vertices], _color(color, light[k]))
        else:
            radius = shape["radius"] * scale
            for outer_radius, fill in ((1.06 * radius + 1.0, _DARK), (radius, _color(color, light[k]))):
                ends = corners[[0, -1]]
                pen.line([tuple(end) for end in ends], fill=fill, width=max(1, round(2.0 * outer_radius)))
                _draw_discs(pen, ends, outer_radius, fill)


def _draw_box(pen: ImageDraw.ImageDraw, corners: Array, depth: Array, color: tuple[float, ...], light: float) -> None:
    faces = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    shades = (0.72, 0.72, 0.85, 0.85, 0.6, 1.0)
    for face, shade in sorted(zip(faces, shades, strict=True), key=lambda pair: -float(depth[list(pair[0])].sum())):
        _draw_polygon(pen, corners[list(face)], _color(color, light * shade))


def _draw_polygon(pen: ImageDraw.ImageDraw, corners: Array, color: tuple[int, int, int]) -> None:
    pen.polygon([tuple(corner) for corner in corners], fill=color, outline=_DARK)


def _color(color: tuple[float, ...], light: float) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part * light) for part in color)
    return red, green, blue


def _gif(frames: Iterator[Image.Image]) -> bytes:
    """Return an endless GIF at 20 Hz: its frames last whole hundredths of a second, so every third one is left out."""
    used = [picture for k, picture in enumerate(frames) if k % 3 != 2]
    palette = used[0].quantize(64)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in used]
    buffer = io.BytesIO()
    first.save(buffer, "GIF", save_all=True, append_images=others, duration=50, loop=0)
    return buffer.getvalue()


def film_study(
    folder: Path | str,
    out: Path | str,
    *,
    form: str = "gif",
    force: bool = False,
    on_film: Callable[[Path], None] = lambda _path: None,
) -> list[Path]:
    """Write the stimuli of a study as films for other survey software; return the files.

    Their names reveal nothing (`film_01.gif`, in random order); `key.csv` beside them lists the stimulus of each film.

    Args:
        folder: Of the study.
        out: Folder of the films; made if it does not exist.
        form: `gif`, `mp4` or `webm`.
        force: Whether existing films and their key may be replaced.
        on_film: Called with each film after it is written.

    Example:
        >>> strut.study.film_study("mystudy", "films", form="mp4")  # doctest: +SKIP
    """
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS, "`strut study film --help`")
    design = read_design(Path(folder))
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    check_writable(out / "key.csv", force=force)
    stimuli = load_stimuli(design)
    paths = []
    rows = []
    azimuths = view_azimuths(design.display.azimuth_deg, design.display.azimuth_spread_deg)
    for number, k in enumerate(np.random.default_rng(design.seed).permutation(len(stimuli)), start=1):
        entry = design.stimulus(stimuli[k].name)
        path = out / f"film_{number:02d}.{form}"
        save_film(stimuli[k], design.display, path, form, force=force)
        row = path.name, entry.name, entry.intended, entry.control, f"{azimuths[stimuli[k].view]:g}"
        rows.append(dict(zip(_KEY, row, strict=True)))
        paths.append(path)
        on_film(path)
    write_atomically(out / "key.csv", csv_of_rows(_KEY, rows).encode(), force=force)
    return paths
