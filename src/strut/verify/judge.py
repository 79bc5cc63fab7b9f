"""Judge: a draft is measured from its samples, and held to every limit of its robot."""

from __future__ import annotations

from collections.abc import Sequence

from strut.draft import Draft, Limit, Violation
from strut.pilot.plant.plant_audit import was_piloted
from strut.verify.limits import judged, limits_for
from strut.verify.measure import measure


def judge(
    draft: Draft, *, margin_m: float, use: float = 1.0, more: Sequence[Limit] = ()
) -> tuple[Draft, tuple[Violation, ...]]:
    """Return the draft with what it needs, and the limits that it breaks.

    Args:
        draft: What was drafted, or read from a file.
        margin_m: Smallest allowed balance margin.
        use: Share of the speed and torque limits that may be used.
        more: Limits beside the robot's own.
    """
    measured = measure(draft)
    own = limits_for(draft.robot, margin_m=margin_m, use=use, piloted=was_piloted(measured))
    return measured, judged(measured, (*own, *more))
