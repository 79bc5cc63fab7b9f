"""The two-bar leg in closed form: a knee whose lowest segment keeps its angle to the thigh, as in a bird's leg.

A rod or a belt makes the ankle turn back by what the knee turns, so thigh and tarsus act as one rigid bar, and what
lies between knee and ankle as the other. Points of the leg's plane are complex numbers, down plus i times forward;
turns are positive forward.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.errors import OutOfReachError

_BEND = -1.0  # sign of the knee's angle: it points backwards


@dataclass(frozen=True, slots=True)
class TwoBarLeg:
    """Geometry of a leg.

    Args:
        fixed: From hip to knee, plus what keeps its angle to the thigh, when the hip is at zero [m].
        moving: What turns with the knee, when hip and knee are at zero [m].
    """

    fixed: complex
    moving: complex

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest leg."""
        return abs(abs(self.fixed) - abs(self.moving)), abs(self.fixed) + abs(self.moving)

    def length_m(self, knee_rad: Array | float) -> Array:
        """Return the distance from hip to foot, which depends on the knee alone. Shape (...)."""
        return np.asarray(np.abs(self._foot(knee_rad)))

    def pitch_rad(self, hip_rad: Array | float, knee_rad: Array | float) -> Array:
        """Return the angle of the line from hip to foot, forward of down. Shape (...)."""
        return np.asarray(hip_rad + np.angle(self._foot(knee_rad)))

    def angles_rad(self, length_m: Array | float, pitch_rad: Array | float) -> tuple[Array, Array]:
        """Return hip and knee for a length and a pitch; raises OutOfReachError where no leg is so long. Shape (...)."""
        length = np.asarray(length_m, dtype=float)
        shortest, longest = self.reach_m
        outside = (length < shortest) | (length > longest)
        if outside.any():
            raise OutOfReachError("two-bar", float(length[outside].flat[0]), shortest, longest)
        a = abs(self.fixed)
        b = abs(self.moving)
        between = np.arccos((length**2 - a * a - b * b) / (2.0 * a * b))
        knee = _BEND * between - (np.angle(self.moving) - np.angle(self.fixed))
        return np.asarray(pitch_rad - np.angle(self._foot(knee))), np.asarray(knee)

    def _foot(self, knee_rad: Array | float) -> Array:
        return np.asarray(self.fixed + self.moving * np.exp(1j * np.asarray(knee_rad)))


def two_bar_leg(thigh_m: complex, shin_m: complex, tarsus_m: complex, tarsus_to_thigh_rad: float) -> TwoBarLeg:
    """Return the leg of three segments whose last keeps an angle to the first.

    Args:
        thigh_m: From hip to knee.
        shin_m: From knee to ankle.
        tarsus_m: From ankle to foot.
        tarsus_to_thigh_rad: Knee angle plus ankle angle.
    """
    return TwoBarLeg(thigh_m + tarsus_m * complex(np.exp(1j * tarsus_to_thigh_rad)), shin_m)
