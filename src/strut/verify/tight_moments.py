"""Tight moments: when a motion comes nearest to each of its limits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.draft import Draft
from strut.motion import Motion
from strut.plumbing.number_text import format_percent
from strut.receipt import LimitName
from strut.robot import Robot
from strut.verify.check import draft_of, planned_margin_m
from strut.verify.measure import measure

MM = 1e3


@dataclass(frozen=True, slots=True)
class TightMoment:
    """When a motion comes nearest to one limit.

    Args:
        limit: The limit.
        use: Share of the limit that is used; 1 at the limit.
        sample: Where in the motion that is.
        text: The moment as a sentence: `LF_knee reaches 88 % of its torque limit at 3.20 s.`
    """

    limit: LimitName
    use: float
    sample: int
    text: str


def tight_moments(motion: Motion, robot: Robot) -> tuple[TightMoment, ...]:
    """Return the nearest moment to the limits of torque, speed, balance and distance, the tightest limit first."""
    draft = measure(draft_of(motion, robot))
    return tuple(sorted(_moments(draft, planned_margin_m(motion)), key=lambda moment: -moment.use))


def _moments(draft: Draft, margin_m: float) -> Iterator[TightMoment]:
    robot = draft.robot
    audit = draft.measured
    joints = robot.joint_names
    for limit, uses in (
        (LimitName.TORQUE, np.abs(audit.torque_nm) / robot.torque_limit_nm),
        (LimitName.JOINT_SPEED, np.abs(audit.joint_speed_rad_s) / robot.joint_speed_limit_rad_s),
    ):
        sample, joint = _largest(uses)
        words = (
            f"{joints[joint]} reaches {format_percent(uses[sample, joint])} of its {limit.removeprefix('joint ')} limit"
        )
        yield TightMoment(limit, float(uses[sample, joint]), sample, f"{words} at {audit.time_s[sample]:.2f} s.")
    if margin_m > 0.0 and np.isfinite(audit.margin_m).all():
        sample = int(np.argmin(audit.margin_m))
        smallest_m = float(audit.margin_m[sample])
        words = f"The centre of pressure is {MM * smallest_m:.0f} mm inside the {robot.carriers}"
        use = margin_m / max(smallest_m, 1e-6)
        yield TightMoment(LimitName.BALANCE_MARGIN, use, sample, f"{words} at {audit.time_s[sample]:.2f} s.")
    distance = audit.self_distance
    if distance is not None and np.isfinite(distance.smallest_m) and robot.collision.min_distance_m > 0.0:
        first, second = distance.bodies
        words = f"{first} and {second} are {MM * distance.smallest_m:.0f} mm apart"
        use = robot.collision.min_distance_m / max(distance.smallest_m, 1e-6)
        at_s = audit.time_s[distance.sample]
        yield TightMoment(LimitName.SELF_COLLISION, use, distance.sample, f"{words} at {at_s:.2f} s.")


def _largest(values: Array) -> tuple[int, int]:
    """Return row and column of the largest value."""
    sample, column = np.unravel_index(int(np.argmax(values)), values.shape)
    return int(sample), int(column)
