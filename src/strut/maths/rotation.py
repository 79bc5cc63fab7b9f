"""Rotation: conversions between rotation matrices, Euler angles, rotation vectors and quaternions (wxyz).

Matrices may have any leading shape. Single quaternions are tuples of plain numbers: controllers use one at every tick,
and for four numbers that is five times faster than arrays. `simulation/attitude.py` has the attitudes of controllers,
in plain numbers for the same reason.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.robot import BASE

Quaternion = tuple[float, float, float, float]
_ZERO_SINE = 1e-9  # at a smaller sine of the angle, the rotation vector is the antisymmetric part itself
_LARGE_ANGLE_COSINE = -0.5  # beyond 120 degrees the sine determines the angle poorly; quaternions are used
_ZERO_ANGLE_RAD = 1e-8  # two quaternions nearer than this are not interpolated


def elementary_rotation(axis: int, angle_rad: Array | float) -> Array:
    """Return the rotation about axis 0 (x), 1 (y) or 2 (z). Shape (...) in, (..., 3, 3) out."""
    angle = np.asarray(angle_rad, dtype=float)
    c = np.cos(angle)
    s = np.sin(angle)
    i = (axis + 1) % 3
    j = (axis + 2) % 3
    rotation = np.zeros((*angle.shape, 3, 3))
    rotation[..., axis, axis] = 1.0
    rotation[..., i, i] = rotation[..., j, j] = c
    rotation[..., i, j] = -s
    rotation[..., j, i] = s
    return rotation


def rotation_y(angle_rad: Array | float) -> Array:
    """Return the rotation about y. Shape (...) in, (..., 3, 3) out."""
    return elementary_rotation(1, angle_rad)


def rotation_about(axis: Array, angle_rad: Array) -> Array:
    """Return c I + s [a]x + (1 - c) a a' about a unit axis a (Rodrigues). Shapes (3,), (...) in, (..., 3, 3) out."""
    cross = np.cross(np.eye(3), axis)
    c = np.cos(angle_rad)[..., None, None]
    s = np.sin(angle_rad)[..., None, None]
    return np.asarray(c * np.eye(3) + s * cross + (1.0 - c) * np.outer(axis, axis))


def rotation_from_zyz(angles_rad: Array) -> Array:
    """Return Rz(a) Ry(b) Rz(c) of intrinsic Z-Y-Z angles. Shape (3,) in, (3, 3) out."""
    return np.asarray(Rotation.from_euler("ZYZ", angles_rad).as_matrix())


def rotation_vector(rotation: Array) -> Array:
    """Return axis times angle of rotations. Shape (..., 3, 3) in, (..., 3) out.

    The antisymmetric part of the matrix is the axis times the sine of the angle. This is ten times as fast as
    quaternions, which are used only for large angles, where the sine determines the angle poorly.
    """
    r = rotation.reshape(-1, 9).T
    axis = 0.5 * np.stack([r[7] - r[5], r[2] - r[6], r[3] - r[1]], axis=-1)
    sine = np.sqrt(np.vecdot(axis, axis))
    cosine = 0.5 * (r[0] + r[4] + r[8] - 1.0)
    vector = axis * (np.arctan2(sine, cosine) / np.where(sine > _ZERO_SINE, sine, 1.0))[:, None]
    vector[sine <= _ZERO_SINE] = axis[sine <= _ZERO_SINE]
    is_large = cosine < _LARGE_ANGLE_COSINE
    if is_large.any():
        vector[is_large] = Rotation.from_matrix(rotation.reshape(-1, 3, 3)[is_large], assume_valid=True).as_rotvec()
    return np.asarray(vector.reshape(rotation.shape[:-1]))


def rolling_path(turn: Array, radius_m: Array) -> Array:
    """Return the displacement of balls that roll on the ground without slipping, from their rotations over time.

    Shapes (T, n, 3, 3), (n,) in, (T, n, 3) out.
    """
    steps = rotation_vector(turn[1:] @ np.swapaxes(turn[:-1], -1, -2))
    displacement = np.cumsum(radius_m[:, None] * np.cross(steps, [0.0, 0.0, 1.0]), axis=0)
    return np.concatenate([np.zeros((1, len(radius_m), 3)), displacement])


def rotation_from_vector(vector_rad: Array) -> Array:
    """Return the rotation by |v| about v. Shape (..., 3) in, (..., 3, 3) out."""
    flat = Rotation.from_rotvec(np.reshape(vector_rad, (-1, 3))).as_matrix()
    return np.asarray(flat).reshape((*np.shape(vector_rad), 3))


def remove_twist(rotation: Array) -> Array:
    """Return the smallest rotation that maps z as the given one does: its swing without its twist. (..., 3, 3)."""
    z = rotation[..., 2]
    sine = np.hypot(z[..., 0], z[..., 1])
    scale = np.arctan2(sine, z[..., 2]) / np.where(sine > 0.0, sine, 1.0)
    return rotation_from_vector(np.stack([-z[..., 1] * scale, z[..., 0] * scale, np.zeros_like(scale)], axis=-1))


def turn_angle(before: Array, after: Array, axis: Array) -> Array:
    """Return the angle by which a rotation about `axis` turns `before` into `after`.

    Args:
        before: Vector before the rotation. Shape (..., 3).
        after: Vector after the rotation. Shape (..., 3).
        axis: Unit axis of the rotation. Shape (..., 3).

    Returns:
        Angle in (-pi, pi] [rad]; 0 where `before` is parallel to the axis and no angle is defined. Shape (...).
    """
    along = np.sum(before * axis, axis=-1)
    sine = np.sum(np.cross(axis, before) * after, axis=-1)
    cosine = np.sum(before * after, axis=-1) - along**2
    return np.asarray(np.arctan2(sine, cosine))  # both without their common denominator |axis x before|² > 0


def slerp(start: Quaternion, stop: Quaternion, share: float) -> Quaternion:
    """Return the spherical linear interpolation of unit quaternions along the shorter arc; 0 is start, 1 is stop."""
    cosine = start[0] * stop[0] + start[1] * stop[1] + start[2] * stop[2] + start[3] * stop[3]
    sign = -1.0 if cosine < 0.0 else 1.0
    half = math.acos(min(abs(cosine), 1.0))
    if half < _ZERO_ANGLE_RAD:
        return stop if share > 0.5 else start
    sine = math.sin(half)
    a = math.sin((1.0 - share) * half) / sine
    b = sign * math.sin(share * half) / sine
    return (
        a * start[0] + b * stop[0],
        a * start[1] + b * stop[1],
        a * start[2] + b * stop[2],
        a * start[3] + b * stop[3],
    )


def orientation_error(current: Array, target: Quaternion) -> Array:
    """Return the rotation vector in world from the current to the target orientation, valid up to 180 degrees.

    Args:
        current: Rotation to world, row by row. Shape (9,).
        target: Orientation in world, wxyz.

    Returns:
        Axis times angle [rad]. Shape (3,).
    """
    w0, x0, y0, z0 = quaternion_from_rotation(current)
    w1, x1, y1, z1 = target
    # target times the conjugate of current
    w = w1 * w0 + x1 * x0 + y1 * y0 + z1 * z0
    x = -w1 * x0 + x1 * w0 - y1 * z0 + z1 * y0
    y = -w1 * y0 + x1 * z0 + y1 * w0 - z1 * x0
    z = -w1 * z0 - x1 * y0 + y1 * x0 + z1 * w0
    sine = math.sqrt(x * x + y * y + z * z)
    if sine < 1e-12:
        return np.array([2.0 * x, 2.0 * y, 2.0 * z]) * (1.0 if w >= 0.0 else -1.0)
    scale = 2.0 * math.atan2(sine, abs(w)) / sine * (1.0 if w >= 0.0 else -1.0)
    return np.array([scale * x, scale * y, scale * z])


def quaternion_from_rotation(rotation: Array) -> Quaternion:
    """Return the quaternion wxyz of a rotation given row by row. Shape (9,) in."""
    a, b, c, d, e, f, g, h, i = rotation.tolist()
    trace = a + e + i
    if trace > 0.0:
        s = 2.0 * math.sqrt(trace + 1.0)
        return (0.25 * s, (h - f) / s, (c - g) / s, (d - b) / s)
    if a >= e and a >= i:
        s = 2.0 * math.sqrt(1.0 + a - e - i)
        return ((h - f) / s, 0.25 * s, (b + d) / s, (c + g) / s)
    if e >= i:
        s = 2.0 * math.sqrt(1.0 + e - a - i)
        return ((c - g) / s, (b + d) / s, 0.25 * s, (f + h) / s)
    s = 2.0 * math.sqrt(1.0 + i - a - e)
    return ((d - b) / s, (c + g) / s, (f + h) / s, 0.25 * s)


def heading_of(orientation: Array) -> float:
    """Return the heading (yaw) of a quaternion wxyz [rad]. Shape (4,)."""
    return float(headings_of(orientation))


def headings_of(orientation: Array) -> Array:
    """Return the headings (yaw) of quaternions wxyz [rad]. Shape (..., 4) in, (...) out."""
    w, x, y, z = np.moveaxis(orientation, -1, 0)
    return np.asarray(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def rotation_from_quaternion(orientation: Quaternion) -> Array:
    """Return the rotation of a unit quaternion wxyz, row by row. Shape (9,)."""
    w, x, y, z = orientation
    return np.array(
        [
            *(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            *(2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            *(2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        ]
    )


def continuous_quaternions(rotation: Array, reference: Array) -> Array:
    """Return quaternions wxyz of rotations without jumps of sign; the first has the sign nearer to `reference`.

    Shapes (T, 3, 3), (T, 4) in, (T, 4) out.
    """
    quaternion = np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))
    flips = np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0.0
    quaternion[1:] *= np.sign(np.cumprod(np.where(flips, -1.0, 1.0)))[:, None]
    return quaternion if np.sum(quaternion[0] * reference[0]) >= 0.0 else -quaternion


def angles_from_qpos(qpos: Array) -> Array:
    """Return coordinates with Y-X-Z Euler angles of the base for its quaternion. (..., n + 7) in, (..., n + 6) out."""
    angles = Rotation.from_quat(qpos[..., 3:7].reshape(-1, 4), scalar_first=True).as_euler("YXZ")
    return np.concatenate([qpos[..., :3], angles.reshape(*qpos.shape[:-1], 3), qpos[..., 7:]], axis=-1)


def qpos_from_angles(angles: Array) -> Array:
    """Return coordinates with a quaternion of the base for its Y-X-Z angles. (..., n + 6) in, (..., n + 7) out."""
    base = Rotation.from_euler("YXZ", angles[..., 3:BASE].reshape(-1, 3)).as_quat(canonical=True, scalar_first=True)
    return np.concatenate([angles[..., :3], base.reshape(*angles.shape[:-1], 4), angles[..., BASE:]], axis=-1)


def qvel_from_angles(angles: Array, rates: Array) -> Array:
    """Return velocities, with the angular velocity in base axes, from rates of Y-X-Z angles. (..., n + 6) both."""
    x = angles[..., 4]
    z = angles[..., 5]
    rate_y = rates[..., 3]
    rate_x = rates[..., 4]
    rate_z = rates[..., 5]
    omega = [
        np.sin(z) * np.cos(x) * rate_y + np.cos(z) * rate_x,
        np.cos(z) * np.cos(x) * rate_y - np.sin(z) * rate_x,
        rate_z - np.sin(x) * rate_y,
    ]
    return np.concatenate([rates[..., :3], np.stack(omega, axis=-1), rates[..., BASE:]], axis=-1)
