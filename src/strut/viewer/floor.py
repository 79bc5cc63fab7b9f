"""Floor: the picture of the ground under a robot: grid, soft shadows, support polygon, and spots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter, map_coordinates

from strut.arrays import Array
from strut.balance.polygon import Polygon
from strut.viewer.footage import Spot
from strut.viewer.rasterizer import PosedBody

WHITE = (1.0, 1.0, 1.0)
BACKDROP = (0.800, 0.840, 0.885)  # contrasts with white robots and with dark ones
FLOOR_COLOR = (0.885, 0.902, 0.922)
GRID_COLOR = (0.72, 0.75, 0.79)
SHADOW_COLOR = (0.30, 0.33, 0.40)
POLYGON_COLOR = (0.10, 0.62, 0.56)
SPOT_COLORS: Mapping[Spot, tuple[float, float, float]] = {
    "centre of mass": (0.13, 0.40, 0.86),
    "centre of pressure": (0.86, 0.16, 0.22),
}
SPOT_SIZES: Mapping[Spot, float] = {
    "centre of mass": 2.0,
    "centre of pressure": 1.0,
}  # different, so that neither hides the other
SPOT_SHARE_THROUGH_BODY = 0.62  # opacity of a spot that the body covers
UP = np.array([0.0, 0.0, 1.0])
MIN_DARKNESS = 1e-3  # less is invisible
FADE_START = 0.34  # distance at which the floor begins to fade, over half the side of the square
FADE_LENGTH = 0.26  # distance over which it fades, the same


@dataclass(frozen=True, slots=True, eq=False)
class Shadow:
    """Darkness of the floor, 0 to 1, on a square of half side `half_m` about a centre. Shape (n, n), rows along x."""

    darkness: Array
    middle_m: Array
    half_m: float

    @property
    def reach_m(self) -> tuple[Array, Array]:
        """Opposite corners of a rectangle of floor that contains the shadow. Shape (2,) each."""
        is_dark = self.darkness > MIN_DARKNESS
        cell_m = 2.0 * self.half_m / len(self.darkness)
        spans = [np.flatnonzero(is_dark.any(axis=axis)) for axis in (1, 0)]
        low, high = (np.array([span[end] if len(span) else 0 for span in spans]) for end in (0, -1))
        start_m = self.middle_m - self.half_m
        return start_m + (low - 0.5) * cell_m, start_m + (high + 1.5) * cell_m

    def at(self, points_m: Array) -> Array:
        """Return the darkness at points on the floor, 0 outside the square. Shape (2, m) in, (m,) out."""
        cells = (points_m - (self.middle_m - self.half_m)[:, None]) * (len(self.darkness) / (2.0 * self.half_m)) - 0.5
        return np.asarray(map_coordinates(self.darkness, cells, order=1, mode="constant"))

    def haze(self, points_m: Array) -> Array:
        """Return the haze of the floor at points: 0 near the centre, 1 far away. Shape (2, m) in, (m,) out."""
        x = points_m[0] - self.middle_m[0]
        y = points_m[1] - self.middle_m[1]
        return np.asarray(np.clip((np.sqrt(x * x + y * y) / self.half_m - FADE_START) / FADE_LENGTH, 0.0, 1.0))


def cast_shadow(body: PosedBody, corners_in_world: Array, *, light: Array, half_m: float, cells: int) -> Shadow:
    """Return the soft shadow of a body under a lamp and under the sky.

    Args:
        body: The body.
        corners_in_world: Corners of boxes around its parts. Shape (n, 3).
        light: Unit vector towards the lamp. Shape (3,).
        half_m: Half the side of the square that holds the shadow.
        cells: Number of cells across the square.
    """
    middle_m = (corners_in_world.min(axis=0) + corners_in_world.max(axis=0))[:2] / 2.0
    soft = np.zeros((cells, cells))
    for towards, darkness, blur in ((light, 0.42, 0.010), (UP, 0.30, 0.045)):
        hidden = body.shadow(towards, middle_m - half_m, 2.0 * half_m / cells, cells)
        soft += darkness * gaussian_filter(hidden.astype(float), blur * cells)
    return Shadow(soft, middle_m, half_m)


def grid_step_m(size_m: float) -> float:
    """Return a round distance between grid lines, about five of them over `size_m`."""
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
        points_m: Shape (2, m).
        pixel_m: Size of a pixel on the floor at each point. Shape (m,).
        haze: Of each point, by its distance. Shape (m,).
        shadow: Of the body.
        grid_m: Distance between grid lines.
        polygon: Support polygon, if any.
        spots: Marked points. Shape (2,) each.
        dot_m: Radius of the smallest spot.

    Returns:
        Red, green and blue from 0 to 1. Shape (3, m).
    """
    color = np.tile(_column(FLOOR_COLOR), (1, len(haze)))
    x, y = (np.abs(line - np.round(line)) for line in points_m / grid_m)
    line = 1.3 - np.minimum(x, y) * grid_m / pixel_m
    on_line = np.flatnonzero(line > 0.0)
    _mix(color, on_line, GRID_COLOR, 0.8 * np.minimum(line[on_line], 1.0))
    if polygon is not None:
        low = polygon.corners.min(axis=0) - dot_m
        high = polygon.corners.max(axis=0) + dot_m
        near = _within(points_m, low, high)
        inside_m = _inside_m(polygon, points_m[:, near])
        pixel = pixel_m[near]
        _mix(color, near, POLYGON_COLOR, 0.20 * _coverage(inside_m, pixel))
        _mix(color, near, POLYGON_COLOR, 0.9 * _coverage(0.25 * dot_m - np.abs(inside_m), pixel))
    shaded = _within(points_m, *shadow.reach_m)
    _mix(color, shaded, SHADOW_COLOR, shadow.at(points_m[:, shaded]))
    add_spots(color, points_m, pixel_m, spots, dot_m=dot_m)
    hazy = np.flatnonzero(haze > 0.0)
    _mix(color, hazy, BACKDROP, haze[hazy])
    return color


def add_spots(
    color: Array, points_m: Array, pixel_m: Array, spots: Mapping[Spot, Array], *, dot_m: float, share: float = 1.0
) -> None:
    """Draw spots over the colours (3, m) of points, with the opacity `share`; other arguments as in `floor_color`."""
    for name, spot_m in spots.items():
        reach_m = (SPOT_SIZES[name] + 0.4) * dot_m + pixel_m.max(initial=0.0)
        near = _within(points_m, spot_m - reach_m, spot_m + reach_m)
        inside_m = SPOT_SIZES[name] * dot_m - np.hypot(*(points_m[:, near] - spot_m[:, None]))
        _mix(color, near, WHITE, share * _coverage(inside_m + 0.4 * dot_m, pixel_m[near]))
        _mix(color, near, SPOT_COLORS[name], share * _coverage(inside_m, pixel_m[near]))


def _inside_m(polygon: Polygon, points_m: Array) -> Array:
    """Return the distances of points inside a polygon from its nearest edge. Shape (2, m) in, (m,) out."""
    inside_m = np.full(points_m.shape[1], np.inf)
    for normal, distance in zip(*polygon.edges, strict=True):
        np.minimum(inside_m, normal[0] * points_m[0] + normal[1] * points_m[1] - distance, out=inside_m)
    return inside_m


def _within(points_m: Array, low: Array, high: Array) -> npt.NDArray[np.intp]:
    """Return the numbers of the points in a rectangle. Shapes (2, m), (2,), (2,) in."""
    x, y = points_m
    return np.flatnonzero((x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1]))


def _coverage(inside_m: Array, pixel_m: Array) -> Array:
    """Return the covered share of pixels that are `inside_m` inside the edge of a shape. Shape (m,) in and out."""
    return np.clip(0.5 + inside_m / pixel_m, 0.0, 1.0)


def _column(color: tuple[float, float, float]) -> npt.NDArray[np.float64]:
    return np.array(color)[:, None]


def _mix(color: Array, which: npt.NDArray[np.intp], other: tuple[float, float, float], share: Array) -> None:
    """Mix some of the colours (3, m) with another one, by one share for each. Shape (n,)."""
    for channel, level in zip(color, other, strict=True):
        own = channel[which]
        channel[which] = own + share * (level - own)
