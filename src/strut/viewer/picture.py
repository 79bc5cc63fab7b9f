"""Picture: robots side by side at one instant, by the software renderer."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image
from scipy.ndimage import gaussian_filter1d

from strut.arrays import Array, Pixels
from strut.errors import OutOfRangeError
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.camera import Camera, fitted_camera
from strut.viewer.floor import POLYGON_COLOR, SPOT_COLORS, FloorArea, floor_area, grid_step_m
from strut.viewer.footage import Footage, SideBySide, Spot, footage, mid_swing_sample, nearest_samples, support_polygons
from strut.viewer.receipt_text import verdict_of
from strut.viewer.render import draw_frame
from strut.viewer.view import View
from strut.viewer.width import MIN_PX, PICTURE

INK = "#1a1c20"
USUAL = View()
DOTS = 100  # per inch, by which matplotlib scales text
VERDICT_COLORS = {"ok": "#2b7a4b", "weakened": "#9a6200", "refused": "#b3261e", "forces not judged": "#9a6200"}
Mark = Spot | Literal["support polygon"]
_KEY_SHARE = 0.07  # height of the legend over the width of a panel
_TITLE_SHARE = 0.17  # height of the titles over the width of a panel
_WORDS_PX = 440  # text grows with a panel up to this width
_MAX_OFF_CENTRE = 0.35  # distance of a robot from the centre of the view, over its size, before the camera follows
_CAMERA_S = 0.7  # time constant of a camera that follows
LEVEL_SHARE = 0.84  # height of a panel over its width


def png_bytes(
    shown: SideBySide, *, at_s: float | None = None, panel_px: int | None = None, view: View = USUAL
) -> bytes:
    """Return a picture of motions side by side at one time, or each in mid-swing."""
    return as_png(picture_of(shown, at_s=at_s, panel_px=panel_px, view=view))


def picture_of(
    shown: SideBySide, *, at_s: float | None = None, panel_px: int | None = None, view: View = USUAL
) -> Pixels:
    """Return a picture of motions side by side. Shape (height_px, width_px, 3), or (…, 4) if it is transparent."""
    panel_px = PICTURE.panel_px(len(shown.motions)) if panel_px is None else panel_px
    marks = marks_of(shown, at_s=at_s) if view.has_text else []
    return _still(shown, at_s, panel_px, view, marks).picture(0)


def panels_of(
    shown: SideBySide, *, at_s: float | None = None, panel_px: int = 420, titles: bool = True
) -> list[Pixels]:
    """Return the picture of each motion, under its title or without. Shape (height_px, panel_px, 3) each."""
    still = _still(shown, at_s, panel_px, USUAL, [])
    return np.split(still.picture(0) if titles else still.shot.panels(0), len(shown.motions), axis=1)


def _still(shown: SideBySide, at_s: float | None, panel_px: int, view: View, marks: Sequence[Mark]) -> TitledShot:
    """Return a shot of one moment, with a legend of marks."""
    takes = [
        follow(footage(motion, robot, _moment(motion, robot, at_s), look=shown.look)) for motion, robot in shown.pairs
    ]
    return titled_shot(shown, takes, view, panel_px=panel_px, height_share=LEVEL_SHARE, marks=marks)


def _moment(motion: Motion, robot: Robot, at_s: float | None) -> npt.NDArray[np.intp]:
    """Return the sample at a time, or in mid-swing. Shape (1,)."""
    if at_s is None:
        return np.array([mid_swing_sample(motion, robot)])
    if not 0.0 <= at_s <= motion.duration_s:
        raise OutOfRangeError(
            f"Nothing can be shown at {at_s:g} s; this motion of {motion.robot} lasts from 0 to "
            f"{motion.duration_s:.2f} s."
        )
    return nearest_samples(motion, np.array([at_s]))


def as_png(picture: Pixels) -> bytes:
    """Return a picture as a file. Shape (height_px, width_px, 3), or (…, 4) with opacity."""
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG")
    return buffer.getvalue()


@dataclass(frozen=True, slots=True, eq=False)
class Take:
    """A motion and the path of the camera.

    Args:
        film: Footage, F frames.
        path_in_world: Path of the camera, on the floor. Shape (F, 3).
        stride_m: Distance after which the floor must look the same again, for a repeating walk.
    """

    film: Footage
    path_in_world: Array
    stride_m: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """Takes side by side, with one camera for all.

    Args:
        takes: The takes.
        camera: The camera, placed for the origin.
        ground: The floor, the same; a repeating walk has a grid of its own.
        size_m: Size of the largest robot.
        transparent: Whether floor and backdrop are left out.
    """

    takes: Sequence[Take]
    camera: Camera
    ground: FloorArea
    size_m: float
    transparent: bool = False

    def panels(self, frame: int) -> Pixels:
        """Return one frame of all takes. Shape (height_px, n * width_px, 3), or 4 with opacity."""
        pictures = []
        for take in self.takes:
            at_m = take.path_in_world[frame]
            usual_m = self.ground.grid_m
            grid_m = take.stride_m / max(1, round(take.stride_m / usual_m)) if take.stride_m else usual_m
            camera = replace(self.camera, eye_in_world=self.camera.eye_in_world + at_m)
            ground = replace(self.ground, middle_m=self.ground.middle_m + at_m[:2], grid_m=grid_m)
            pictures.append(
                draw_frame(take.film, frame, camera, size_m=self.size_m, ground=ground, transparent=self.transparent)
            )
        return np.concatenate(pictures, axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class TitledShot:
    """A shot with titles above its panels and a legend below.

    Args:
        titles: Above every picture. Shape (h, width, 3).
        shot: The panels below the titles.
        key: Legend of the colours on the ground, below every picture. Shape (h, width, 3).
        spare_px: Width to the right of the panels, where a size is no multiple of their number.
    """

    titles: Pixels
    shot: Shot
    key: Pixels
    spare_px: int = 0

    def picture(self, frame: int) -> Pixels:
        """Return one frame. Shape (height_px, width_px, 3), or (…, 4) if it is transparent."""
        panels = self.shot.panels(frame)
        whole = panels if self.shot.transparent else np.concatenate([self.titles, panels, self.key])
        return np.pad(whole, ((0, 0), (0, self.spare_px), (0, 0)), mode="edge") if self.spare_px else whole


def titled_shot(
    shown: SideBySide,
    takes: Sequence[Take],
    view: View,
    *,
    panel_px: int,
    height_share: float,
    marks: Sequence[Mark],
    angles_rad: tuple[float, float] | None = None,
) -> TitledShot:
    """Return takes side by side, to one scale, with each robot always in view.

    Args:
        shown: The motions.
        takes: Their takes.
        view: How to show them.
        panel_px: Width of each panel, unless the view has a size.
        height_share: Height of a panel over its width, the same.
        marks: Marks on the ground that the legend names.
        angles_rad: Azimuth and elevation of the camera, instead of those of the view.
    """
    count = len(takes)
    view.check(count)
    spare_px = 0
    height_px = round(height_share * panel_px)
    if view.size_px is not None:
        panel_px, spare_px = divmod(view.size_px[0], count)
    nothing = np.empty((0, count * panel_px, 3), dtype=np.uint8)
    titles = titles_over(shown, panel_px) if view.has_text else nothing
    key = key_under(count, panel_px, marks) if view.has_text else nothing
    if view.size_px is not None:
        height_px = view.size_px[1] - len(titles) - len(key)
        if height_px < MIN_PX:
            needed_px = view.size_px[1] - height_px + MIN_PX
            problem = f"A height of {view.size_px[1]} pixels has no room under its titles"
            raise OutOfRangeError(f"{problem}; choose at least {needed_px}, or plain.")
    if not view.has_text:
        takes = [replace(take, film=take.film.without_marks()) for take in takes]
    azimuth_rad, elevation_rad = view.angles_rad(shown) if angles_rad is None else angles_rad
    corners = [take.film.corners_in_world() for take in takes]
    around = [part - take.path_in_world[:, None] for part, take in zip(corners, takes, strict=True)]
    points = np.concatenate([part.reshape(-1, 3) for part in around])
    camera = fitted_camera(points, (panel_px, height_px), azimuth_rad=azimuth_rad, elevation_rad=elevation_rad)
    size_m = max(float(np.linalg.norm(np.ptp(part, axis=1), axis=1).max()) for part in corners)
    ground = floor_area(points, grid_m=grid_step_m(size_m))
    return TitledShot(titles, Shot(takes, camera, ground, size_m, view.transparent), key, spare_px)


def take_of(film: Footage, view: View) -> Take:
    """Return a take whose camera moves as the view asks for."""
    if view.move is None:
        return follow(film)
    place = film.base_in_world * np.array([1.0, 1.0, 0.0])
    if view.move == "fixed":
        return Take(film, np.repeat((place.min(axis=0) + place.max(axis=0))[None] / 2.0, len(place), axis=0))
    return Take(film, _smooth(place, film.time_s))


def _smooth(place: Array, time_s: Array) -> Array:
    """Return the path of a camera that follows a place smoothly. Shape (F, 3) in and out."""
    if len(place) == 1:
        return place
    frames = _CAMERA_S * (len(place) - 1) / float(time_s[-1] - time_s[0])
    return np.asarray(gaussian_filter1d(place, frames, axis=0, mode="nearest"))


def follow(film: Footage) -> Take:
    """Return a take whose camera stays if the robot stays near, and else moves straight, so that sway stays visible.

    If a straight path at one speed would lose the robot, as when it stands, walks and stands again, the camera follows
    the robot smoothly.
    """
    place = film.base_in_world * np.array([1.0, 1.0, 0.0])
    body_m = float(np.linalg.norm(np.ptp(film.centre_in_world[0], axis=0)))
    share = np.full(len(place), 0.5)
    if np.linalg.norm(place[-1] - place[0]) > body_m:
        share = np.linspace(0.0, 1.0, len(place))
    path = place[0] + share[:, None] * (place[-1] - place[0])
    if np.linalg.norm(place - path, axis=1).max() > _MAX_OFF_CENTRE * body_m:
        path = _smooth(place, film.time_s)
    return Take(film, path)


def titles_over(shown: SideBySide, panel_px: int) -> Pixels:
    """Return the titles over the panels, each inside its own. Shape (h, n * panel_px, 3)."""
    room_px = min(panel_px, _WORDS_PX)
    words = Words(len(shown.motions) * panel_px, round(_TITLE_SHARE * room_px))
    for index, (motion, label) in enumerate(zip(shown.motions, shown.labels, strict=True)):
        middle = (index + 0.5) * panel_px
        verdict = verdict_of(motion)
        color = verdict_color(motion)
        most_px = 0.94 * panel_px
        words.write(label, middle, 0.52, size_px=0.072 * room_px, most_px=most_px)
        words.write(verdict, middle, 0.44, size_px=0.045 * room_px, most_px=most_px, color=color, align="top")
    return words.pixels()


def key_under(count: int, panel_px: int, marks: Sequence[Mark]) -> Pixels:
    """Return the legend of the colours on the ground, below n panels. Shape (h, n * panel_px, 3)."""
    width_px = count * panel_px
    if not marks:
        return np.empty((0, width_px, 3), dtype=np.uint8)
    room_px = min(width_px, _WORDS_PX)
    size_px = min(0.034 * room_px, 0.023 * width_px)  # all three fit into the width of one panel
    words = Words(width_px, round(_KEY_SHARE * room_px))
    column = 0.04 * room_px
    for name in marks:
        color = to_hex(POLYGON_COLOR if name == "support polygon" else SPOT_COLORS[name])
        for text, ink in (("\N{BLACK CIRCLE}", color), (name, INK)):
            end = words.write(text, column, 0.4, size_px=size_px, most_px=width_px, color=ink, side="left")
            column = end + 0.4 * size_px
        column += size_px
    return words.pixels()


def marks_of(shown: SideBySide, *, at_s: float | None = None) -> list[Mark]:
    """Return the marks on the ground under any of the robots at one time, or in mid-swing.

    Two points of contact, as in a trot, have no support polygon, and neither have wheels.
    """
    polygons = [support_polygons(motion, robot, _moment(motion, robot, at_s))[0] for motion, robot in shown.pairs]
    has_mark: dict[Mark, bool] = {
        "support polygon": any(polygons),
        "centre of mass": any(robot.feet for robot in shown.robots),
        "centre of pressure": any(motion.cop_in_world is not None for motion in shown.motions),
    }
    return [mark for mark, is_there in has_mark.items() if is_there]


def verdict_color(motion: Motion) -> str:
    """Return the colour of the verdict of a motion."""
    return VERDICT_COLORS[motion.receipt.verdict] if motion.receipt else "#555555"


class Words:
    """A strip of a picture with text; text that is too wide is written smaller."""

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
