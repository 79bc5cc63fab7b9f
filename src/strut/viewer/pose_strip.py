"""Pose strip: a picture of a gait cycle as a row of poses from the side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from strut.arrays import Array, Pixels
from strut.errors import OutOfRangeError
from strut.maths.sampling import middle_cycle
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.camera import fitted_camera, view_axes
from strut.viewer.floor import floor_area
from strut.viewer.footage import Footage, Look, SideBySide, footage, nearest_samples, tells_story
from strut.viewer.loop import repeat_cycle
from strut.viewer.picture import INK, Words, as_png, verdict_color
from strut.viewer.receipt_text import intensity_verdict, title_of
from strut.viewer.render import draw_frame

POSES = 8
MAX_POSES = 24
STRIP_PX = 1400  # width of a row
AZIMUTH_RAD = float(np.deg2rad(-90.0))  # from the right side
ELEVATION_RAD = float(np.deg2rad(9.0))  # slightly from above
GAP = 0.07  # between poses, over the largest size of the body
_LABEL_SHARE = 0.14  # height of the text over that of the picture
_MIN_LABEL_PX = 44


def pose_strip_bytes(shown: SideBySide, *, poses: int = POSES, width_px: int = STRIP_PX) -> bytes:
    """Return a picture with a row of 2 to 24 poses for each motion, to one scale.

    A cyclic human walk is shown for one cycle, from the landing of the right heel; others are shown whole, and keyframe
    animations from in front.
    """
    if not 2 <= poses <= MAX_POSES:
        raise OutOfRangeError(f"A row of {poses} poses cannot be drawn; choose 2 to {MAX_POSES}.")
    rows_of_poses = [poses_of_motion(motion, robot, poses, shown.look) for motion, robot in shown.pairs]
    azimuth_rad = shown.azimuth_rad if shown.tells_story else AZIMUTH_RAD
    elevation_rad = shown.elevation_rad if shown.tells_story else ELEVATION_RAD
    right, down, _ = view_axes(azimuth_rad, elevation_rad)
    apart_m = max(pose_spacing_m(film, right) for film, _ in rows_of_poses)
    films = [poses_side_by_side(film, apart_m * right) for film, _ in rows_of_poses]
    corners = np.concatenate([film.corners_in_world()[0] for film in films])
    span_m = float(np.ptp(corners @ right))
    tall_m = float(np.ptp(corners[:, 2]))
    height_px = round(width_px * 1.12 * float(np.ptp(corners @ down)) / span_m)  # with a margin
    size_px = (width_px, height_px)
    camera = fitted_camera(corners, size_px, azimuth_rad=azimuth_rad, elevation_rad=elevation_rad)
    ground = floor_area(corners, grid_m=tall_m / 4.0)
    rows: list[Pixels] = []
    names = shown.names or [""] * len(films)
    for film, (_, whens), motion, name in zip(films, rows_of_poses, shown.motions, names, strict=True):
        columns = camera.project(film.centre_in_world[0].reshape(poses, -1, 3).mean(axis=1))[0][:, 0]
        rows.append(_words(motion, name, columns, whens, size_px))
        rows.append(draw_frame(film, 0, camera, size_m=span_m, ground=ground))
    return as_png(np.concatenate(rows))


def poses_of_motion(motion: Motion, robot: Robot, poses: int, look: Look) -> tuple[Footage, list[str]]:
    """Return the poses of one motion and the text below each: percent of a gait cycle, or seconds."""
    shown, (start_s, stop_s), cyclic = _shown_cycle(motion, robot)
    times_s = np.linspace(start_s, stop_s, poses, endpoint=not cyclic)
    share = (times_s - start_s) / (stop_s - start_s)
    whens = [f"{100.0 * part:.3g} %" if cyclic else f"{at_s:.2f} s" for part, at_s in zip(share, times_s, strict=True)]
    return footage(shown, robot, nearest_samples(shown, times_s), look=look), whens


def _shown_cycle(motion: Motion, robot: Robot) -> tuple[Motion, tuple[float, float], bool]:
    """Return the motion of a row, its first and last time since the start, and whether that is a cycle."""
    cyclic = repeat_cycle(robot, motion, 0.0)
    if cyclic is not None:
        return cyclic[0], (0.0, cyclic[1].duration_s), True
    cycle = None if tells_story(motion) else middle_cycle(motion.contact)
    start_s, stop_s = (motion.time_s - motion.time_s[0])[list(cycle or (0, -1))].tolist()
    return motion, (start_s, stop_s), cycle is not None


def pose_spacing_m(film: Footage, right: Array) -> float:
    """Return the spacing of poses along an axis (3,) with which none hides the next."""
    corners = film.corners_in_world()
    ahead = (corners - film.base_in_world[:, None]) @ right
    needed_m = float((ahead[:-1].max(axis=1) - ahead[1:].min(axis=1)).max())
    return needed_m + GAP * float(np.ptp(corners[0], axis=0).max())


def poses_side_by_side(film: Footage, apart_m: Array) -> Footage:
    """Return one frame with all poses of a film, each a step (3,) from the one before, about the origin."""
    count = len(film.time_s)
    shift = np.zeros((count, 1, 3))
    shift[:, 0, :2] = -film.base_in_world[:, :2]
    shift[:, 0] += np.outer(np.arange(count), apart_m)
    return replace(
        film,
        time_s=film.time_s[:1],
        base_in_world=film.base_in_world[:1],
        solids=film.solids * count,
        centre_in_world=(film.centre_in_world + shift).reshape(1, -1, 3),
        solid_to_world=film.solid_to_world.reshape(1, -1, 3, 3),
        polygons=(None,),
        spots={},
    )


def _words(motion: Motion, name: str, columns: Array, whens: Sequence[str], size_px: tuple[int, int]) -> Pixels:
    """Return the title, the name, the verdict and the text of each pose. Shape (h, width, 3)."""
    width_px, height_px = size_px
    high_px = max(_MIN_LABEL_PX, round(_LABEL_SHARE * height_px))
    strip = Words(width_px, high_px)
    after = 0.0
    for words, low, size, color in (
        (title_of(motion), 0.52, 0.42, INK),
        (name, 0.56, 0.26, INK),
        (intensity_verdict(motion), 0.56, 0.26, verdict_color(motion)),
    ):
        if words:
            start = after + 0.012 * width_px
            most_px = 0.4 * width_px
            after = strip.write(words, start, low, size_px=size * high_px, most_px=most_px, color=color, side="left")
    room_px = 0.9 * float(np.diff(columns).min())
    for column, words in zip(columns, whens, strict=True):
        strip.write(words, float(column), 0.02, size_px=0.24 * high_px, most_px=room_px, color="#6b7280")
    return strip.pixels()
