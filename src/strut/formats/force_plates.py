"""Force plates: channels of plates of the C3D types 1 to 4 → force, moment and centre of pressure in world axes.

The frame of a plate follows from its corners: x from corner 2 to corner 1, y from corner 3 to corner 2. Laboratories
disagree about signs, so two facts of physics replace what the file says: the sensors lie below the surface, whatever
the sign of ORIGIN, and the ground pushes upwards, so channels that pull are the force on the plate. Each correction is
reported in a note.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.recording import ForcePlate

CHANNELS = {1: 6, 2: 6, 3: 8, 4: 6}  # number of channels by type
LOADED_N = 20.0  # a plate with less is unloaded, and its centre of pressure is noise
QUIET_SHARE = 0.05  # of the range of the force: samples this near to its unloaded end are unloaded
MAX_OFFSET_N = 120.0  # a larger constant force is the weight of a person
MIN_QUIET_SAMPLES = 10  # for a median
MAX_COP_DIAGONALS = 10.0  # a centre of pressure this many plates away is in another unit


@dataclass(frozen=True, slots=True, eq=False)
class PlateChannels:
    """The channels of a plate, as a file has them.

    Args:
        number: Of the plate, from 1.
        kind: Type of the C3D format, 1 to 4.
        values: Channels in N and N m; in m where they are lengths. Shape (S, 6 or 8).
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
    """Return a plate in world axes, without offset and with the force of the ground, and notes about corrections."""
    name = f"plate {channels.number}"
    notes = list[str]()
    values = channels.values
    if channels.kind == 4 and channels.calibration is not None:
        values = np.asarray(values @ channels.calibration.T)
    values, offset_n = _without_offset(values, channels.kind)
    if offset_n > 1.0:
        notes.append(f"{name}: an offset of {offset_n:.0f} N was taken off.")
    plate_to_world = plate_axes(channels.corners_m)
    centre_m = channels.corners_m.mean(axis=0)
    normal = plate_to_world[:, 2]
    up = np.asarray(normal * np.sign(normal[int(np.abs(normal).argmax())]))  # along the nearest world axis
    force_n, moment_nm = _wrench(values, channels)
    load_n = force_n @ (plate_to_world.T @ up)
    if len(load_n) and load_n[np.abs(load_n).argmax()] < -LOADED_N:
        values = -values if channels.kind != 1 else values * np.array([-1, -1, -1, 1, 1, -1])  # places keep their sign
        notes.append(f"{name}: its force is that on the ground; signs were turned.")
        force_n, moment_nm = _wrench(values, channels)
    cop_m = plate_centre_of_pressure(force_n @ plate_to_world.T, moment_nm @ plate_to_world.T, centre_m, up)
    if channels.kind in (2, 4) and _is_far_outside(cop_m, channels.corners_m):
        values = values * np.array([1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3])
        notes.append(f"{name}: its moments are in N mm although the file says N m.")
        force_n, moment_nm = _wrench(values, channels)
    force_n = force_n @ plate_to_world.T
    moment_nm = moment_nm @ plate_to_world.T
    cop_m = plate_centre_of_pressure(force_n, moment_nm, centre_m, up)
    return ForcePlate(name, channels.rate_hz, force_n, moment_nm, cop_m, channels.corners_m), tuple(notes)


def plate_axes(corners_m: Array) -> Array:
    """Return the rotation from the frame of a plate to world, by its corners. Shape (4, 3) in, (3, 3) out."""
    x = corners_m[0] + corners_m[3] - corners_m[1] - corners_m[2]
    y = corners_m[0] + corners_m[1] - corners_m[2] - corners_m[3]
    x = x / np.linalg.norm(x)
    z = np.cross(x, y)
    z = z / np.linalg.norm(z)
    return np.column_stack([x, np.cross(z, x), z])


def plate_centre_of_pressure(force_n: Array, moment_nm: Array, centre_m: Array, up: Array) -> Array:
    """Return where a single force on the surface has the same moment; NaN while the load is below LOADED_N.

    Args:
        force_n: Shape (S, 3).
        moment_nm: About `centre_m`. Shape (S, 3).
        centre_m: Middle of the surface. Shape (3,).
        up: Normal of the surface. Shape (3,).

    Returns:
        In world. Shape (S, 3).
    """
    load_n = force_n @ up
    is_loaded = load_n > LOADED_N
    arm_m = np.cross(np.broadcast_to(up, moment_nm.shape), moment_nm) / np.where(is_loaded, load_n, 1.0)[:, None]
    return np.where(is_loaded[:, None], centre_m + arm_m, np.nan)


def _is_far_outside(cop_m: Array, corners_m: Array) -> bool:
    """Return whether the centre of pressure is mostly MAX_COP_DIAGONALS away from the plate."""
    distance_m = np.linalg.norm(cop_m - corners_m.mean(axis=0), axis=1)
    is_known = np.isfinite(distance_m)
    diagonal_m = np.linalg.norm(corners_m[0] - corners_m[2])
    return bool(is_known.any() and np.median(distance_m[is_known]) > MAX_COP_DIAGONALS * diagonal_m)


def _without_offset(values: Array, kind: int) -> tuple[Array, float]:
    """Return channels without their values of the unloaded plate, and how much that is [N]."""
    vertical = values[:, 4:8].sum(axis=1) if kind == 3 else values[:, 2]
    if len(vertical) < MIN_QUIET_SAMPLES:
        return values, 0.0
    low, high = np.percentile(vertical, [0.5, 99.5])
    if high - low < 4.0 * LOADED_N:  # the load never changes: the plate is either always loaded or never
        is_unloaded = np.full(len(vertical), abs(np.median(vertical)) < MAX_OFFSET_N)
    else:  # of the two ends of the range, the one nearer to zero is unloaded
        is_unloaded = np.abs(vertical - min(low, high, key=abs)) < QUIET_SHARE * (high - low)
    if is_unloaded.sum() < MIN_QUIET_SAMPLES:
        return values, 0.0
    offset = np.median(values[is_unloaded], axis=0)
    offset_n = abs(float(offset[4:8].sum() if kind == 3 else offset[2]))
    if kind == 1:
        offset[3:5] = 0.0  # a centre of pressure has no offset
    return values - offset, offset_n


def _wrench(values: Array, channels: PlateChannels) -> tuple[Array, Array]:
    """Return force and moment about the middle of the surface, in the frame of the plate. Shapes (S, 3)."""
    sensor_depth = -np.abs(channels.origin_m[2]) * np.array([0.0, 0.0, 1.0])
    if channels.kind == 1:
        force = values[:, :3]
        cop_m = np.column_stack([values[:, 3:5], np.zeros(len(values))])
        free_moment = np.column_stack([np.zeros((len(values), 2)), values[:, 5]])
        return force, np.cross(cop_m, force) + free_moment
    if channels.kind == 3:
        a, b = np.abs(channels.origin_m[:2])  # half the distances of the sensors, as the guide calls them
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
