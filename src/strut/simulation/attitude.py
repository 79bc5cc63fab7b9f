"""Attitude: roll, pitch and yaw of the base and errors between attitudes, in plain numbers.

Controllers need them at every tick, one at a time; for nine numbers this is several times faster than arrays.
"""

from __future__ import annotations

import math

import numpy as np

from strut.arrays import Array

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]


def attitude_matrix(roll: float, pitch: float, yaw: float) -> Matrix:
    """Return the rows of Rz(yaw) Ry(pitch) Rx(roll)."""
    cr, sr, cp, sp, cy, sy = (f(a) for a in (roll, pitch, yaw) for f in (math.cos, math.sin))
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def attitude_error(rotation: Array, wanted: Matrix) -> Triple:
    """Return the rotation vector in base axes from a rotation to the wanted one, for errors below 90 degrees.

    Its length is the sine of the angle. Shape (3, 3) in.
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation.tolist()
    (A, B, C), (D, E, F), (G, H, J) = wanted
    # skew part of rotation' wanted
    zy = c * B + f * E + i * H
    yz = b * C + e * F + h * J
    xz = a * C + d * F + g * J
    zx = c * A + f * D + i * G
    yx = b * A + e * D + h * G
    xy = a * B + d * E + g * H
    return (zy - yz) / 2.0, (xz - zx) / 2.0, (yx - xy) / 2.0


def rotation_between(start: Array, end: Array) -> Array:
    """Return the rotation vector in world from one attitude to another, with the sine of the angle as length. (3,)."""
    (_, xy, xz), (yx, _, yz), (zx, zy, _) = (end @ start.T).tolist()
    return np.array([(zy - yz) / 2.0, (xz - zx) / 2.0, (yx - xy) / 2.0])


def heading(x: float, y: float) -> float:
    """Return the angle of a horizontal direction from world x."""
    return math.atan2(y, x)


def slope(up: float) -> float:
    """Return the angle above the horizon of a unit vector whose vertical part is `up`."""
    return math.asin(min(max(up, -1.0), 1.0))


def angle_between(start: float, end: float) -> float:
    """Return the smallest turn from one angle to another, in [-pi, pi]."""
    return math.remainder(end - start, math.tau)
