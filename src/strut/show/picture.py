"""Picture: robots drawn by a small software renderer, side by side, at one instant."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from strut.errors import OutOfRangeError
from strut.io.atomic import write_atomically
from strut.motion import Motion
from strut.robot import Array, Robot
from strut.show.camera import AZIMUTH_RAD, Camera, fitted_camera
from strut.show.floor import (
    SHINING,
    UP,
    cast_shadow,
    floor_color,
    grid_step_m,
    with_spots,
)
from strut.show.footage import Footage, Look, footage, matched, nearest_samples, telling_sample
from strut.show.ray_cast import hit_distance, shaded, surface_normal
from strut.show.wording import title_of, verdict_of

Pixels = npt.NDArray[np.uint8]
SAMPLES_PER_SIDE = 2  # each pixel is the mean of this many squared
INK = "#1a1c20"
VERDICT_COLORS = {"ok": "#2b7a4b", "weakened": "#9a6200", "refused": "#b3261e"}
DOT_SHARE = 0.014  # radius of a spot over the size of the robot
_TITLE_SHARE = 0.17  # height of the titles over the width of a panel
_HEIGHT_SHARE = 0.84  # height of a panel over its width


def light_direction(camera: Camera) -> Array:
    """Return the unit vector towards the lamp: over the camera's left shoulder. Shape (3,)."""
    right, _, forward = camera.axes
    towards = 1.25 * UP - 0.65 * right - 0.35 * forward
    return np.asarray(towards / np.linalg.norm(towards))


def draw_frame(
    film: Footage,
    frame: int,
    camera: Camera,
    *,
    width_px: int,
    height_px: int,
    size_m: float,
    grid_m: float | None = None,
) -> Pixels:
    """Return a picture of one frame: the body on the floor, its support polygon and spots, which shine through it.

    Args:
        film: What the motion looks like.
        frame: Which frame of it.
        camera: From where.
        width_px: Width of the picture.
        height_px: Height of the picture.
        size_m: Size of the robot, which sets the dot and how far the floor goes.
        grid_m: Distance between the grid's lines; round and by the size if None.

    Returns:
        Shape (height_px, width_px, 3).
    """
    fine = SAMPLES_PER_SIDE
    floor = _floor_pixels(film, frame, camera, (height_px, width_px), size_m, grid_m or grid_step_m(size_m))
    color = floor.repeat(fine, axis=0).repeat(fine, axis=1)
    sharper = replace(camera, focal_px=camera.focal_px * fine, middle_px=camera.middle_px * fine)
    depth, part = _nearest_parts(film, frame, sharper, (height_px * fine, width_px * fine))
    rows, columns = np.nonzero(part >= 0)
    rays = sharper.rays(columns.astype(float) + 0.5, rows.astype(float) + 0.5)
    points = sharper.eye_in_world + depth[rows, columns, None] * rays
    color[rows, columns] = _body_pixels(film, frame, points, rays, part[rows, columns], light_direction(camera))
    color = _with_shining_spots(color, film, frame, sharper, part >= 0, size_m)
    mean = color.reshape(height_px, fine, width_px, fine, 3).mean(axis=(1, 3))
    return np.asarray(np.round(np.clip(mean, 0.0, 1.0) * 255.0), dtype=np.uint8)


def save_png(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    *,
    at_s: float | None = None,
    panel_px: int = 420,
    look: Look = "solid",
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
        force: Replace an existing file.
    """
    write_atomically(Path(path), png_bytes(motions, robots, at_s=at_s, panel_px=panel_px, look=look), force=force)


def png_bytes(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    *,
    at_s: float | None = None,
    panel_px: int = 420,
    look: Look = "solid",
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
    return as_png(np.concatenate([titles_over(motions, panel_px), shot.panels(0)]))


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


def _floor_pixels(
    film: Footage, frame: int, camera: Camera, shape: tuple[int, int], size_m: float, grid_m: float
) -> Array:
    """Return the picture of the floor alone, white above the horizon. Shape (H, W, 3)."""
    rays, color = camera.rays(*_pixel_middles(slice(0, shape[0]), slice(0, shape[1]))), np.ones((*shape, 3))
    down = rays[..., 2] < -1e-6
    distance = -camera.eye_in_world[2] / rays[down][:, 2]
    points_m = camera.eye_in_world[:2] + distance[:, None] * rays[down][:, :2]
    centre, rotation = film.centre_in_world[frame], film.solid_to_world[frame]
    shadow = cast_shadow(
        film.solids, centre, rotation, light=light_direction(camera), half_m=1.1 * size_m, cells=min(150, shape[1] // 2)
    )
    color[down] = floor_color(
        points_m,
        distance / camera.focal_px,
        shadow,
        grid_m=grid_m,
        polygon=film.polygons[frame],
        spots=film.spots_at(frame),
        dot_m=DOT_SHARE * size_m,
    )
    return 1.0 + _inwards(shape)[..., None] * (color - 1.0)


def _with_shining_spots(
    color: Array, film: Footage, frame: int, camera: Camera, body: npt.NDArray[np.bool_], size_m: float
) -> Array:
    """Return the picture with spots seen through the body: a shoe must not hide where it presses. Shape (H, W, 3)."""
    rows, columns = np.nonzero(body)
    rays = camera.rays(columns.astype(float) + 0.5, rows.astype(float) + 0.5)
    down = rays[:, 2] < -1e-6
    rows, columns, rays = rows[down], columns[down], rays[down]
    distance = -camera.eye_in_world[2] / rays[:, 2]
    points_m = camera.eye_in_world[:2] + distance[:, None] * rays[:, :2]
    seen, spots = color.copy(), film.spots_at(frame)
    seen[rows, columns] = with_spots(
        color[rows, columns], points_m, distance / camera.focal_px, spots, dot_m=DOT_SHARE * size_m, share=SHINING
    )
    return seen


def _inwards(shape: tuple[int, int]) -> Array:
    """Return 0 at the border of a picture, rising to 1 inside it, so that panels meet in white. Shape (H, W)."""
    columns, rows = _pixel_middles(slice(0, shape[0]), slice(0, shape[1]))
    from_border = np.minimum(np.minimum(columns, shape[1] - columns), np.minimum(rows, shape[0] - rows))
    return np.clip(from_border / (0.12 * shape[1]), 0.0, 1.0)


def _pixel_middles(rows: slice, columns: slice) -> tuple[Array, Array]:
    """Return the columns and rows of the middles of a window of pixels. Shape (H, W) each."""
    middle = np.mgrid[rows, columns] + 0.5
    return middle[1], middle[0]


def _nearest_parts(
    film: Footage, frame: int, camera: Camera, shape: tuple[int, int]
) -> tuple[Array, npt.NDArray[np.int64]]:
    """Return depth and index of the part that each pixel shows, -1 for none. Shape (H, W) each."""
    depth, shown = np.full(shape, np.inf), np.full(shape, -1)
    pixels, distance = camera.project(film.centre_in_world[frame])
    for index, solid in enumerate(film.solids):
        reach_m = film.reach_m[index]
        half = camera.focal_px * reach_m / max(distance[index] - reach_m, 1e-9) + 1.0
        low = np.clip(np.floor(pixels[index] - half), 0, shape[::-1]).astype(int)
        high = np.clip(np.ceil(pixels[index] + half), 0, shape[::-1]).astype(int)
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        rotation = film.solid_to_world[frame, index]
        origin = (camera.eye_in_world - film.centre_in_world[frame, index]) @ rotation
        met = hit_distance(solid, origin, camera.rays(*_pixel_middles(*window)) @ rotation)
        nearer = met < depth[window]
        depth[window] = np.where(nearer, met, depth[window])
        shown[window] = np.where(nearer, index, shown[window])
    return depth, shown


def _body_pixels(
    film: Footage, frame: int, points: Array, rays: Array, part: npt.NDArray[np.int64], light: Array
) -> Array:
    """Return the colours of points on the body: Lambert under a lamp and a bright sky. Shape (m, 3) in and out."""
    normal, color = np.empty_like(points), np.empty_like(points)
    for index in np.unique(part):
        own, rotation = part == index, film.solid_to_world[frame, index]
        in_part = (points[own] - film.centre_in_world[frame, index]) @ rotation
        normal[own] = surface_normal(film.solids[index], in_part) @ rotation.T
        color[own] = film.solids[index].color[:3]
    facing = np.clip(normal @ light, 0.0, 1.0)
    outside = points + 1e-4 * film.reach_m.max() * normal
    lit = facing * ~shaded(film.solids, film.centre_in_world[frame], film.solid_to_world[frame], outside, light)
    halfway = light - rays / np.linalg.norm(rays, axis=1, keepdims=True)
    halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
    gloss = 0.16 * (lit > 0.0) * np.clip(np.sum(normal * halfway, axis=1), 0.0, 1.0) ** 24
    sky = 0.50 + 0.16 * normal[:, 2]
    return np.asarray(color * (sky + 0.52 * lit)[:, None] + gloss[:, None])


def titles_over(motions: Sequence[Motion], panel_px: int) -> Pixels:
    """Return the titles over the panels. Shape (h, n * panel_px, 3)."""
    width, height = len(motions) * panel_px, round(_TITLE_SHARE * panel_px)
    figure = Figure(figsize=(width / 100.0, height / 100.0), dpi=100, facecolor="white")
    canvas = FigureCanvasAgg(figure)
    points = 72.0 / 100.0 * panel_px  # so that sizes are shares of the panel's width
    for index, motion in enumerate(motions):
        middle = (index + 0.5) / len(motions)
        color = VERDICT_COLORS[motion.receipt.verdict] if motion.receipt else "#555555"
        figure.text(middle, 0.52, title_of(motion), ha="center", va="bottom", size=0.072 * points, color=INK)
        figure.text(middle, 0.44, verdict_of(motion), ha="center", va="top", size=0.045 * points, color=color)
    canvas.draw()  # type: ignore[no-untyped-call]
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()  # type: ignore[no-untyped-call]
