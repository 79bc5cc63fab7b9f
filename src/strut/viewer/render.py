"""Render: one frame of footage as pixels: a body on a floor under a lamp and the sky.

It renders in software, because mujoco.Renderer needs an OpenGL context, which machines without a display often lack.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Pixels
from strut.viewer.camera import Camera
from strut.viewer.floor import BACKDROP, SPOT_SHARE_THROUGH_BODY, UP, Shadow, add_spots, cast_shadow, floor_color
from strut.viewer.footage import Footage
from strut.viewer.rasterizer import PosedBody, VisiblePoints

SAMPLES_PER_SIDE = 2  # a pixel of the body is the mean of this many squared
RIM = 0.55  # brightness of the outline of a body, half a pixel wide, which separates white bodies from the backdrop
MIN_BRIGHTNESS = 0.3  # largest of red, green and blue; shades of darker bodies could not be distinguished
PARALLEL = 0.97  # cosine between normals that share one shade
DOT_SHARE = 0.014  # radius of a spot over the size of the robot


def draw_frame(film: Footage, frame: int, camera: Camera, *, size_m: float, grid_m: float) -> Pixels:
    """Return a picture of one frame: the body on the floor, its support polygon, and spots that shine through it.

    Args:
        film: Footage of the motion.
        frame: Number of the frame.
        camera: The camera.
        size_m: Size of the robot, which sets the size of the spots and of the floor.
        grid_m: Distance between grid lines.

    Returns:
        Shape (height, width, 3), the size of the camera.
    """
    width_px, height_px = camera.size_px
    lamp = light_direction(camera)
    corners = film.corners_in_world(slice(frame, frame + 1))[0]
    body = PosedBody(film.solids, film.centre_in_world[frame], film.solid_to_world[frame])
    view = _View(film, frame, camera, body, lamp, DOT_SHARE * size_m)
    shadow = cast_shadow(body, corners, light=lamp, half_m=1.1 * size_m, cells=min(150, width_px // 2))
    color = _floor_pixels(view, shadow, grid_m)
    places = camera.project(corners)[0]
    low = np.clip(np.floor(places.min(axis=0)) - 1.0, 0, [width_px, height_px]).astype(int)
    high = np.clip(np.ceil(places.max(axis=0)) + 1.0, 0, [width_px, height_px]).astype(int)
    if (high > low).all():
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        color[:, *window] = view.body_over(color[:, *window], window)
    pixels = np.empty((height_px, width_px, 3), dtype=np.uint8)
    pixels[...] = np.clip(color * 255.0 + 0.5, 0.0, 255.0).transpose(1, 2, 0)
    return pixels


def light_direction(camera: Camera) -> Array:
    """Return the unit vector towards the lamp: over the camera's left shoulder. Shape (3,)."""
    right, _, forward = camera.axes
    towards = 1.25 * UP - 0.65 * right - 0.35 * forward
    return np.asarray(towards / np.linalg.norm(towards))


@dataclass(frozen=True, slots=True, eq=False)
class _View:
    """One frame with its camera, body, direction of the lamp (3,), and radius of a spot."""

    film: Footage
    frame: int
    camera: Camera
    body: PosedBody
    lamp: Array
    dot_m: float

    def body_over(self, behind: Array, window: tuple[slice, slice]) -> Array:
        """Return a window of the picture, rows and columns, with the body over the floor. Shape (3, H, W).

        A pixel whose samples are alike is coloured once, others sample by sample.
        """
        finer = SAMPLES_PER_SIDE
        _, high, wide = behind.shape
        seen = self.body.visible_points(self.camera, window, finer)
        number = np.full(high * wide * finer**2, -1)
        number[seen.cell] = np.arange(len(seen.cell))
        number = number.reshape(high * finer, wide * finer)
        share = (number >= 0) / finer**2
        share[_rim(number >= 0)] *= RIM
        corners = [np.s_[row::finer, column::finer] for row in range(finer) for column in range(finer)]
        numbers, shares = (np.stack([grid[corner].ravel() for corner in corners]) for grid in (number, share))
        alike = _alike(seen, numbers)
        whole = np.flatnonzero(alike)
        sample, pixel = np.nonzero((numbers >= 0) & ~alike)
        weight = np.concatenate([shares[:, whole].sum(axis=0), shares[sample, pixel]])
        weighed = weight * self._color(_merged(seen, numbers[:, whole], numbers[sample, pixel]))
        color = np.stack([np.bincount(pixel, part[len(whole) :], minlength=high * wide) for part in weighed])
        color[:, whole] = weighed[:, : len(whole)]
        free = (number < 0).reshape(high, finer, wide, finer).mean(axis=(1, 3))
        return np.asarray(behind * free + color.reshape(3, high, wide))

    def _color(self, seen: VisiblePoints) -> Array:
        """Return the colours of visible points of the body, and of the spots that it covers. Shape (3, m)."""
        rays = seen.points_in_world - self.camera.eye_in_world
        color = self._body_color(seen, rays / np.linalg.norm(rays, axis=1, keepdims=True))
        below = np.flatnonzero(rays[:, 2] < 0.0)  # spots shine through: a foot must not hide its centre of pressure
        away = -self.camera.eye_in_world[2] / rays[below, 2]
        places_m = self.camera.eye_in_world[:2, None] + away * rays[below, :2].T
        pixel_m = away * (rays[below] @ self.camera.axes[2]) / self.camera.focal_px
        spots = self.film.spots_at(self.frame)
        shining = color[:, below]
        add_spots(shining, places_m, pixel_m, spots, dot_m=self.dot_m, share=SPOT_SHARE_THROUGH_BODY)
        color[:, below] = shining
        return color

    def _body_color(self, seen: VisiblePoints, rays: Array) -> Array:
        """Return the colours of points on the body: Lambert under a lamp and a bright sky. Unit rays (m, 3), (3, m)."""
        color = readable(np.array([solid.color[:3] for solid in self.film.solids])).T[:, seen.part]
        normal = seen.normal
        facing = np.clip(normal @ self.lamp, 0.0, 1.0)
        facing *= self.body.lit(seen.points_in_world, normal, self.lamp)
        halfway = self.lamp - rays
        halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
        gloss = 0.16 * (facing > 0.0) * np.clip(np.einsum("mi,mi->m", normal, halfway), 0.0, 1.0) ** 24
        sky = 0.44 + 0.16 * normal[:, 2]
        return np.asarray(color * (sky + 0.48 * facing) + gloss)


def readable(colors: Array) -> Array:
    """Return colours of bodies, black ones brightened so that their shades are visible. Shape (n, 3)."""
    return np.asarray(np.minimum(1.0, colors + np.maximum(0.0, MIN_BRIGHTNESS - colors.max(axis=1, keepdims=True))))


def _alike(seen: VisiblePoints, numbers: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return which pixels show one part at one angle in all their samples. Shape (s, n) in, (n,) out."""
    alike = np.asarray((numbers >= 0).all(axis=0))
    pixels = np.flatnonzero(alike)
    first, *others = numbers[:, pixels]
    normal = seen.normal[first]
    part = seen.part[first]
    for other in others:
        parallel = np.einsum("ni,ni->n", normal, seen.normal[other]) > PARALLEL
        alike[pixels] &= parallel & (seen.part[other] == part)
    return alike


def _merged(seen: VisiblePoints, together: npt.NDArray[np.intp], alone: npt.NDArray[np.intp]) -> VisiblePoints:
    """Return one sample for each of n pixels instead of its s, then the single ones. Shapes (s, n), (m,)."""
    normal = sum(seen.normal[one] for one in together)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    which = np.concatenate([together[0], alone])
    normal = np.concatenate([normal, seen.normal[alone]])
    return VisiblePoints(seen.cell[which], seen.part[which], seen.points_in_world[which], normal)


def _rim(body: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the samples of a body next to samples without it. Shape (H, W) in and out."""
    within = np.pad(body, 1, constant_values=True)
    around = within[:-2, 1:-1] & within[2:, 1:-1] & within[1:-1, :-2] & within[1:-1, 2:]
    return np.asarray(body & ~around)


def _floor_pixels(view: _View, shadow: Shadow, grid_m: float) -> Array:
    """Return the picture of the floor alone, in front of a plain backdrop. Shape (3, H, W)."""
    camera = view.camera
    width_px, height_px = camera.size_px
    lens = (camera.axes.tobytes(), camera.focal_px, camera.middle_px.tobytes(), camera.size_px)
    pixel, from_eye_m, distance = _floor_in_view(float(camera.eye_in_world[2]), *lens)
    points_m = from_eye_m + camera.eye_in_world[:2, None]
    haze = shadow.haze(points_m)
    near = np.flatnonzero(haze < 1.0)
    color = np.repeat(np.array(BACKDROP), height_px * width_px).reshape(3, -1)
    color[:, pixel[near]] = floor_color(
        points_m[:, near],
        distance[near] / camera.focal_px,
        haze[near],
        shadow,
        grid_m=grid_m,
        polygon=view.film.polygons[view.frame],
        spots=view.film.spots_at(view.frame),
        dot_m=view.dot_m,
    )
    return color.reshape(3, height_px, width_px)


@lru_cache(maxsize=8)  # a camera that moves along the floor does not change it
def _floor_in_view(
    height_m: float, axes: bytes, focal_px: float, middle_px: bytes, size_px: tuple[int, int]
) -> tuple[npt.NDArray[np.intp], Array, Array]:
    """Return the visible floor for a camera above the origin. Shapes (n,), (2, n), (n,).

    These are the pixels below the horizon, row by row, their points on the floor, and the distances in rays.
    """
    camera = Camera(np.zeros(3), np.frombuffer(axes).reshape(3, 3), focal_px, np.frombuffer(middle_px), size_px)
    rows, columns = np.indices(size_px[::-1]).reshape(2, -1)
    rays = camera.rays(columns + 0.5, rows + 0.5)
    pixel = np.flatnonzero(rays[:, 2] < -1e-6)
    distance = -height_m / rays[pixel, 2]
    return pixel, np.ascontiguousarray((distance[:, None] * rays[pixel, :2]).T), distance
