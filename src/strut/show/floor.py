"""Floor: the ground under a robot as a picture: grid, soft shadows, support polygon, and spots on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter, map_coordinates

from strut.balance.polygon import Polygon
from strut.robot import Array
from strut.show.footage import Spot
from strut.show.rasterizer import PosedBody

WHITE = (1.0, 1.0, 1.0)
BACKDROP = (0.800, 0.840, 0.885)  # a tone on which white robots and dark ones stand out
FLOOR_COLOR = (0.885, 0.902, 0.922)
GRID_COLOR = (0.72, 0.75, 0.79)
SHADOW_COLOR = (0.30, 0.33, 0.40)
POLYGON_COLOR = (0.10, 0.62, 0.56)
SPOT_COLORS: Mapping[Spot, tuple[float, float, float]] = {
    "centre of mass": (0.13, 0.40, 0.86),
    "centre of pressure": (0.86, 0.16, 0.22),
}
SPOT_SIZES: Mapping[Spot, float] = {"centre of mass": 2.0, "centre of pressure": 1.0}  # so that neither hides the other
SHINING = 0.62  # how much of a spot is seen through a part of the body
UP = np.array([0.0, 0.0, 1.0])
FADES_FROM, FADES_OVER = 0.34, 0.26  # shares of half the square's side: how the floor fades far away


@dataclass(frozen=True, slots=True, eq=False)
class Shadow:
    """How dark the floor is, from 0 to 1, on a square of `half_m` around a middle. Shape (n, n), rows along x."""

    darkness: Array
    middle_m: Array
    half_m: float

    def at(self, points_m: Array) -> Array:
        """Return the darkness at points on the floor, 0 outside the square. Shape (m, 2) in, (m,) out."""
        cells = (points_m - self.middle_m + self.half_m) / (2.0 * self.half_m) * len(self.darkness) - 0.5
        return np.asarray(map_coordinates(self.darkness, cells.T, order=1, mode="constant"))

    def haze(self, points_m: Array) -> Array:
        """Return how hazy the floor is at points: 0 near the middle, 1 far away. Shape (..., 2) in, (...) out."""
        x, y = points_m[..., 0] - self.middle_m[0], points_m[..., 1] - self.middle_m[1]
        return np.asarray(np.clip((np.sqrt(x * x + y * y) / self.half_m - FADES_FROM) / FADES_OVER, 0.0, 1.0))


def cast_shadow(body: PosedBody, corners_in_world: Array, *, light: Array, half_m: float, cells: int) -> Shadow:
    """Return the soft shadow of a body: of a lamp, and of the sky that the body hides.

    Args:
        body: What casts it.
        corners_in_world: Corners of boxes around its parts. Shape (n, 3).
        light: Unit vector towards the lamp. Shape (3,).
        half_m: Half the side of the square that holds the shadow.
        cells: How many cells to compute across the square.
    """
    middle_m = (corners_in_world.min(axis=0) + corners_in_world.max(axis=0))[:2] / 2.0
    soft = np.zeros((cells, cells))
    for towards, darkness, blur in ((light, 0.42, 0.010), (UP, 0.30, 0.045)):
        hidden = body.shadow(towards, middle_m - half_m, 2.0 * half_m / cells, cells)
        soft += darkness * gaussian_filter(hidden.astype(float), blur * cells)
    return Shadow(soft, middle_m, half_m)


def grid_step_m(size_m: float) -> float:
    """Return a round distance between grid lines, a handful of them over `size_m`."""
    power = 10.0 ** np.floor(np.log10(size_m / 5.0))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= size_m / 5.0 * (1.0 + 1e-9)))


def floor_color(
    points_m: Array,
    pixel_m: Array,
    haze: Array,
    shadow: Shadow,
    *,
    grid_m: float,
    polygon: Polygon | None,
    spots: Mapping[Spot, Array],
    dot_m: float,
) -> Array:
    """Return the colours of points on the floor, which fades into the backdrop.

    Args:
        points_m: Shape (m, 2).
        pixel_m: How much floor each point stands for. Shape (m,).
        haze: How much each has faded because it is far away. Shape (m,).
        shadow: Where the floor is dark.
        grid_m: Distance between grid lines.
        polygon: Support polygon, if any.
        spots: What is marked. Shape (2,) each.
        dot_m: Radius of the smallest spot.

    Returns:
        Red, green and blue from 0 to 1. Shape (m, 3).
    """
    color = np.broadcast_to(FLOOR_COLOR, (len(points_m), 3)).copy()
    lines = points_m / grid_m
    from_line = np.abs(lines - np.round(lines))
    line = 0.8 * np.clip(1.3 - np.minimum(from_line[:, 0], from_line[:, 1]) * grid_m / pixel_m, 0.0, 1.0)
    drawn = np.flatnonzero(line)
    color[drawn] = _mixed(color[drawn], GRID_COLOR, line[drawn])
    if polygon is not None:
        low, high = polygon.corners.min(axis=0) - dot_m, polygon.corners.max(axis=0) + dot_m
        near = _within(points_m, low, high)
        inside_m, own, pixel = polygon.margin(points_m[near]), color[near], pixel_m[near]
        own = _mixed(own, POLYGON_COLOR, 0.20 * _covered(inside_m, pixel))
        color[near] = _mixed(own, POLYGON_COLOR, 0.9 * _covered(0.25 * dot_m - np.abs(inside_m), pixel))
    color = _mixed(color, SHADOW_COLOR, shadow.at(points_m))
    color = with_spots(color, points_m, pixel_m, spots, dot_m=dot_m)
    return _mixed(color, BACKDROP, haze)


def with_spots(
    color: Array, points_m: Array, pixel_m: Array, spots: Mapping[Spot, Array], *, dot_m: float, share: float = 1.0
) -> Array:
    """Return the colours of points with the spots over them, as opaque as `share`; arguments as in `floor_color`."""
    marked = color.copy()
    for name, spot_m in spots.items():
        reach_m = (SPOT_SIZES[name] + 0.4) * dot_m + pixel_m.max(initial=0.0)
        near = _within(points_m, spot_m - reach_m, spot_m + reach_m)
        inside_m = SPOT_SIZES[name] * dot_m - np.hypot(*(points_m[near] - spot_m).T)
        rim = _mixed(marked[near], WHITE, share * _covered(inside_m + 0.4 * dot_m, pixel_m[near]))
        marked[near] = _mixed(rim, SPOT_COLORS[name], share * _covered(inside_m, pixel_m[near]))
    return marked


def _within(points_m: Array, low: Array, high: Array) -> npt.NDArray[np.intp]:
    """Return which points lie in a rectangle. Shapes (m, 2), (2,), (2,) in."""
    x, y = points_m.T
    return np.flatnonzero((x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1]))


def _covered(inside_m: Array, pixel_m: Array) -> Array:
    """Return how much of a pixel a shape covers whose edge is `inside_m` away. Shape (m,) in and out."""
    return np.clip(0.5 + inside_m / pixel_m, 0.0, 1.0)


def _mixed(color: Array, other: tuple[float, float, float], share: Array) -> Array:
    """Return colours moved towards another by a share. Shapes (m, 3), (3,), (m,)."""
    return np.asarray(color + share[:, None] * (np.array(other) - color))
