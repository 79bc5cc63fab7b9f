"""Gaze: where a head looks. Between where its posture leaves it and the eyes of a person, on the shortest turn.

Head frames have x forward, y left, z up. Plain numbers instead of arrays: it runs at every tick, and for three of them
they are five times faster.
"""

from __future__ import annotations

import math

import numpy as np

from strut.errors import OutOfRangeError
from strut.robot import Array

Quaternion = tuple[float, float, float, float]


def looking_at(eyes_m: Array, target_m: Array) -> Quaternion:
    """Return the orientation, wxyz, that looks from the eyes at a target and keeps the head upright.

    Args:
        eyes_m: In world. Shape (3,).
        target_m: In world. Shape (3,).
    """
    x, y, z = float(target_m[0] - eyes_m[0]), float(target_m[1] - eyes_m[1]), float(target_m[2] - eyes_m[2])
    across = math.hypot(x, y)
    if across < 1e-9:
        raise OutOfRangeError("The user is straight above or below the robot's eyes; move the user aside.")
    yaw, pitch = math.atan2(y, x), -math.atan2(z, across)
    cy, sy, cp, sp = math.cos(yaw / 2.0), math.sin(yaw / 2.0), math.cos(pitch / 2.0), math.sin(pitch / 2.0)
    return (cy * cp, -sy * sp, cy * sp, sy * cp)


def between(start: Quaternion, stop: Quaternion, share: float) -> Quaternion:
    """Return the orientation a share of the shortest turn from start to stop; 0 is start, 1 is stop."""
    cosine = start[0] * stop[0] + start[1] * stop[1] + start[2] * stop[2] + start[3] * stop[3]
    sign = -1.0 if cosine < 0.0 else 1.0
    half = math.acos(min(abs(cosine), 1.0))
    if half < 1e-8:
        return stop if share > 0.5 else start
    sine = math.sin(half)
    a, b = math.sin((1.0 - share) * half) / sine, sign * math.sin(share * half) / sine
    return (
        a * start[0] + b * stop[0],
        a * start[1] + b * stop[1],
        a * start[2] + b * stop[2],
        a * start[3] + b * stop[3],
    )


def turn_to(current: Array, wanted: Quaternion) -> Array:
    """Return the rotation vector in world from the current orientation to the wanted one; right up to 180 degrees.

    Args:
        current: Rotation to world, row by row. Shape (9,).
        wanted: Orientation in world, wxyz.

    Returns:
        Axis times angle [rad]. Shape (3,).
    """
    w0, x0, y0, z0 = quaternion_of(current)
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


def quaternion_of(rotation: Array) -> Quaternion:
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


def rotation_of(orientation: Quaternion) -> Array:
    """Return the rotation of a unit quaternion wxyz, row by row. Shape (9,)."""
    w, x, y, z = orientation
    return np.array(
        [
            *(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)),
            *(2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)),
            *(2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)),
        ]
    )
