"""Render: one frame of footage as pixels: a body on a floor under a lamp and the sky.

It renders in software, because mujoco.Renderer needs an OpenGL context, which machines without a display often lack.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index, Pixels
from strut.plumbing.compiled import compiled
from strut.schemas.fields import Vector
from strut.viewer.camera import Camera
from strut.viewer.floor import (
    SPOT_SHARE_THROUGH_BODY,
    UP,
    FloorArea,
    Rgba,
    add_spots,
    cast_shadow,
    paint_floor,
    spot_table,
)
from strut.viewer.footage import Footage
from strut.viewer.rasterizer import PosedBody, ShadowMap, VisiblePoints, lit_share

SAMPLES_PER_SIDE = 2  # a pixel of the body is the mean of this many squared
RIM = 0.55  # brightness of the outline of a body, half a pixel wide, which separates white bodies from the backdrop
MIN_BRIGHTNESS = 0.3  # largest of red, green and blue; shades of darker bodies could not be distinguished
PARALLEL = 0.97  # cosine between normals that share one shade
DOT_SHARE = 0.014  # radius of a spot over the size of the robot
SHADOW_CELLS = 150  # largest number across the shadow on the floor, which is soft
SKY = 0.44  # brightness of an upright surface under the sky
SKY_UP = 0.16  # what an upward surface has more of it, and a downward one less
LAMP = 0.48  # brightness that the lamp adds where it shines straight on
GLOSS = 0.16  # the same of a mirror image of the lamp


def draw_frame(
    film: Footage, frame: int, camera: Camera, *, size_m: float, ground: FloorArea, transparent: bool = False
) -> Pixels:
    """Return a picture of one frame: the body on the floor, its support polygon, and spots that shine through it.

    Args:
        film: Footage of the motion.
        frame: Number of the frame.
        camera: The camera.
        size_m: Size of the robot, which sets that of the spots and of the shadow.
        ground: The floor.
        transparent: Whether floor and backdrop are left out; the shadow stays.

    Returns:
        Shape (height, width, 3), the size of the camera; (height, width, 4) with opacity if transparent.
    """
    width_px, height_px = camera.size_px
    lamp = light_direction(camera)
    corners = film.corners_in_world(slice(frame, frame + 1))[0]
    body = PosedBody(film.solids, film.centre_in_world[frame], film.solid_to_world[frame])
    shadow = cast_shadow(body, corners, light=lamp, half_m=1.1 * size_m, cells=min(SHADOW_CELLS, width_px // 2))
    dot_m = DOT_SHARE * size_m
    spots = spot_table(film.spots_at(frame), dot_m)
    color = np.empty((height_px, width_px, 4), dtype=np.float32)  # half the memory of doubles to write and read
    polygon = film.polygons[frame]
    paint_floor(color, camera, ground, shadow, polygon=polygon, spots=spots, dot_m=dot_m, transparent=transparent)
    places = camera.project(corners)[0]
    low = np.clip(np.floor(places.min(axis=0)) - 1.0, 0, [width_px, height_px]).astype(int)
    high = np.clip(np.ceil(places.max(axis=0)) + 1.0, 0, [width_px, height_px]).astype(int)
    if (high > low).all():
        window = (slice(low[1], high[1]), slice(low[0], high[0]))
        seen = body.visible_points(camera, window, SAMPLES_PER_SIDE)
        colors = readable(np.array([solid.color[:3] for solid in film.solids]))
        _paint_body(color[window], camera, seen, colors, lamp, body.shadow_map(lamp), spots, dot_m)
    pixels = np.empty((height_px, width_px, 4 if transparent else 3), dtype=np.uint8)
    _write_bytes(color, pixels)
    return pixels


def light_direction(camera: Camera) -> Array:
    """Return the unit vector towards the lamp: over the camera's left shoulder. Shape (3,)."""
    right, _, forward = camera.axes
    towards = 1.25 * UP - 0.65 * right - 0.35 * forward
    return np.asarray(towards / np.linalg.norm(towards))


def readable(colors: Array) -> Array:
    """Return colours of bodies, black ones brightened so that their shades are visible. Shape (n, 3)."""
    return np.asarray(np.minimum(1.0, colors + np.maximum(0.0, MIN_BRIGHTNESS - colors.max(axis=1, keepdims=True))))


def _paint_body(
    color: npt.NDArray[np.float32],
    camera: Camera,
    seen: VisiblePoints,
    part_colors: Array,
    lamp: Array,
    shadows: ShadowMap,
    spots: Array,
    dot_m: float,
) -> None:
    """Paint a body (p parts) over the floor in a window (H, W, 4) of a picture."""
    finer = SAMPLES_PER_SIDE
    high, wide, _ = color.shape
    number = np.full(high * wide * finer**2, -1)
    number[seen.cell] = np.arange(len(seen.cell))
    _paint_samples(
        color,
        number.reshape(high * finer, wide * finer),
        finer,
        seen.part,
        seen.points_in_world,
        seen.normal,
        part_colors,
        camera.eye_in_world,
        camera.axes[2],
        camera.focal_px,
        lamp,
        shadows.nearest_m,
        shadows.axes,
        shadows.low_m,
        shadows.cell_m,
        spots,
        dot_m,
    )


@compiled
def _paint_samples(
    color: npt.NDArray[np.float32],
    number: Index,
    finer: int,
    part: Index,
    points: Array,
    normals: Array,
    part_colors: Array,
    eye: Array,
    forward: Array,
    focal_px: float,
    lamp: Array,
    nearest_m: Array,
    light_axes: Array,
    low_m: Array,
    cell_m: float,
    spots: Array,
    dot_m: float,
) -> None:
    """Paint the numbered samples (H * finer, W * finer) of a body over a window (H, W, 4), -1 where it is not.

    A pixel whose samples show one part at one angle is coloured once, others sample by sample.
    """
    high, wide, _ = color.shape
    samples = finer * finer
    found = np.empty(samples, dtype=np.int64)
    weight = np.empty(samples)
    for row in range(high):
        for column in range(wide):
            count = 0
            for sample in range(samples):
                down, aside = row * finer + sample // finer, column * finer + sample % finer
                if number[down, aside] >= 0:
                    found[count] = number[down, aside]
                    weight[count] = (RIM if _is_rim(number, down, aside) else 1.0) / samples
                    count += 1
            if count == 0:
                continue
            for channel in range(4):
                color[row, column, channel] *= 1.0 - count / samples
            color[row, column, 3] += count / samples
            steps = 1 if count == samples and _is_alike(found, part, normals) else count
            for step in range(steps):
                which = found[step]
                x, y, z = normals[which, 0], normals[which, 1], normals[which, 2]
                share = weight[step]
                if steps < count:
                    for other in range(1, count):
                        x += normals[found[other], 0]
                        y += normals[found[other], 1]
                        z += normals[found[other], 2]
                        share += weight[other]
                    length = np.sqrt(x * x + y * y + z * z)
                    x, y, z = x / length, y / length, z / length
                point = (points[which, 0], points[which, 1], points[which, 2])
                lit = lit_share(point, (x, y, z), nearest_m, light_axes, low_m, cell_m)
                owner = part[which]
                own = (part_colors[owner, 0], part_colors[owner, 1], part_colors[owner, 2])
                one = _shade(point, (x, y, z), own, lit, eye, lamp)
                ray_z = point[2] - eye[2]
                if ray_z < 0.0:  # spots shine through: a foot must not hide its centre of pressure
                    away = -eye[2] / ray_z
                    ray_x, ray_y = point[0] - eye[0], point[1] - eye[1]
                    pixel_m = away * (ray_x * forward[0] + ray_y * forward[1] + ray_z * forward[2]) / focal_px
                    spot_x, spot_y = eye[0] + away * ray_x, eye[1] + away * ray_y
                    one = add_spots(one, spot_x, spot_y, pixel_m, spots, dot_m, SPOT_SHARE_THROUGH_BODY)
                for channel in range(3):
                    color[row, column, channel] += share * one[channel]


@compiled
def _write_bytes(color: npt.NDArray[np.float32], pixels: Pixels) -> None:
    """Write colours times opacity (H, W, 4) as bytes (H, W, 3), or as (H, W, 4) with the opacity on its own."""
    high, wide, channels = pixels.shape
    for row in range(high):
        for column in range(wide):
            scale = 255.0
            if channels == 4:
                opacity = color[row, column, 3]
                scale /= max(opacity, 1.0 / 255.0)
                pixels[row, column, 3] = int(255.0 * opacity + 0.5)
            for channel in range(3):
                pixels[row, column, channel] = int(min(max(scale * color[row, column, channel] + 0.5, 0.0), 255.0))


@compiled
def _is_alike(found: Index, part: Index, normals: Array) -> bool:
    """Return whether the samples (s,) of a pixel show one part at one angle."""
    first = found[0]
    for other in found[1:]:
        parallel = 0.0
        for axis in range(3):
            parallel += normals[first, axis] * normals[other, axis]
        if part[first] != part[other] or parallel <= PARALLEL:
            return False
    return True


@compiled
def _shade(point: Vector, normal: Vector, part_color: Vector, lit: float, eye: Array, lamp: Array) -> Rgba:
    """Return the colour of a point on a body: Lambert and Blinn under a lamp and a bright sky."""
    ray = (point[0] - eye[0], point[1] - eye[1], point[2] - eye[2])
    far_m = np.sqrt(ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2])
    facing = lit * max(normal[0] * lamp[0] + normal[1] * lamp[1] + normal[2] * lamp[2], 0.0)
    gloss = 0.0
    if facing > 0.0:
        half_x, half_y, half_z = lamp[0] - ray[0] / far_m, lamp[1] - ray[1] / far_m, lamp[2] - ray[2] / far_m
        shine = max(normal[0] * half_x + normal[1] * half_y + normal[2] * half_z, 0.0)
        gloss = GLOSS * (shine / np.sqrt(half_x * half_x + half_y * half_y + half_z * half_z)) ** 24
    light = SKY + SKY_UP * normal[2] + LAMP * facing
    return part_color[0] * light + gloss, part_color[1] * light + gloss, part_color[2] * light + gloss, 1.0


@compiled
def _is_rim(number: Index, row: int, column: int) -> bool:
    """Return whether a sample of a body is next to one without it; beside the window, the body goes on."""
    high, wide = number.shape
    return bool(
        (row > 0 and number[row - 1, column] < 0)
        or (row + 1 < high and number[row + 1, column] < 0)
        or (column > 0 and number[row, column - 1] < 0)
        or (column + 1 < wide and number[row, column + 1] < 0)
    )
