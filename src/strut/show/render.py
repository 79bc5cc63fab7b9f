"""Render: one frame of footage as pixels: a body on a floor, lit by a lamp and the sky."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy.ndimage import binary_erosion

from strut.robot import Array
from strut.show.camera import Camera
from strut.show.floor import BACKDROP, SHINING, UP, Shadow, cast_shadow, floor_color, with_spots
from strut.show.footage import Footage
from strut.show.rasterizer import PosedBody, Seen

Pixels = npt.NDArray[np.uint8]
SAMPLES_PER_SIDE = 2  # a pixel of the body is the mean of this many squared
RIM = 0.55  # brightness of a body's outline, half a pixel wide: it parts white from bright
DOT_SHARE = 0.014  # radius of a spot over the size of the robot


def draw_frame(film: Footage, frame: int, camera: Camera, *, size_m: float, grid_m: float) -> Pixels:
    """Return a picture of one frame: the body on the floor, its support polygon and spots, which shine through it.

    Args:
        film: What the motion looks like.
        frame: Which frame of it.
        camera: From where.
        size_m: Size of the robot, which sets the dot and how far the floor goes.
        grid_m: Distance between the grid's lines.

    Returns:
        Shape (height, width, 3), as the camera says.
    """
    width_px, height_px = camera.size_px
    lamp, corners = light_direction(camera), film.corners_in_world(slice(frame, frame + 1))[0]
    body = PosedBody(film.solids, film.centre_in_world[frame], film.solid_to_world[frame])
    view = _View(film, frame, camera, body, lamp, DOT_SHARE * size_m)
    shadow = cast_shadow(body, corners, light=lamp, half_m=1.1 * size_m, cells=min(150, width_px // 2))
    color = _floor_pixels(view, shadow, grid_m)
    places = camera.project(corners)[0]
    low = np.clip(np.floor(places.min(axis=0)) - 1.0, 0, [width_px, height_px]).astype(int)
    high = np.clip(np.ceil(places.max(axis=0)) + 1.0, 0, [width_px, height_px]).astype(int)
    if (high > low).all():
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        color[window] = view.body_over(color[window], window)
    return np.asarray(np.round(np.clip(color, 0.0, 1.0) * 255.0), dtype=np.uint8)


def light_direction(camera: Camera) -> Array:
    """Return the unit vector towards the lamp: over the camera's left shoulder. Shape (3,)."""
    right, _, forward = camera.axes
    towards = 1.25 * UP - 0.65 * right - 0.35 * forward
    return np.asarray(towards / np.linalg.norm(towards))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """What a camera sees of one frame: the body, the lamp's direction (3,), and the radius of a spot."""

    film: Footage
    frame: int
    camera: Camera
    body: PosedBody
    lamp: Array
    dot_m: float

    def body_over(self, behind: Array, window: tuple[slice, slice]) -> Array:
        """Return a window of the picture, rows and columns, with the body over the floor. Shape (H, W, 3)."""
        finer, (high, wide, _) = SAMPLES_PER_SIDE, behind.shape
        seen = self.body.seen(self.camera, window, finer)
        samples = np.zeros((high * wide * finer**2, 4))
        samples[seen.cell, :3], samples[seen.cell, 3] = self._color(seen), 1.0
        samples[_rim(samples[:, 3].reshape(high * finer, -1) > 0.0), :3] *= RIM
        parts = samples.reshape(high, finer, wide, finer, 4)
        mean = np.mean([parts[:, row, :, column] for row in range(finer) for column in range(finer)], axis=0)
        return np.asarray(behind * (1.0 - mean[..., 3:]) + mean[..., :3])

    def _color(self, seen: Seen) -> Array:
        """Return the colours of what is seen of the body, and of the spots that it hides. Shape (m, 3)."""
        rays = seen.points_in_world - self.camera.eye_in_world
        color = self._body_color(seen, rays / np.linalg.norm(rays, axis=1, keepdims=True))
        below = np.flatnonzero(rays[:, 2] < 0.0)  # spots shine through the body: a shoe must not hide where it presses
        away = -self.camera.eye_in_world[2] / rays[below, 2]
        places_m = self.camera.eye_in_world[:2] + away[:, None] * rays[below, :2]
        pixel_m = away * (rays[below] @ self.camera.axes[2]) / self.camera.focal_px
        spots = self.film.spots_at(self.frame)
        color[below] = with_spots(color[below], places_m, pixel_m, spots, dot_m=self.dot_m, share=SHINING)
        return color

    def _body_color(self, seen: Seen, rays: Array) -> Array:
        """Return the colours of points on the body: Lambert under a lamp and a bright sky. Unit rays (m, 3), (m, 3)."""
        color, normal = np.array([solid.color[:3] for solid in self.film.solids])[seen.part], seen.normal
        facing = np.clip(normal @ self.lamp, 0.0, 1.0)
        facing *= self.body.lit(seen.points_in_world, normal, self.lamp)
        halfway = self.lamp - rays
        halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
        gloss = 0.16 * (facing > 0.0) * np.clip(np.sum(normal * halfway, axis=1), 0.0, 1.0) ** 24
        sky = 0.44 + 0.16 * normal[:, 2]
        return np.asarray(color * (sky + 0.48 * facing)[:, None] + gloss[:, None])


def _rim(body: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the samples of a body next to what is none, row by row. Shape (H, W) in."""
    return np.flatnonzero(body & ~binary_erosion(body, border_value=1))


def _floor_pixels(view: _View, shadow: Shadow, grid_m: float) -> Array:
    """Return the picture of the floor alone, before a plain backdrop. Shape (H, W, 3)."""
    camera = view.camera
    lens = (camera.axes.tobytes(), camera.focal_px, camera.middle_px.tobytes(), camera.size_px)
    from_eye_m, distance = _floor_in_view(float(camera.eye_in_world[2]), *lens)
    points_m, color = camera.eye_in_world[:2] + from_eye_m, np.tile(BACKDROP, (*distance.shape, 1))
    haze = shadow.haze(points_m)
    seen = np.nonzero(haze < 1.0)
    color[seen] = floor_color(
        points_m[seen],
        distance[seen] / camera.focal_px,
        haze[seen],
        shadow,
        grid_m=grid_m,
        polygon=view.film.polygons[view.frame],
        spots=view.film.spots_at(view.frame),
        dot_m=view.dot_m,
    )
    return color


@lru_cache(maxsize=8)  # films move the camera along the floor, which changes none of it
def _floor_in_view(
    height_m: float, axes: bytes, focal_px: float, middle_px: bytes, size_px: tuple[int, int]
) -> tuple[Array, Array]:
    """Return what each pixel of a camera over the origin sees of the floor. Shapes (H, W, 2), (H, W).

    The place on the floor, infinite above the horizon, and how many rays away it is.
    """
    camera = Camera(np.zeros(3), np.frombuffer(axes).reshape(3, 3), focal_px, np.frombuffer(middle_px), size_px)
    width_px, height_px = size_px
    columns, rows = _pixel_middles(slice(0, height_px), slice(0, width_px))
    rays = camera.rays(columns, rows)
    distance = np.where(rays[..., 2] < -1e-6, -height_m / np.minimum(rays[..., 2], -1e-6), np.inf)
    from_eye_m = np.where(np.isfinite(distance)[..., None], distance[..., None] * rays[..., :2], np.inf)
    return from_eye_m, distance


def _pixel_middles(rows: slice, columns: slice) -> tuple[Array, Array]:
    """Return the columns and rows of the middles of a window of pixels. Shape (H, W) each."""
    middle = np.mgrid[rows, columns] + 0.5
    return middle[1], middle[0]
