"""gait.toml of a walk in planned steps."""

from __future__ import annotations

from strut.schemas.fields import Positive
from strut.schemas.gait import GaitTable


class StepsTable(GaitTable, frozen=True, tag_field="kind", tag="steps"):
    """Numbers of a walk in planned steps."""

    body_height_m: Positive
    step_length_m: Positive
    side_step_m: Positive
    step_turn_rad: Positive
    step_height_m: Positive
    shift_s: Positive
    swing_s: Positive
    settle_s: Positive
    servo_margin_m: Positive | None = None

    @property
    def pace(self) -> float:
        """Speed along a straight line in neutral [m/s]."""
        return self.step_length_m / (self.shift_s + self.swing_s)

    def goal_ahead_m(self, steps: float) -> float:
        """Return the distance of a number of steps."""
        return steps * self.step_length_m
