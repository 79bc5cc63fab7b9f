"""gait_library.toml: the grid of a robot's periodic gaits, and the bounds of each."""

from __future__ import annotations

from typing import Annotated, Literal, Self

import msgspec

from strut.schemas.fields import NotNegative, Positive, Range, Table
from strut.schemas.toml_file import WrongFieldError

Points = Annotated[int, msgspec.Meta(ge=1, le=101)]


class GridAxis(Table, frozen=True):
    """Evenly spaced values, both ends included.

    Args:
        min: Smallest value.
        max: Largest value.
        count: Number of values.
    """

    min: float
    max: float
    count: Points

    def __post_init__(self) -> None:
        if self.count > 1 and not self.min < self.max:
            raise WrongFieldError(("max",), f"is {self.max:g}; it must be above min, {self.min:g}.")

    @property
    def values(self) -> tuple[float, ...]:
        """The values; for a single point, the middle."""
        if self.count == 1:
            return ((self.min + self.max) / 2.0,)
        width = (self.max - self.min) / (self.count - 1)
        return tuple(round(self.min + width * number, 12) for number in range(self.count))


class GaitGrid(Table, frozen=True):
    """Axes of the grid: mean speed forward and to the left, and height of the base.

    Args:
        forward_m_s: Speeds ahead.
        left_m_s: Speeds to the left.
        height_m: Heights of the base.
    """

    forward_m_s: GridAxis
    left_m_s: GridAxis
    height_m: GridAxis

    def __post_init__(self) -> None:
        if self.left_m_s.min != -self.left_m_s.max:
            raise WrongFieldError(("left_m_s",), "must be the same on both sides, because gaits are mirrored.")

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the grid of a library file; the former keys `least` and `most` are read, too."""
        text = text.replace('"least"', '"min"').replace('"most"', '"max"')
        return msgspec.json.decode(text, type=cls)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of values of each axis."""
        return self.forward_m_s.count, self.left_m_s.count, self.height_m.count


class GaitLibraryTable(Table, frozen=True):
    """The published grid, and the bounds and cost weights of a gait.

    Args:
        grid: Of the gaits.
        height_band_m: Largest distance of the base from its height.
        longest_step_s: Longest duration of a step.
        shortest_step_s: Shortest duration at the lowest and at the greatest height; linear between.
        usual_step_s: Duration that is preferred, so that neighbours in the grid are alike.
        usual_width_m: Preferred distance between the feet.
        step_width_m: Smallest and largest sideways distance between the feet.
        clearance_m: Smallest and largest height of the swinging sole at mid-step.
        attitude_rad: Largest roll, pitch and yaw of the base.
        intervals: Mesh intervals of a step.
        motor_mirror: For each motor of a leg, -1 if the mirror image of a motion turns it the other way, else 1.
        upright_weight: Of the squared attitude of the base and of its distance from its height, against effort.
        pace_weight: Of the squared distance from the usual step time.
        track_weight: Of the squared distance from the usual width.
    """

    grid: GaitGrid
    height_band_m: Positive
    longest_step_s: Positive
    shortest_step_s: tuple[Positive, Positive]
    usual_step_s: Positive
    usual_width_m: Positive
    step_width_m: Range
    clearance_m: Range
    attitude_rad: Positive
    intervals: Annotated[int, msgspec.Meta(ge=4, le=100)]
    motor_mirror: tuple[Literal[-1, 1], ...]
    upright_weight: NotNegative
    pace_weight: NotNegative
    track_weight: NotNegative

    def step_range_s(self, height_m: float) -> tuple[float, float]:
        """Return the shortest and longest step at a height."""
        low, high = self.shortest_step_s
        axis = self.grid.height_m
        share = (height_m - axis.min) / (axis.max - axis.min)
        return min(low + share * (high - low), self.longest_step_s), self.longest_step_s
