"""Closed-form inverse kinematics of a two-bar leg: a bird-like leg whose tarsus keeps its angle to the thigh.

A rod or a belt turns the ankle back by the knee angle, so that thigh and tarsus act as one rigid bar and the shin as
the other. With down plus i times forward as complex numbers and angles positive forward, the foot is at
(fixed + moving exp(i knee)) exp(i hip).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.errors import OutOfReachError

_KNEE_SIGN = -1.0  # the knee points backward


@dataclass(frozen=True, slots=True)
class TwoBarLeg:
    """Geometry of a leg.

    Args:
        fixed: Thigh plus tarsus, with the hip at zero [m].
        moving: Shin, with hip and knee at zero [m].
    """

    fixed: complex
    moving: complex

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest distance from hip to foot."""
        return abs(abs(self.fixed) - abs(self.moving)), abs(self.fixed) + abs(self.moving)

    def length_m(self, knee_rad: Array | float) -> Array:
        """Return the distance from hip to foot, which depends on the knee alone. Shape (...)."""
        return np.asarray(np.abs(self._foot(knee_rad)))

    def pitch_rad(self, hip_rad: Array | float, knee_rad: Array | float) -> Array:
        """Return the angle of the line from hip to foot, forward of down. Shape (...)."""
        return np.asarray(hip_rad + np.angle(self._foot(knee_rad)))

    def angles_rad(self, length_m: Array | float, pitch_rad: Array | float) -> tuple[Array, Array]:
        """Return hip and knee for a leg length and pitch; raises OutOfReachError outside the reach. Shape (...)."""
        length = np.asarray(length_m, dtype=float)
        shortest, longest = self.reach_m
        outside = (length < shortest) | (length > longest)
        if outside.any():
            raise OutOfReachError("two-bar", float(length[outside].flat[0]), shortest, longest)
        a = abs(self.fixed)
        b = abs(self.moving)
        angle = np.arccos((length**2 - a * a - b * b) / (2.0 * a * b))
        knee = _KNEE_SIGN * angle - (np.angle(self.moving) - np.angle(self.fixed))
        return np.asarray(pitch_rad - np.angle(self._foot(knee))), np.asarray(knee)

    def _foot(self, knee_rad: Array | float) -> Array:
        """Return the foot from the hip, with the hip at zero. Shape (...)."""
        return np.asarray(self.fixed + self.moving * np.exp(1j * np.asarray(knee_rad)))


def two_bar_leg(thigh_m: complex, shin_m: complex, tarsus_m: complex, tarsus_to_thigh_rad: float) -> TwoBarLeg:
    """Return the two-bar leg of three segments, the last at a constant angle to the first.

    Args:
        thigh_m: From hip to knee.
        shin_m: From knee to ankle.
        tarsus_m: From ankle to foot.
        tarsus_to_thigh_rad: Knee angle plus ankle angle.
    """
    return TwoBarLeg(thigh_m + tarsus_m * complex(np.exp(1j * tarsus_to_thigh_rad)), shin_m)
