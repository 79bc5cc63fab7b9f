"""Judge: a draft is measured from its samples and held to every limit of its robot."""

from __future__ import annotations

from collections.abc import Sequence

from strut.draft import Draft, Limit, Violation
from strut.verify.limits import limits_for, violations_of
from strut.verify.measure import measure


def judge(
    draft: Draft, *, margin_m: float, use: float = 1.0, more: Sequence[Limit] = ()
) -> tuple[Draft, tuple[Violation, ...]]:
    """Return the measured draft and what it breaks.

    Args:
        draft: From a generator or a file.
        margin_m: Smallest allowed balance margin.
        use: Share of the speed and torque limits that may be used.
        more: Limits beside the robot's own.
    """
    measured = measure(draft)
    limit_set = None if measured.needs is None else measured.needs.limit_set
    own = limits_for(draft.robot, margin_m=margin_m, use=use, limit_set=limit_set)
    return measured, violations_of(measured, (*own, *more))
