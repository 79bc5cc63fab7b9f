"""gait.toml of a walk in planned steps."""

from __future__ import annotations

from strut.schemas.fields import Positive
from strut.schemas.gait import GaitTable


class StepsTable(GaitTable, frozen=True, tag_field="kind", tag="steps"):
    """Numbers of a walk in planned steps.

    Args:
        body_height_m: Height of the hips.
        step_length_m: Largest distance between the feet ahead.
        side_step_m: Largest step to the side.
        step_turn_rad: Largest turn of a step.
        step_height_m: Height of a swing.
        shift_s: Time in which the weight shifts onto a foot.
        swing_s: Time of a swing.
        settle_s: Rest before the first step and after the last.
        servo_margin_m: Balance margin with which servos hold in other conditions; simulated instead if None.
    """

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
