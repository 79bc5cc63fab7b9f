"""Picture: robots drawn by a small software renderer, side by side, at one instant."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from strut.errors import OutOfRangeError
from strut.io.atomic import write_atomically
from strut.motion import Motion
from strut.robot import Array, Robot
from strut.show.camera import AZIMUTH_RAD, Camera, fitted_camera
from strut.show.floor import grid_step_m
from strut.show.footage import Footage, Look, footage, matched, nearest_samples, telling_sample
from strut.show.render import Pixels, draw_frame
from strut.show.wording import labels_of, verdict_of

INK = "#1a1c20"
DOTS = 100  # per inch, matplotlib's measure of type
VERDICT_COLORS = {"ok": "#2b7a4b", "weakened": "#9a6200", "refused": "#b3261e"}
_TITLE_SHARE = 0.17  # height of the titles over the width of a panel
_HEIGHT_SHARE = 0.84  # height of a panel over its width


def save_png(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    *,
    at_s: float | None = None,
    panel_px: int = 420,
    look: Look = "solid",
    names: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a picture of motions side by side, to one scale.

    Args:
        motions: What to show.
        robots: The robot of each motion.
        path: File to write.
        at_s: Seconds since the start; if None, each motion's fullest mid-swing near its middle.
        panel_px: Width of each robot's picture.
        look: Bodies, or stick figures.
        names: What to call each motion where feeling or robot do not tell them apart: its file, for instance.
        force: Replace an existing file.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_png([motion], [strut.robot_of(motion)], "happy.png", at_s=2.0)
    """
    picture = png_bytes(motions, robots, at_s=at_s, panel_px=panel_px, look=look, names=names)
    write_atomically(Path(path), picture, force=force)


def png_bytes(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    *,
    at_s: float | None = None,
    panel_px: int = 420,
    look: Look = "solid",
    names: Sequence[str] | None = None,
) -> bytes:
    """Return what `save_png` writes."""
    films = []
    for motion, robot in matched(motions, robots):
        if at_s is not None and not 0.0 <= at_s <= motion.duration_s:
            raise OutOfRangeError(
                f"Nothing can be shown at {at_s:g} s; this motion of {motion.robot} lasts from 0 to "
                f"{motion.duration_s:.2f} s."
            )
        sample = telling_sample(motion, robot) if at_s is None else nearest_samples(motion, np.array([at_s]))[0]
        films.append(footage(motion, robot, np.array([sample]), look=look))
    shot = shot_of(films, panel_px, viewing_azimuth_rad(motions))
    return as_png(np.concatenate([titles_over(motions, panel_px, names), shot.panels(0)]))


def as_png(picture: Pixels) -> bytes:
    """Return a picture as a file. Shape (height_px, width_px, 3)."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG")
    return buffer.getvalue()


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """How films are shown side by side: one camera for all, and the line on the floor that it follows for each.

    Args:
        films: What is shown, F frames each.
        paths_in_world: Where the camera goes for each film. Shape (F, 3) each.
        camera: The camera over the origin.
        size_m: Size of the largest robot.
        width_px: Width of a panel.
        height_px: Height of a panel.
        grid_m: Distance between the grid's lines under each film; by size where None.
    """

    films: Sequence[Footage]
    paths_in_world: Sequence[Array]
    camera: Camera
    size_m: float
    width_px: int
    height_px: int
    grid_m: Sequence[float | None]

    def panels(self, frame: int) -> Pixels:
        """Return one frame of all films. Shape (height_px, n * width_px, 3)."""
        pictures = []
        for film, path, grid_m in zip(self.films, self.paths_in_world, self.grid_m, strict=True):
            moved = replace(self.camera, eye_in_world=self.camera.eye_in_world + path[frame])
            size = {"width_px": self.width_px, "height_px": self.height_px}
            pictures.append(draw_frame(film, frame, moved, size_m=self.size_m, grid_m=grid_m, **size))
        return np.concatenate(pictures, axis=1)


def viewing_azimuth_rad(motions: Sequence[Motion]) -> float:
    """Return from which side to look: a busy right hand must not hide the face that looks at somebody."""
    busy = [task.get("hand") for motion in motions if isinstance(task := motion.meta.get("task"), dict)]
    return -AZIMUTH_RAD if "right" in busy else AZIMUTH_RAD


def shot_of(
    films: Sequence[Footage],
    panel_px: int,
    azimuth_rad: float,
    *,
    paths_in_world: Sequence[Array] | None = None,
    strides_m: Sequence[float | None] | None = None,
    height_share: float = _HEIGHT_SHARE,
) -> Shot:
    """Return how to show films side by side and to one scale, each robot always in view.

    Args:
        films: What to show.
        panel_px: Width of each.
        azimuth_rad: From where.
        paths_in_world: Where the camera goes for each; along with the robot if None. Shape (F, 3) each.
        strides_m: After which distances the floor must look the same again, or None where it need not.
        height_share: Height of a panel over its width.
    """
    paths = [camera_path(film) for film in films] if paths_in_world is None else paths_in_world
    corners = [film.corners_in_world() - path[:, None] for film, path in zip(films, paths, strict=True)]
    points = np.concatenate([part.reshape(-1, 3) for part in corners])
    height_px = round(height_share * panel_px)
    camera = fitted_camera(points, width_px=panel_px, height_px=height_px, azimuth_rad=azimuth_rad)
    size_m = float(np.linalg.norm(np.ptp(points, axis=0)))
    usual_m = grid_step_m(size_m)
    grids = [stride_m and stride_m / max(1, round(stride_m / usual_m)) for stride_m in strides_m or [None] * len(films)]
    return Shot(films, paths, camera, size_m, panel_px, height_px, grids)


def camera_path(film: Footage) -> Array:
    """Return where the camera goes: nowhere if the robot stays near, else straight, so that swaying stays visible.

    Shape (F, 3), on the floor.
    """
    first, last = film.base_in_world[0], film.base_in_world[-1]
    body_m = float(np.linalg.norm(np.ptp(film.centre_in_world[0], axis=0)))
    share = np.full(len(film.time_s), 0.5)
    if np.linalg.norm((last - first)[:2]) > body_m:
        share = np.linspace(0.0, 1.0, len(film.time_s))
    return np.asarray((first + share[:, None] * (last - first)) * np.array([1.0, 1.0, 0.0]))


def titles_over(motions: Sequence[Motion], panel_px: int, names: Sequence[str] | None = None) -> Pixels:
    """Return the titles over the panels, each inside its own; `names` as in `labels_of`. Shape (h, n * panel_px, 3)."""
    words = Words(len(motions) * panel_px, round(_TITLE_SHARE * panel_px))
    for index, (motion, label) in enumerate(zip(motions, labels_of(motions, names), strict=True)):
        middle = (index + 0.5) * panel_px
        verdict, color, most_px = verdict_of(motion), verdict_color(motion), 0.94 * panel_px
        words.write(label, middle, 0.52, size_px=0.072 * panel_px, most_px=most_px)
        words.write(verdict, middle, 0.44, size_px=0.045 * panel_px, most_px=most_px, color=color, align="top")
    return words.pixels()


def verdict_color(motion: Motion) -> str:
    """Return the colour of a verdict's words."""
    return VERDICT_COLORS[motion.receipt.verdict] if motion.receipt else "#555555"


class Words:
    """A strip of a picture that holds words; what would be too wide is written smaller."""

    def __init__(self, width_px: int, height_px: int) -> None:
        self._figure = Figure(figsize=(width_px / DOTS, height_px / DOTS), dpi=DOTS, facecolor="white")
        self._canvas = FigureCanvasAgg(self._figure)
        self._width_px = width_px

    def write(
        self,
        words: str,
        column: float,
        height: float,
        *,
        size_px: float,
        most_px: float,
        color: str = INK,
        side: Literal["left", "center"] = "center",
        align: Literal["top", "bottom"] = "bottom",
    ) -> float:
        """Write words at a column [px] and a height [share of the strip]; return the column where they end."""
        points = 72.0 / DOTS * size_px
        text = self._figure.text(
            column / self._width_px, height, words, ha=side, va=align, size=points, color=color, parse_math=False
        )
        renderer = self._canvas.get_renderer()  # type: ignore[no-untyped-call]
        text.set_fontsize(points * min(1.0, most_px / max(1.0, text.get_window_extent(renderer).width)))
        return float(text.get_window_extent(renderer).x1)

    def pixels(self) -> Pixels:
        """Return the strip. Shape (height_px, width_px, 3)."""
        self._canvas.draw()  # type: ignore[no-untyped-call]
        return np.asarray(self._canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]
