"""Force plates: channels of plates of the C3D types 1 to 4 → force, moment and centre of pressure in world axes.

A plate's own frame follows from its corners: x from corner 2 to corner 1, y from corner 3 to corner 2. Laboratories
disagree about signs, so two things are found and told instead of trusted: the side of the surface on which the sensors
lie (below, whatever ORIGIN says), and whether the plate tells the force of the ground or that on it (the ground pushes
upwards).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.recording import ForcePlate

CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6}  # of each type
LOADED_N = 20.0  # below this nobody stands on a plate, and the centre of pressure means nothing
QUIET_SHARE = 0.05  # of the range of a plate's force: what lies lower is its offset
LARGEST_OFFSET_N = 120.0  # more than this, all the time, is somebody's weight
SHORTEST_QUIET = 10  # samples


@dataclass(frozen=True, slots=True, eq=False)
class PlateChannels:
    """A plate as a file tells it.

    Args:
        number: Of the plate, from 1.
        kind: Type of the C3D format, 1 to 4.
        values: Its channels in N and N m, or in m where they are lengths. Shape (S, 6 or 8).
        rate_hz: Of the samples.
        corners_m: Shape (4, 3).
        origin_m: As in the file. Shape (3,).
        calibration: Of type 4. Shape (6, 6).
    """

    number: int
    kind: int
    values: Array
    rate_hz: float
    corners_m: Array
    origin_m: Array
    calibration: Array | None = None


def plate_in_world(channels: PlateChannels) -> tuple[ForcePlate, tuple[str, ...]]:
    """Return a plate in world axes, tared and with the ground's force, and sentences about what had to be changed."""
    name = f"plate {channels.number}"
    notes = list[str]()
    values, offset_n = _tared(_calibrated(channels), channels.kind)
    if offset_n > 1.0:
        notes.append(f"{name}: an offset of {offset_n:.0f} N was taken off.")
    plate_to_world = plate_axes(channels.corners_m)
    up = _upwards(plate_to_world)
    force, moment = _wrench(values, channels)
    loads = force @ (plate_to_world.T @ up)
    if len(loads) and loads[np.abs(loads).argmax()] < -LOADED_N:
        values = -values if channels.kind != 1 else values * np.array([-1, -1, -1, 1, 1, -1])
        notes.append(f"{name}: it tells the force on the ground; signs were turned.")
        force, moment = _wrench(values, channels)
    cop = plate_centre_of_pressure(
        force @ plate_to_world.T, moment @ plate_to_world.T, channels.corners_m.mean(axis=0), up
    )
    if channels.kind in (2, 4) and _far_outside(cop, channels.corners_m):
        values = values * np.array([1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
        notes.append(f"{name}: its moments are in N mm although the file says N m.")
        force, moment = _wrench(values, channels)
    force = force @ plate_to_world.T
    moment = moment @ plate_to_world.T
    cop = plate_centre_of_pressure(force, moment, channels.corners_m.mean(axis=0), up)
    return ForcePlate(name, channels.rate_hz, force, moment, cop, channels.corners_m), tuple(notes)


def plate_axes(corners_m: Array) -> Array:
    """Return the rotation of a plate's frame to world, from its corners. Shape (4, 3) in, (3, 3) out."""
    x = corners_m[0] + corners_m[3] - corners_m[1] - corners_m[2]
    y = corners_m[0] + corners_m[1] - corners_m[2] - corners_m[3]
    x = x / np.linalg.norm(x)
    z = np.cross(x, y)
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def plate_centre_of_pressure(force_n: Array, moment_nm: Array, centre_m: Array, up: Array) -> Array:
    """Return where a single force on the surface has the same moment; NaN where less than LOADED_N presses.

    Args:
        force_n: Shape (S, 3).
        moment_nm: About `centre_m`. Shape (S, 3).
        centre_m: Middle of the surface. Shape (3,).
        up: Normal of the surface. Shape (3,).

    Returns:
        In world. Shape (S, 3).
    """
    normal = force_n @ up
    loaded = normal > LOADED_N
    arm = np.cross(np.broadcast_to(up, moment_nm.shape), moment_nm) / np.where(loaded, normal, 1.0)[:, None]
    return np.where(loaded[:, None], centre_m + arm, np.nan)


def _far_outside(cop_m: Array, corners_m: Array) -> bool:
    """Return whether the centre of pressure is mostly more than ten plates away from the middle."""
    away = np.linalg.norm(cop_m - corners_m.mean(axis=0), axis=1)
    seen = np.isfinite(away)
    return bool(seen.any() and np.median(away[seen]) > 10.0 * np.linalg.norm(corners_m[0] - corners_m[2]))


def _calibrated(channels: PlateChannels) -> Array:
    if channels.kind == 4 and channels.calibration is not None:
        return np.asarray(channels.values @ channels.calibration.T)
    return channels.values


def _tared(values: Array, kind: int) -> tuple[Array, float]:
    """Return channels without what they show while nobody stands there, and how much that is [N]."""
    vertical = values[:, 4:8].sum(axis=1) if kind == 3 else values[:, 2]
    if len(vertical) < SHORTEST_QUIET:
        return values, 0.0
    low, high = np.percentile(vertical, [0.5, 99.5])
    if high - low < 4.0 * LOADED_N:  # nobody steps on it or off it
        quiet = np.full(len(vertical), abs(np.median(vertical)) < LARGEST_OFFSET_N)
    else:  # of the two ends of the range, the one nearer to zero is that without a load
        quiet = np.abs(vertical - min(low, high, key=abs)) < QUIET_SHARE * (high - low)
    if quiet.sum() < SHORTEST_QUIET:
        return values, 0.0
    offset = np.median(values[quiet], axis=0)
    offset_n = abs(float(offset[4:8].sum() if kind == 3 else offset[2]))
    if kind == 1:
        offset[3:5] = 0.0  # places, not forces
    return values - offset, offset_n


def _wrench(values: Array, channels: PlateChannels) -> tuple[Array, Array]:
    """Return force and moment about the middle of the surface, in the plate's frame. Shapes (S, 3)."""
    sensor_depth = -np.abs(channels.origin_m[2]) * np.array([0.0, 0.0, 1.0])
    if channels.kind == 1:
        force = values[:, :3]
        place = np.column_stack([values[:, 3:5], np.zeros(len(values))])
        free = np.column_stack([np.zeros((len(values), 2)), values[:, 5]])
        return force, np.cross(place, force) + free
    if channels.kind == 3:
        a, b = np.abs(channels.origin_m[:2])
        x12, x34, y14, y23, *z = values.T
        force = np.column_stack([x12 + x34, y14 + y23, sum(z)])
        moment = np.column_stack(
            [b * (z[0] + z[1] - z[2] - z[3]), a * (-z[0] + z[1] + z[2] - z[3]), b * (x34 - x12) + a * (y14 - y23)]
        )
        return force, moment - np.cross(sensor_depth, force)
    force = values[:, :3]
    moment = values[:, 3:6]
    sign = -1.0 if channels.origin_m[2] > 0.0 else 1.0
    return force, moment - np.cross(sign * channels.origin_m, force)


def _upwards(plate_to_world: Array) -> Array:
    """Return the normal of a plate that points up: that along the positive end of the world axis nearest to it."""
    normal = plate_to_world[:, 2]
    axis = int(np.abs(normal).argmax())
    return np.asarray(normal * np.sign(normal[axis]))


def loaded(plate: ForcePlate, threshold_n: float = LOADED_N) -> npt.NDArray[np.bool_]:
    """Return when somebody stands on a plate. Shape (S,)."""
    return np.asarray(np.linalg.norm(plate.force_n, axis=1) > threshold_n)
