"""Outcome: measures of a simulated motion."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

_OPTIONAL_KEYS = ("hand_error_mm", "unfelt")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether the robot fell, and how well it followed the plan; the keys are part of the interface.

    Args:
        fell: Whether the body tipped, sank or lay on anything but its feet at the end.
        upright_s: Time until the fall, or the whole duration.
        distance_m: Travel along the planned direction.
        commanded_distance_m: Planned travel.
        heading_drift_rad: Heading error at the end.
        foot_slip_mm: Largest slide of a loaded foot within one stance.
        tracking_error_rad: Largest joint error.
        torque_use: Largest torque as a share of its servo's limit.
        cost_of_transport: Mechanical work over weight and distance; None on the spot.
        controller: Controller used: `servos`, `balance` or `whole_body` (see `simulate`).
        stumbles: Number of falls from which the robot got up again.
        hand_error_mm: Largest distance of the task's hand from its plan; None for a walk.
        unfelt: Requested disturbance without effect, as a sentence; None if there is none.
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
    controller: str = "servos"
    stumbles: int = 0
    hand_error_mm: float | None = None
    unfelt: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as a JSON table; optional keys without a value are left out."""
        table = asdict(self)
        return {name: value for name, value in table.items() if value is not None or name not in _OPTIONAL_KEYS}
