"""Gaze: the orientation of a head that looks at a person. Head frames have x forward, y left, z up."""

from __future__ import annotations

import math

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.maths.rotation import Quaternion


def looking_at(eyes_m: Array, target_m: Array) -> Quaternion:
    """Return the orientation, wxyz, that looks from the eyes at a target and keeps the head upright.

    Args:
        eyes_m: In world. Shape (3,).
        target_m: In world. Shape (3,).
    """
    x = float(target_m[0] - eyes_m[0])
    y = float(target_m[1] - eyes_m[1])
    z = float(target_m[2] - eyes_m[2])
    across = math.hypot(x, y)
    if across < 1e-9:
        raise OutOfRangeError("The user is straight above or below the robot's eyes; move the user aside.")
    yaw = math.atan2(y, x)
    pitch = -math.atan2(z, across)
    cy = math.cos(yaw / 2.0)
    sy = math.sin(yaw / 2.0)
    cp = math.cos(pitch / 2.0)
    sp = math.sin(pitch / 2.0)
    return (cy * cp, -sy * sp, cy * sp, sy * cp)
