"""Place: a pose in the plane of the ground, SE(2). A footstep is a foot put down at a place."""

from __future__ import annotations

import math
from dataclasses import dataclass

from strut.errors import OutOfRangeError
from strut.plumbing.argument_types import coerce_fields

RIGHT = 0
LEFT = 1
FOOT_NAMES = ("right", "left")


@dataclass(frozen=True, slots=True)
class Place:
    """Position on the ground [m] and heading about the vertical [rad], counter-clockwise from x."""

    x_m: float
    y_m: float
    heading_rad: float = 0.0

    def __post_init__(self) -> None:
        coerce_fields(self)
        for name, value in (("x", self.x_m), ("y", self.y_m), ("heading", self.heading_rad)):
            if not math.isfinite(value):
                raise OutOfRangeError(f"The {name} of a place is {value:g}; it must be a finite number.")

    def compose(self, step: Place) -> Place:
        """Return `step`, given in the frame of this place, in the frame that this place is given in."""
        c = math.cos(self.heading_rad)
        s = math.sin(self.heading_rad)
        return Place(
            self.x_m + c * step.x_m - s * step.y_m,
            self.y_m + s * step.x_m + c * step.y_m,
            self.heading_rad + step.heading_rad,
        )

    def relative_to(self, other: Place) -> Place:
        """Return this place in the frame of another: `other.compose(self.relative_to(other))` is this place."""
        c = math.cos(other.heading_rad)
        s = math.sin(other.heading_rad)
        dx = self.x_m - other.x_m
        dy = self.y_m - other.y_m
        return Place(c * dx + s * dy, -s * dx + c * dy, self.heading_rad - other.heading_rad)

    def distance_m(self, other: Place) -> float:
        """Return the distance between the positions."""
        return math.hypot(self.x_m - other.x_m, self.y_m - other.y_m)


@dataclass(frozen=True, slots=True)
class Footstep:
    """One foot, 0 right or 1 left, put down with the middle of its sole at a place in world."""

    foot: int
    place: Place


def wrap_angle(angle_rad: float) -> float:
    """Return the angle in (-pi, pi] that points the same way."""
    turned = math.remainder(angle_rad, 2.0 * math.pi)
    return math.pi if turned == -math.pi else turned


def between(right: Place, left: Place) -> Place:
    """Return the place midway between two feet, facing midway between their headings."""
    heading = right.heading_rad + wrap_angle(left.heading_rad - right.heading_rad) / 2.0
    return Place((right.x_m + left.x_m) / 2.0, (right.y_m + left.y_m) / 2.0, heading)
