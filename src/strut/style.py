"""Style: what a feeling does to a body, in words that any body can read. All values are dimensionless."""

from __future__ import annotations

import math
from dataclasses import dataclass

from strut.errors import OutOfRangeError


@dataclass(frozen=True, slots=True)
class Style:
    """Named changes against neutral; the defaults are neutral.

    Args:
        tempo: Factor on the pace of the steps, positive.
        direction: 1 walks forwards, -1 backwards.
        stride: Factor on the step length, not negative; 0 marches on the spot.
        lift: Factor on the step height, not negative.
        sway: Factor on how far the body goes over each foot, not negative.
        body_height: Factor on how high the body is carried, positive.
        trunk_pitch_rad: How far the trunk bends back; negative bends it forward.
        head_pitch_rad: How far the head bends back; negative bends it forward.
        postures: Key poses of the robot's limbs by name, each with how much of it is shown.
        activity: From 0, still, to 1, as lively as the body can be; neutral is in the middle.
        jerkiness: From 0, smooth, to 1; neutral is in the middle.
        gaze: From 0, averted, to 1, looking people in the eye; neutral is in the middle.
    """

    tempo: float = 1.0
    direction: int = 1
    stride: float = 1.0
    lift: float = 1.0
    sway: float = 1.0
    body_height: float = 1.0
    trunk_pitch_rad: float = 0.0
    head_pitch_rad: float = 0.0
    postures: tuple[tuple[str, float], ...] = ()
    activity: float = 0.5
    jerkiness: float = 0.5
    gaze: float = 0.5

    def __post_init__(self) -> None:
        for word in ("tempo", "stride", "lift", "sway", "body_height"):
            value = getattr(self, word)
            if not math.isfinite(value) or value < 0.0:
                raise OutOfRangeError(f"The {word} of a style is {value:g}; it must be a finite factor of at least 0.")
        for word in ("activity", "jerkiness", "gaze"):
            if not 0.0 <= getattr(self, word) <= 1.0:
                raise OutOfRangeError(f"The {word} of a style is {getattr(self, word):g}; rescale it to [0, 1].")
        if self.tempo == 0.0:
            raise OutOfRangeError("The tempo of a style is 0, so no step would end; use stride 0 to march on the spot.")
        if self.body_height == 0.0:
            raise OutOfRangeError("The body height of a style is 0, so the body would lie on the ground.")
        for word in ("trunk_pitch_rad", "head_pitch_rad"):
            if not math.isfinite(getattr(self, word)):
                raise OutOfRangeError(f"The {word} of a style is {getattr(self, word):g}; it must be a finite number.")
        if self.direction not in (-1, 1):
            raise OutOfRangeError(f"The direction of a style is {self.direction}; use 1 (forwards) or -1 (backwards).")
        for name, weight in self.postures:
            if not math.isfinite(weight):
                raise OutOfRangeError(f"The weight of posture '{name}' is {weight:g}; it must be a finite number.")
