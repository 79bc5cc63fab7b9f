"""Outcome: what a motion did in simulation, in the numbers people ask for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

_WHERE_IT_APPLIES = ("hand_error_mm", "unfelt")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the robot fell and how well it did what was planned; the keys are part of the interface.

    Args:
        fell: Whether the body tipped or sank, or anything but a foot carried it, and it did not get up again.
        upright_s: How long it stayed upright.
        distance_m: Travel along the commanded direction.
        commanded_distance_m: Travel that was planned.
        heading_drift_rad: Turn about the vertical that nobody planned, at the end.
        foot_slip_mm: Largest slide of a loaded foot within one stance.
        tracking_error_rad: Largest distance of a joint from its goal.
        torque_use: Largest share of a servo's torque limit.
        cost_of_transport: Mechanical work over weight and distance; None on the spot.
        control: What kept it upright: `servos` alone, `balance` under its soles, or `whole_body` torques of its legs.
        stumbles: How often the same happened and it got up again.
        hand_error_mm: Largest distance of a busy hand from where the plan has it; None for a walk.
        unfelt: What was asked for and changed nothing, as a sentence; None for nothing.
    """

    fell: bool
    upright_s: float
    distance_m: float
    commanded_distance_m: float
    heading_drift_rad: float
    foot_slip_mm: float | None
    tracking_error_rad: float
    torque_use: float
    cost_of_transport: float | None
    control: str = "servos"
    stumbles: int = 0
    hand_error_mm: float | None = None
    unfelt: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON would hold it; only a busy hand has an error, and few ask for what is not felt."""
        kept = asdict(self)
        return {name: kept[name] for name in kept if kept[name] is not None or name not in _WHERE_IT_APPLIES}
