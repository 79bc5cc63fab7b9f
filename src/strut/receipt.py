"""Receipt: what a motion keeps and costs. Its keys are part of the interface; what does not apply is None."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

Verdict = Literal["ok", "weakened", "refused"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was asked, what was kept and why, and what the motion needs from the body."""

    robot: str
    emotion: str | None
    pad: tuple[float, float, float] | None
    intensity_asked: float | None
    intensity_kept: float | None
    verdict: Verdict
    reasons: tuple[str, ...]
    duration_s: float
    distance_m: float | None
    speed_m_s: float | None
    balance_margin_mm: float | None
    joint_limit_margin_rad: float | None
    joint_speed_use: float | None
    torque_use: float | None
    foot_slip_mm: float | None
    penetration_mm: float | None
    task_error_mm: float | None
    cost_of_transport: float | None
    solve_s: float | None
    gaze_error_rad: float | None = None
    redundancy: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON would hold it."""
        return asdict(self) | {"reasons": list(self.reasons), "pad": list(self.pad) if self.pad else None}

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> Self:
        """Read what `as_dict` wrote; raises TypeError or KeyError on anything else."""
        pad = table["pad"]
        return cls(**table | {"reasons": tuple(table["reasons"]), "pad": tuple(pad) if pad else None})
