"""Limit table: the worst value of each bounded quantity, when it occurs, and for how long its limit is broken.

The verdict names the worst instant of each broken limit; this table has every limit, broken or not, and the values over
time. It describes motions that are judged at every sample, as clips of other programs are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.audit import FOOT_OFF_GROUND_M, MAX_SLIP_M, Audit
from strut.draft import Draft
from strut.engines.contact_slip import slip_under_load
from strut.engines.rigid_body import foot_positions
from strut.receipt import LimitName
from strut.verify.limits import MAX_BESIDE_LINE, friction_needed

MM = 1e3
MAX_WINDOWS = 100  # instants of the values over time, each the worst value in its window: enough for a curve
MIN_WINDOW_S = 0.1  # a shorter window shows no more of a step


@dataclass(frozen=True, slots=True)
class LimitRow:
    """The worst value that one limit bounds.

    Args:
        quantity: What is bounded.
        limit_name: The limit of the verdict; None if none bounds it.
        subject: Which foot, joint or part has the worst value.
        worst: That value; larger is worse.
        unit: Its unit; empty for shares and coefficients.
        max: Its bound; None if it has none.
        at_s: When it is worst, since the first sample.
        broken_share: Share of the samples in which the bound is exceeded.
    """

    quantity: str
    limit_name: str | None
    subject: str
    worst: float
    unit: str
    max: float | None
    at_s: float
    broken_share: float

    def as_dict(self) -> dict[str, Any]:
        """Return the row as JSON holds it."""
        return asdict(self)


@dataclass(frozen=True, slots=True, eq=False)
class LimitTable:
    """Rows of all limits, and their values over time.

    Args:
        rows: One for each quantity.
        over_time: By quantity, with `time_s` first: the worst value in each window. Shape (n,) each.
    """

    rows: tuple[LimitRow, ...]
    over_time: dict[str, list[float]]


@dataclass(frozen=True, slots=True, eq=False)
class _Quantity:
    """A bounded quantity of each subject over time; `value` has shape (T, n)."""

    name: str
    limit_name: str | None
    subjects: Sequence[str]
    value: Array
    unit: str
    max: float | None


def limit_table(draft: Draft, *, margin_m: float) -> LimitTable:
    """Return the table of a measured draft; it is empty for motions that are not judged at every sample.

    Args:
        draft: Measured.
        margin_m: Smallest allowed balance margin.
    """
    audit = draft.measured
    if audit.limit_set != "standing":
        return LimitTable((), {})
    time_s = audit.time_s - audit.time_s[0]
    rows = []
    count = max(1, min(MAX_WINDOWS, int(time_s[-1] / MIN_WINDOW_S), len(time_s)))
    starts = np.unique(np.linspace(0, len(time_s), count + 1).astype(int))[:-1]
    over_time = {"time_s": np.round(time_s[starts], 3).tolist()}
    for one in _quantities(draft, margin_m):
        if one.value.size == 0:
            continue
        sample, column = (int(index) for index in np.unravel_index(int(np.argmax(one.value)), one.value.shape))
        broken = np.zeros(len(time_s), dtype=bool) if one.max is None else (one.value > one.max).any(axis=1)
        rows.append(
            LimitRow(
                quantity=one.name,
                limit_name=one.limit_name,
                subject=one.subjects[column],
                worst=float(one.value[sample, column]),
                unit=one.unit,
                max=one.max,
                at_s=float(time_s[sample]),
                broken_share=float(np.mean(broken)),
            )
        )
        over_time[one.name] = np.round(np.maximum.reduceat(one.value.max(axis=1), starts), 4).tolist()
    if audit.self_distance is not None:
        distance = audit.self_distance
        rows.append(
            LimitRow(
                quantity="self-collision",
                limit_name=LimitName.SELF_COLLISION,
                subject=" and ".join(distance.bodies),
                worst=-MM * distance.smallest_m,
                unit="mm",
                max=-MM * draft.robot.collision.min_distance_m,
                at_s=float(time_s[distance.sample]),
                broken_share=float(distance.near.mean()),
            )
        )
    return LimitTable(tuple(rows), over_time)


def _quantities(draft: Draft, margin_m: float) -> Iterator[_Quantity]:
    robot = draft.robot
    audit = draft.measured
    feet = robot.foot_names
    joints = robot.joint_names
    ground_mm = MM * FOOT_OFF_GROUND_M
    above_mm = MM * np.where(audit.contact, np.maximum(audit.foot_height_m, 0.0), 0.0)
    depth_mm = MM * np.maximum(-np.column_stack([audit.foot_height_m, audit.clearance_m]), 0.0)
    if feet:  # a foot that is flagged as standing slides even where it floats, so flags count as loads here
        step_s = float(audit.time_s[1] - audit.time_s[0])
        foot_in_world = foot_positions(robot, audit.qpos)
        slip_m = np.maximum(audit.slip_m, slip_under_load(robot, foot_in_world, audit.qpos, audit.contact, step_s))
        yield _Quantity("slip", LimitName.FOOT_SLIP, feet, MM * slip_m, "mm", MM * MAX_SLIP_M)
    yield _Quantity("floating", LimitName.FOOT_CONTACT, feet, above_mm, "mm", ground_mm)
    yield _Quantity("penetration", LimitName.FOOT_CONTACT, (*feet, *audit.part_names), depth_mm, "mm", ground_mm)
    if feet:
        flies = 1.0 - audit.contact.max(axis=1, keepdims=True).astype(float)
        yield _Quantity("flight", LimitName.BALANCE_MARGIN, ("the body",), flies, "", 0.0)
    yield _Quantity("joint limit", LimitName.JOINT_LIMIT, joints, -audit.joint_limit_margin_rad, "rad", 0.0)
    speed = np.abs(audit.joint_speed_rad_s) / robot.joint_speed_limit_rad_s
    torque = np.abs(audit.torque_nm) / robot.torque_limit_nm
    yield _Quantity("speed", LimitName.JOINT_SPEED, joints, speed, "", 1.0)
    yield _Quantity("torque", LimitName.TORQUE, joints, torque, "", 1.0)
    outside_mm = -MM * audit.margin_m
    is_known = np.isfinite(outside_mm)
    if is_known.any():
        max_mm = MM * MAX_BESIDE_LINE * float(audit.qpos[:, 2].mean()) if audit.on_lines else -MM * margin_m
        outside_mm = np.where(is_known, outside_mm, outside_mm[is_known].min())[:, None]
        yield _Quantity(
            "pressure outside", LimitName.BALANCE_MARGIN, ("the centre of pressure",), outside_mm, "mm", max_mm
        )
    if feet:
        yield _Quantity("friction", LimitName.FRICTION, feet, friction_needed(audit), "", robot.friction)
    yield _Quantity("jerk", None, joints, joint_jerk(audit), "rad/s³", None)


def joint_jerk(audit: Audit) -> Array:
    """Return the size of the third derivative of joint angles [rad/s³]; 0 at the ends. Shape (T, n_joints)."""
    jerk = np.zeros_like(audit.joint_speed_rad_s)
    step_s = float(audit.time_s[1] - audit.time_s[0])
    jerk[1:-1] = np.abs(np.diff(audit.joint_speed_rad_s, n=2, axis=0)) / step_s**2
    return jerk
