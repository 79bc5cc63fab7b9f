"""Rotation: matrices, Z-Y-Z angles, rotation vectors and quaternions wxyz, and the way from one to another.

Matrices may have any leading shape. Quaternions are plain numbers: they run at every tick of a controller, one at a
time, and for four numbers that is five times faster than arrays. Attitudes of controllers, which are plain numbers for
the same reason, are in `simulation/attitude.py`.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.robot import BASE

Quaternion = tuple[float, float, float, float]
_NO_TURN = 1e-9
_FAR_TURN = -0.5  # sine of an angle that is 0, and cosine of one that its sine tells badly


def elementary_rotation(axis: int, angle_rad: Array | float) -> Array:
    """Return the rotation about x, y or z, which are 0, 1 and 2. Shape (...) in, (..., 3, 3) out."""
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
    """Return rotations about a unit axis (3,), by the formula of Rodrigues. Shape (...) in, (..., 3, 3) out."""
    cross = np.cross(np.eye(3), axis)
    c = np.cos(angle_rad)[..., None, None]
    s = np.sin(angle_rad)[..., None, None]
    return np.asarray(c * np.eye(3) + s * cross + (1.0 - c) * np.outer(axis, axis))


def rotation_from_zyz(angles_rad: Array) -> Array:
    """Return Rz(a) Ry(b) Rz(c) of intrinsic Z-Y-Z angles. Shape (3,) in, (3, 3) out."""
    return np.asarray(Rotation.from_euler("ZYZ", angles_rad).as_matrix())


def rotation_vector(rotation: Array) -> Array:
    """Return axis times angle of rotations. Shape (..., 3, 3) in, (..., 3) out.

    From the antisymmetric part, which is the axis times the sine: ten times as fast as by quaternions, which are only
    needed where the sine tells little of the angle.
    """
    r = rotation.reshape(-1, 9).T
    axis = 0.5 * np.stack([r[7] - r[5], r[2] - r[6], r[3] - r[1]], axis=-1)
    sine = np.sqrt(np.vecdot(axis, axis))
    cosine = 0.5 * (r[0] + r[4] + r[8] - 1.0)
    found = axis * (np.arctan2(sine, cosine) / np.where(sine > _NO_TURN, sine, 1.0))[:, None]
    found[sine <= _NO_TURN] = axis[sine <= _NO_TURN]
    far = cosine < _FAR_TURN
    if far.any():
        found[far] = Rotation.from_matrix(rotation.reshape(-1, 3, 3)[far], assume_valid=True).as_rotvec()
    return np.asarray(found.reshape(rotation.shape[:-1]))


def rolled_by(turn: Array, radius_m: Array) -> Array:
    """Return the way of balls that turn and roll on the ground. Shapes (T, n, 3, 3), (n,) in, (T, n, 3) out."""
    steps = rotation_vector(turn[1:] @ np.swapaxes(turn[:-1], -1, -2))
    way = np.cumsum(radius_m[:, None] * np.cross(steps, [0.0, 0.0, 1.0]), axis=0)
    return np.concatenate([np.zeros((1, len(radius_m), 3)), way])


def rotation_from_vector(vector_rad: Array) -> Array:
    """Return the rotation by |v| about v. Shape (..., 3) in, (..., 3, 3) out."""
    flat = Rotation.from_rotvec(np.reshape(vector_rad, (-1, 3))).as_matrix()
    return np.asarray(flat).reshape((*np.shape(vector_rad), 3))


def without_twist(rotation: Array) -> Array:
    """Return the smallest rotation that brings z where the given one does: without its twist about z. (..., 3, 3)."""
    z = rotation[..., 2]
    sine = np.hypot(z[..., 0], z[..., 1])
    scale = np.arctan2(sine, z[..., 2]) / np.where(sine > 0.0, sine, 1.0)
    return rotation_from_vector(np.stack([-z[..., 1] * scale, z[..., 0] * scale, np.zeros_like(scale)], axis=-1))


def turn_angle(before: Array, after: Array, axis: Array) -> Array:
    """Return by how much `before` was turned about `axis` to become `after`: the inverse of a finite rotation.

    Args:
        before: Vector before the turn. Shape (..., 3).
        after: Vector after the turn. Shape (..., 3).
        axis: Unit axis of the turn. Shape (..., 3).

    Returns:
        Angle in (-pi, pi] [rad]; 0 where `before` is parallel to the axis and no angle is defined. Shape (...).
    """
    along = np.sum(before * axis, axis=-1)
    sine = np.sum(np.cross(axis, before) * after, axis=-1)
    cosine = np.sum(before * after, axis=-1) - along**2
    return np.asarray(np.arctan2(sine, cosine))  # both lack the same positive denominator |axis x before|²


def slerp(start: Quaternion, stop: Quaternion, share: float) -> Quaternion:
    """Return the spherical linear interpolation of unit quaternions on the shortest turn; 0 is start, 1 is stop."""
    cosine = start[0] * stop[0] + start[1] * stop[1] + start[2] * stop[2] + start[3] * stop[3]
    sign = -1.0 if cosine < 0.0 else 1.0
    half = math.acos(min(abs(cosine), 1.0))
    if half < 1e-8:
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


def orientation_error(current: Array, wanted: Quaternion) -> Array:
    """Return the rotation vector in world from the current orientation to the wanted one; right up to 180 degrees.

    Args:
        current: Rotation to world, row by row. Shape (9,).
        wanted: Orientation in world, wxyz.

    Returns:
        Axis times angle [rad]. Shape (3,).
    """
    w0, x0, y0, z0 = quaternion_from_rotation(current)
    w1, x1, y1, z1 = wanted
    # wanted times the conjugate of current
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
    """Return the turn about the vertical of a quaternion wxyz [rad]. Shape (4,)."""
    return float(headings_of(orientation))


def headings_of(orientation: Array) -> Array:
    """Return the turns about the vertical of quaternions wxyz [rad]. Shape (..., 4) in, (...) out."""
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


def continuous_quaternions(rotation: Array, near: Array) -> Array:
    """Return quaternions wxyz of rotations, of the two signs the one along `near`. Shapes (T, 3, 3), (T, 4)."""
    found = np.asarray(Rotation.from_matrix(rotation).as_quat(scalar_first=True))
    found[1:] *= np.sign(np.cumprod(np.where(np.sum(found[1:] * found[:-1], axis=1) < 0.0, -1.0, 1.0)))[:, None]
    return found if np.sum(found[0] * near[0]) >= 0.0 else -found


def angles_from_qpos(qpos: Array) -> Array:
    """Return coordinates whose floating base has Y-X-Z angles instead of a quaternion. (..., n + 7) to (..., n + 6)."""
    angles = Rotation.from_quat(qpos[..., 3:7].reshape(-1, 4), scalar_first=True).as_euler("YXZ")
    return np.concatenate([qpos[..., :3], angles.reshape(*qpos.shape[:-1], 3), qpos[..., 7:]], axis=-1)


def qpos_from_angles(angles: Array) -> Array:
    """Return coordinates whose floating base has a quaternion instead of Y-X-Z angles. (..., n + 6) to (..., n + 7)."""
    turned = Rotation.from_euler("YXZ", angles[..., 3:BASE].reshape(-1, 3)).as_quat(canonical=True, scalar_first=True)
    return np.concatenate([angles[..., :3], turned.reshape(*angles.shape[:-1], 4), angles[..., BASE:]], axis=-1)


def qvel_from_angles(angles: Array, rates: Array) -> Array:
    """Return velocities with the angular velocity of the base, in its axes, for rates of Y-X-Z angles. (..., n + 6)."""
    x = angles[..., 4]
    z = angles[..., 5]
    by_y = rates[..., 3]
    by_x = rates[..., 4]
    by_z = rates[..., 5]
    omega = [
        np.sin(z) * np.cos(x) * by_y + np.cos(z) * by_x,
        np.cos(z) * np.cos(x) * by_y - np.sin(z) * by_x,
        by_z - np.sin(x) * by_y,
    ]
    return np.concatenate([rates[..., :3], np.stack(omega, axis=-1), rates[..., BASE:]], axis=-1)
