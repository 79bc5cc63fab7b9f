"""Render: one frame of footage as pixels, by rays: a body on a floor, lit by a lamp and the sky.

One ray a pixel, and four where the outline of a part or an edge passes: smooth borders for a third of the rays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from strut.engines.solids import PosedSolids
from strut.robot import Array
from strut.show.camera import Camera
from strut.show.floor import SHINING, UP, Shadow, cast_shadow, floor_color, with_spots
from strut.show.footage import Footage

Pixels = npt.NDArray[np.uint8]
SAMPLES_PER_SIDE = 2  # a pixel on a border is the mean of this many squared
SAME_FACE = 0.7  # cosine between normals of neighbouring pixels that see no edge between them
DOT_SHARE = 0.014  # radius of a spot over the size of the robot
LIFT = 1e-4  # of the body's size; a shadow's ray starts as far off the surface, or it would meet its own start


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
    body = PosedSolids(film.solids, film.centre_in_world[frame], film.solid_to_world[frame])
    view = _View(film, frame, camera, body, lamp, DOT_SHARE * size_m)
    shadow = cast_shadow(body, corners, light=lamp, half_m=1.1 * size_m, cells=min(150, width_px // 2))
    color = _floor_pixels(view, shadow, grid_m)
    boxes = camera.project(corners)[0].reshape(len(film.solids), 8, 2)
    low = np.clip(np.floor(boxes.min(axis=1)) - 1.0, 0, [width_px, height_px]).astype(int)
    high = np.clip(np.ceil(boxes.max(axis=1)) + 1.0, 0, [width_px, height_px]).astype(int)
    near = np.zeros((height_px, width_px), dtype=np.bool_)
    for (left, top), (right, bottom) in zip(low, high, strict=True):
        near[top:bottom, left:right] = True
    if near.any():
        window = (slice(low[:, 1].min(), high[:, 1].max()), slice(low[:, 0].min(), high[:, 0].max()))
        color[window] = view.body_over(color[window], near[window], *_pixel_middles(*window))
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
    body: PosedSolids
    lamp: Array
    dot_m: float

    def body_over(self, behind: Array, near: npt.NDArray[np.bool_], columns: Array, rows: Array) -> Array:
        """Return a window of the picture with the body over the floor where it is `near`. Shapes (H, W, 3), (H, W)."""
        part, normal, color = np.full(near.size, -1, dtype=np.int32), np.zeros((near.size, 3)), np.zeros((near.size, 3))
        tried = np.flatnonzero(near)
        part[tried], normal[tried], color[tried] = self._seen(columns.ravel()[tried], rows.ravel()[tried])
        cover = (part >= 0).astype(float)[:, None]
        border = np.flatnonzero(_on_border(part.reshape(columns.shape), normal.reshape(*columns.shape, 3)))
        steps = (np.arange(SAMPLES_PER_SIDE) + 0.5) / SAMPLES_PER_SIDE - 0.5
        across, down = (offset.ravel() for offset in np.meshgrid(steps, steps))
        finer = self._seen(
            (columns.ravel()[border, None] + across).ravel(), (rows.ravel()[border, None] + down).ravel()
        )
        cover[border] = (finer[0] >= 0).reshape(len(border), -1).mean(axis=1, keepdims=True)
        color[border] = finer[2].reshape(len(border), -1, 3).mean(axis=1)
        return np.asarray(behind * (1.0 - cover).reshape(*columns.shape, 1) + color.reshape(behind.shape))

    def _seen(self, columns: Array, rows: Array) -> tuple[npt.NDArray[np.int32], Array, Array]:
        """Return part, normal and colour (black where there is no part) of samples. Shapes (n,), (n, 3), (n, 3)."""
        rays = self.camera.rays(columns, rows)
        hits = self.body.hits(self.camera.eye_in_world, rays)
        met, color = np.flatnonzero(hits.part >= 0), np.zeros((len(rays), 3))
        points = self.camera.eye_in_world + hits.distance[met, None] * rays[met]
        color[met] = self._body_color(points, hits.normal[met], rays[met], hits.part[met])
        below = met[rays[met, 2] < -1e-6]  # spots shine through the body: a shoe must not hide where it presses
        away = -self.camera.eye_in_world[2] / rays[below, 2]
        places_m = self.camera.eye_in_world[:2] + away[:, None] * rays[below, :2]
        spots, pixel_m = self.film.spots_at(self.frame), away / self.camera.focal_px
        color[below] = with_spots(color[below], places_m, pixel_m, spots, dot_m=self.dot_m, share=SHINING)
        return hits.part, hits.normal, color

    def _body_color(self, points: Array, normal: Array, rays: Array, part: npt.NDArray[np.int32]) -> Array:
        """Return the colours of points on the body: Lambert under a lamp and a bright sky. Shape (n, 3) each, (n,)."""
        color = np.array([solid.color[:3] for solid in self.film.solids])[part]
        facing = np.clip(normal @ self.lamp, 0.0, 1.0)
        bright = np.flatnonzero(facing > 0.0)
        lift_m = LIFT * float(np.ptp(self.film.centre_in_world[self.frame], axis=0).max() + self.dot_m)
        facing[bright] *= ~self.body.shaded(points[bright] + lift_m * normal[bright], self.lamp)
        halfway = self.lamp - rays / np.linalg.norm(rays, axis=1, keepdims=True)
        halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
        gloss = 0.16 * (facing > 0.0) * np.clip(np.sum(normal * halfway, axis=1), 0.0, 1.0) ** 24
        sky = 0.50 + 0.16 * normal[:, 2]
        return np.asarray(color * (sky + 0.52 * facing)[:, None] + gloss[:, None])


def _on_border(part: npt.NDArray[np.int32], normal: Array) -> npt.NDArray[np.bool_]:
    """Return which pixels have a neighbour that sees another part or another face. Shapes (H, W), (H, W, 3)."""
    border = np.zeros(part.shape, dtype=np.bool_)
    for one, other in (
        (np.s_[1:, :], np.s_[:-1, :]),
        (np.s_[:, 1:], np.s_[:, :-1]),
        (np.s_[1:, 1:], np.s_[:-1, :-1]),
        (np.s_[1:, :-1], np.s_[:-1, 1:]),
    ):
        cosine = np.einsum("hwi,hwi->hw", normal[one], normal[other])
        differs = (part[one] != part[other]) | ((part[one] >= 0) & (cosine < SAME_FACE))
        border[one] |= differs
        border[other] |= differs
    return border


def _floor_pixels(view: _View, shadow: Shadow, grid_m: float) -> Array:
    """Return the picture of the floor alone, white above the horizon and at the border. Shape (H, W, 3)."""
    camera = view.camera
    lens = (camera.axes.tobytes(), camera.focal_px, camera.middle_px.tobytes(), camera.size_px)
    from_eye_m, distance, inwards = _floor_in_view(float(camera.eye_in_world[2]), *lens)
    points_m, color = camera.eye_in_world[:2] + from_eye_m, np.ones((*distance.shape, 3))
    whiteness = shadow.whiteness(points_m)
    seen = np.nonzero(whiteness < 1.0)
    color[seen] = floor_color(
        points_m[seen],
        distance[seen] / camera.focal_px,
        whiteness[seen],
        shadow,
        grid_m=grid_m,
        polygon=view.film.polygons[view.frame],
        spots=view.film.spots_at(view.frame),
        dot_m=view.dot_m,
    )
    return 1.0 + inwards[..., None] * (color - 1.0)


@lru_cache(maxsize=8)  # films move the camera along the floor, which changes none of it
def _floor_in_view(
    height_m: float, axes: bytes, focal_px: float, middle_px: bytes, size_px: tuple[int, int]
) -> tuple[Array, Array, Array]:
    """Return what each pixel of a camera over the origin sees of the floor. Shapes (H, W, 2), (H, W), (H, W).

    The place on the floor, infinite above the horizon; how many rays away it is; and 0 at the picture's border rising
    to 1 inside, so that panels meet in white.
    """
    camera = Camera(np.zeros(3), np.frombuffer(axes).reshape(3, 3), focal_px, np.frombuffer(middle_px), size_px)
    width_px, height_px = size_px
    columns, rows = _pixel_middles(slice(0, height_px), slice(0, width_px))
    rays = camera.rays(columns, rows)
    distance = np.where(rays[..., 2] < -1e-6, -height_m / np.minimum(rays[..., 2], -1e-6), np.inf)
    from_eye_m = np.where(np.isfinite(distance)[..., None], distance[..., None] * rays[..., :2], np.inf)
    from_border = np.minimum(np.minimum(columns, width_px - columns), np.minimum(rows, height_px - rows))
    return from_eye_m, distance, np.clip(from_border / (0.12 * width_px), 0.0, 1.0)


def _pixel_middles(rows: slice, columns: slice) -> tuple[Array, Array]:
    """Return the columns and rows of the middles of a window of pixels. Shape (H, W) each."""
    middle = np.mgrid[rows, columns] + 0.5
    return middle[1], middle[0]
