"""Film: a stimulus as a file for surveys elsewhere: GIF by ourselves, MP4 and WebM by ffmpeg."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from PIL import Image, ImageDraw
from scipy.spatial import ConvexHull

from strut.engines.video import video_bytes
from strut.errors import UnknownNameError
from strut.io.atomic import write_atomically
from strut.robot import Array
from strut.study.design import Display
from strut.study.design_file import read_design
from strut.study.stimulus import ASPECT, RATE_HZ, Stimulus, load_stimuli

Format = Literal["gif", "mp4", "webm"]
FORMATS: tuple[Format, ...] = get_args(Format)
_GROUND, _DARK, _LIGHT = "#232b36", "#0c0f14", "#ffffff"
_SMOOTH = 2  # drawn twice as large and shrunk, or edges of lights would crawl


def save_film(
    stimulus: Stimulus, display: Display, path: Path, form: Format, *, height_px: int = 480, force: bool = False
) -> None:
    """Write a stimulus as a film, with the same picture that the survey draws."""
    if form == "gif":
        write_atomically(path, _gif(stimulus, display, height_px), force=force)
        return
    drawn = (np.asarray(picture) for picture in pictures(stimulus, display, height_px))
    write_atomically(path, video_bytes(drawn, form, rate_hz=RATE_HZ), force=force)


def pictures(stimulus: Stimulus, display: Display, height_px: int) -> Iterator[Image.Image]:
    """Yield the pictures of a stimulus, one for each of its samples."""
    height = height_px * _SMOOTH
    width = 2 * round(height * ASPECT / 2)
    middle, zoom = np.array([width / 2.0, height / 2.0]), height / 2.0
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
            _draw_lights(pen, points, 0.014 * zoom)
        yield picture.reduce(_SMOOTH)


def _draw_lights(pen: ImageDraw.ImageDraw, points: Array, radius: float) -> None:
    for x, y in points.tolist():
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=_LIGHT)


def _draw_solids(
    pen: ImageDraw.ImageDraw, shapes: tuple[dict[str, Any], ...], points: Array, depth: Array, scale: float
) -> None:
    """Draw the parts of a body, those behind first."""
    away = [float(depth[s["first"] : s["first"] + s["count"]].mean()) for s in shapes]
    order = sorted(range(len(shapes)), key=lambda k: -away[k])
    span = max(max(away) - min(away), 1e-9)
    for k in order:
        shape, light = shapes[k], 1.0 - 0.35 * (away[k] - min(away)) / span
        corners = points[shape["first"] : shape["first"] + shape["count"]]
        if shape["kind"] == "box":
            _draw_box(pen, corners, depth[shape["first"] : shape["first"] + 8], shape["color"], light)
            continue
        if shape["kind"] == "hull":
            outline = [tuple(corner) for corner in corners[ConvexHull(corners).vertices]]
            pen.polygon(outline, fill=_color(shape["color"], light), outline=_DARK)
            continue
        radius = shape["radius"] * scale
        for grow, color in ((radius * 0.06 + 1.0, _DARK), (0.0, _color(shape["color"], light))):
            ends = [tuple(corners[0]), tuple(corners[-1])]
            pen.line(ends, fill=color, width=max(1, round(2.0 * (radius + grow))))
            for x, y in ends:
                reach = radius + grow
                pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=color)


def _draw_box(pen: ImageDraw.ImageDraw, corners: Array, depth: Array, color: tuple[float, ...], light: float) -> None:
    faces = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
    shades = (0.72, 0.72, 0.85, 0.85, 0.6, 1.0)
    for face, shade in sorted(zip(faces, shades, strict=True), key=lambda pair: -float(depth[list(pair[0])].sum())):
        outline = [tuple(corners[k]) for k in face]
        pen.polygon(outline, fill=_color(color, light * shade), outline=_DARK)


def _color(color: tuple[float, ...], light: float) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part * light) for part in color)
    return red, green, blue


def _gif(stimulus: Stimulus, display: Display, height_px: int) -> bytes:
    """Return an endless GIF; its clock ticks in hundredths, so every third sample is left out and 20 a second stay."""
    kept = [picture for k, picture in enumerate(pictures(stimulus, display, height_px)) if k % 3 != 2]
    palette = kept[0].quantize(64)
    first, *others = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in kept]
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
    """Write the stimuli of a study as films for surveys elsewhere; return the files.

    Args:
        folder: Of the study.
        out: Folder of the films; made if it is not there.
        form: `gif`, `mp4` or `webm`.
        force: Whether existing films may be replaced.
        on_film: Is told each film that is written.

    Example:
        >>> strut.film_study("mystudy", "films", form="mp4")  # doctest: +SKIP
    """
    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS, "`strut study film --help`")
    design, out = read_design(Path(folder)), Path(out)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for stimulus in load_stimuli(design):
        path = out / f"{stimulus.name}.{form}"
        save_film(stimulus, design.display, path, form, force=force)
        paths.append(path)
        on_film(path)
    return paths
