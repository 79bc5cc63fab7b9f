"""Floor: the picture of the ground under a robot: grid, soft shadows, support polygon, and spots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter

from strut.arrays import Array
from strut.balance.polygon import Polygon
from strut.plumbing.compiled import compiled
from strut.viewer.camera import Camera
from strut.viewer.footage import Spot
from strut.viewer.rasterizer import PosedBody

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
CONTACT_SHARE = 0.03  # height of what shades the floor closely, over half the side of the square of the shadow
MIN_DARKNESS = 1e-3  # less is invisible
GROUND_SHARE = 0.66  # reach of the floor over the size of what stands on it
FADE_SHARE = 0.43  # part of the reach, the outer one, over which the floor fades


@dataclass(frozen=True, slots=True, eq=False)
class FloorArea:
    """The visible floor.

    Args:
        middle_m: Its middle in world. Shape (2,).
        reach_m: Distance from there at which it has faded into the backdrop.
        grid_m: Distance between grid lines.
    """

    middle_m: Array
    reach_m: float
    grid_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Shadow:
    """Darkness of the floor, 0 to 1, on a square of half side `half_m` about a centre. Shape (n, n), rows along x."""

    darkness: Array
    middle_m: Array
    half_m: float


def floor_area(points_in_world: Array, *, grid_m: float | None = None) -> FloorArea:
    """Return the floor under points (n, 3), with about five lines of a grid over their size unless it is given."""
    low = points_in_world.min(axis=0)
    high = points_in_world.max(axis=0)
    size_m = float(np.linalg.norm(high - low))
    grid_m = grid_step_m(size_m) if grid_m is None else grid_m
    return FloorArea((low + high)[:2] / 2.0, GROUND_SHARE * size_m, grid_m)


def cast_shadow(body: PosedBody, corners_in_world: Array, *, light: Array, half_m: float, cells: int) -> Shadow:
    """Return the soft shadow of a body under a lamp and under the sky, which what is near the floor hides most.

    Args:
        body: The body.
        corners_in_world: Corners of boxes around its parts. Shape (n, 3).
        light: Unit vector towards the lamp. Shape (3,).
        half_m: Half the side of the square that holds the shadow.
        cells: Number of cells across the square.
    """
    middle_m = (corners_in_world.min(axis=0) + corners_in_world.max(axis=0))[:2] / 2.0
    low_m = middle_m - half_m
    cell_m = 2.0 * half_m / cells
    sharp = 0.42 * body.shadow(light, low_m, cell_m, cells)
    sharp += 0.40 * body.shadow(UP, low_m, cell_m, cells, below_m=CONTACT_SHARE * half_m)
    wide = 0.24 * body.shadow(UP, low_m, cell_m, cells)
    soft = gaussian_filter(sharp, 0.010 * cells) + gaussian_filter(wide, 0.045 * cells)
    return Shadow(soft, middle_m, half_m)


def grid_step_m(size_m: float) -> float:
    """Return a round distance between grid lines, about five of them over `size_m`."""
    power = 10.0 ** np.floor(np.log10(size_m / 5.0))
    return float(power * max(step for step in (1.0, 2.0, 5.0) if step * power <= size_m / 5.0 * (1.0 + 1e-9)))


def paint_floor(
    color: npt.NDArray[np.float32],
    camera: Camera,
    ground: FloorArea,
    shadow: Shadow,
    *,
    polygon: Polygon | None,
    spots: Array,
    dot_m: float,
    transparent: bool,
) -> None:
    """Paint the visible floor, which fades into the backdrop.

    Args:
        color: Red, green, blue and opacity of the picture, from 0 to 1, colours times opacity. Shape (H, W, 4).
        camera: The camera.
        ground: The floor.
        shadow: Of the body.
        polygon: Support polygon, if any.
        spots: Marked points, as of `spot_table`.
        dot_m: Radius of the smallest spot.
        transparent: Whether there are only shadow, polygon and spots.
    """
    clear = (0.0, 0.0, 0.0, 0.0)
    normals, distances_m = (np.empty((0, 2)), np.empty(0)) if polygon is None else polygon.edges
    backdrop = clear if transparent else (*BACKDROP, 1.0)
    _paint(
        color,
        backdrop,
        clear if transparent else (*FLOOR_COLOR, 1.0),
        camera.eye_in_world,
        camera.axes,
        camera.focal_px,
        camera.middle_px,
        shadow.darkness,
        shadow.middle_m,
        shadow.half_m,
        ground.middle_m,
        ground.reach_m,
        0.0 if transparent else ground.grid_m,
        np.ascontiguousarray(normals),
        np.ascontiguousarray(distances_m),
        spots,
        dot_m,
    )


def spot_table(spots: Mapping[Spot, Array], dot_m: float) -> Array:
    """Return marked points (2,) as rows of x, y, radius [m], red, green and blue. Shape (s, 6)."""
    rows = [(*point_m, SPOT_SIZES[name] * dot_m, *SPOT_COLORS[name]) for name, point_m in spots.items()]
    return np.array(rows).reshape(-1, 6)


Rgba = tuple[float, float, float, float]  # red, green, blue and opacity; colours are times opacity


@compiled
def add_spots(color: Rgba, x: float, y: float, pixel_m: float, spots: Array, dot_m: float, share: float) -> Rgba:
    """Return the colour of a point on the floor under spots in white rings.

    Args:
        color: Of the point without them.
        x: Its place [m].
        y: The same.
        pixel_m: Size of a pixel there.
        spots: Rows of x, y, radius, red, green and blue. Shape (s, 6).
        dot_m: Radius of the smallest spot, which sets the width of the rings.
        share: Opacity of the spots.
    """
    for number in range(len(spots)):
        from_x, from_y = x - spots[number, 0], y - spots[number, 1]
        reach_m = spots[number, 2] + 0.4 * dot_m + pixel_m
        if from_x * from_x + from_y * from_y < reach_m * reach_m:
            inside_m = spots[number, 2] - np.sqrt(from_x * from_x + from_y * from_y)
            color = _mix(color, 1.0, 1.0, 1.0, share * _coverage(inside_m + 0.4 * dot_m, pixel_m))
            red, green, blue = spots[number, 3], spots[number, 4], spots[number, 5]
            color = _mix(color, red, green, blue, share * _coverage(inside_m, pixel_m))
    return color


@compiled
def _coverage(inside_m: float, pixel_m: float) -> float:
    """Return the covered share of a pixel that is `inside_m` inside the edge of a shape."""
    return min(max(0.5 + inside_m / pixel_m, 0.0), 1.0)


@compiled
def _mix(color: Rgba, red: float, green: float, blue: float, share: float) -> Rgba:
    """Return a colour mixed with an opaque one."""
    return (
        color[0] + share * (red - color[0]),
        color[1] + share * (green - color[1]),
        color[2] + share * (blue - color[2]),
        color[3] + share * (1.0 - color[3]),
    )


@compiled
def _from_line(along_m: float, grid_m: float) -> float:
    """Return the distance of a coordinate from the nearest line of the grid."""
    cells = along_m / grid_m
    return float(grid_m * abs(cells - np.floor(cells + 0.5)))


@compiled
def _darkness_at(darkness: Array, row: float, column: float) -> float:
    """Return the darkness between four cells (n, n), 0 outside of all."""
    most = len(darkness) - 1
    if not (0.0 <= row < most and 0.0 <= column < most):
        return 0.0
    first, left = int(row), int(column)
    down, aside = row - first, column - left
    upper = darkness[first, left] + aside * (darkness[first, left + 1] - darkness[first, left])
    lower = darkness[first + 1, left] + aside * (darkness[first + 1, left + 1] - darkness[first + 1, left])
    return float(upper + down * (lower - upper))


@compiled
def _paint(
    color: npt.NDArray[np.float32],
    backdrop: Rgba,
    floor: Rgba,
    eye: Array,
    axes: Array,
    focal_px: float,
    middle_px: Array,
    darkness: Array,
    shadow_middle_m: Array,
    half_m: float,
    ground_middle_m: Array,
    reach_m: float,
    grid_m: float,
    normals: Array,
    distances_m: Array,
    spots: Array,
    dot_m: float,
) -> None:
    """Paint the floor; arguments as in `paint_floor`, with the edges (e, 2), (e,) of the polygon, and 0 for no grid."""
    high, wide, _ = color.shape
    cells_per_m = len(darkness) / (2.0 * half_m)
    for row in range(high):
        down = (row + 0.5 - middle_px[1]) / focal_px
        ray_z = down * axes[1, 2] + axes[2, 2]  # the same along a row, because the camera stands upright
        is_sky = ray_z >= -1e-6
        distance = -eye[2] / ray_z
        pixel_m = distance / focal_px
        row_x = eye[0] + distance * (down * axes[1, 0] + axes[2, 0])
        row_y = eye[1] + distance * (down * axes[1, 1] + axes[2, 1])
        for column in range(wide):
            for channel in range(4):
                color[row, column, channel] = backdrop[channel]
            if is_sky:
                continue
            aside_m = (column + 0.5 - middle_px[0]) * pixel_m
            x = row_x + aside_m * axes[0, 0]
            y = row_y + aside_m * axes[0, 1]
            far_x, far_y = x - ground_middle_m[0], y - ground_middle_m[1]
            far_squared = far_x * far_x + far_y * far_y
            if far_squared >= reach_m * reach_m:
                continue
            haze = 1.0 - (1.0 - np.sqrt(far_squared) / reach_m) / FADE_SHARE
            here = floor
            if grid_m > 0.0:
                line = 1.3 - min(_from_line(x, grid_m), _from_line(y, grid_m)) / pixel_m
                if line > 0.0:
                    here = _mix(here, *GRID_COLOR, 0.8 * min(line, 1.0))
            inside_m = np.inf if len(normals) else -np.inf
            for edge in range(len(normals)):
                inside_m = min(inside_m, normals[edge, 0] * x + normals[edge, 1] * y - distances_m[edge])
            if inside_m > -dot_m - pixel_m:
                here = _mix(here, *POLYGON_COLOR, 0.20 * _coverage(inside_m, pixel_m))
                here = _mix(here, *POLYGON_COLOR, 0.9 * _coverage(0.25 * dot_m - abs(inside_m), pixel_m))
            from_x, from_y = x - shadow_middle_m[0], y - shadow_middle_m[1]
            dark = _darkness_at(darkness, (from_x + half_m) * cells_per_m - 0.5, (from_y + half_m) * cells_per_m - 0.5)
            if dark > MIN_DARKNESS:
                here = _mix(here, *SHADOW_COLOR, dark)
            here = add_spots(here, x, y, pixel_m, spots, dot_m, 1.0)
            haze = max(haze, 0.0)
            for channel in range(4):
                color[row, column, channel] = here[channel] + haze * (backdrop[channel] - here[channel])
