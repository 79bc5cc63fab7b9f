"""A limit: the head of the nodder turns at most 2 rad/s, or its camera sees a blur."""

from __future__ import annotations

from strut.draft import Draft, Limit, Violation
from strut.robot import Robot

MAX_HEAD_SPEED_RAD_S = 2.0


class CalmHead:
    """Judges the speed of the neck."""

    name = "calm head"

    def violation(self, draft: Draft) -> Violation | None:
        """Return where the neck turns too fast."""
        speed = abs(draft.measured.joint_speed_rad_s[:, -1])
        if speed.max() <= MAX_HEAD_SPEED_RAD_S:
            return None
        text = f"the neck turns at {speed.max():.1f} rad/s, a sharp image allows {MAX_HEAD_SPEED_RAD_S:g} rad/s"
        return Violation(self.name, speed > MAX_HEAD_SPEED_RAD_S, text)


def calm_head_limits(robot: Robot) -> tuple[Limit, ...]:
    """Return the limits of this package for a robot."""
    return (CalmHead(),) if "neck" in robot.joint_names else ()
