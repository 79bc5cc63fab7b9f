"""Limit table: the worst value of everything that a limit bounds, when that is, and for how much of the time it breaks.

The verdict names the worst instant of each broken limit; this table has every limit, broken or not, and the values over
time. It describes motions that are judged at every sample, which clips of other programs are.
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
WINDOWS = 100  # at most: rows of the table over time, each the worst value in its window
MIN_WINDOW_S = 0.1


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

    @property
    def use(self) -> float:
        """How far the bound is exceeded, for sorting; 0 if it is kept."""
        if self.max is None or not self.broken_share:
            return 0.0
        return self.worst / self.max if self.max > 0.0 else 1.0 + self.worst - self.max

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
    name: str
    limit_name: str | None
    subjects: Sequence[str]
    value: Array  # (T, n)
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
    windows = np.unique(np.linspace(0, len(time_s), _windows(time_s) + 1).astype(int))[:-1]
    over_time = {"time_s": np.round(time_s[windows], 3).tolist()}
    for one in _quantities(draft, margin_m):
        if one.value.size == 0:
            continue
        sample, column = (int(index) for index in np.unravel_index(int(np.argmax(one.value)), one.value.shape))
        broken = np.zeros(len(time_s), dtype=bool) if one.max is None else (one.value > one.max).any(axis=1)
        rows.append(
            LimitRow(
                one.name,
                one.limit_name,
                one.subjects[column],
                float(one.value[sample, column]),
                one.unit,
                one.max,
                float(time_s[sample]),
                float(np.mean(broken)),
            )
        )
        over_time[one.name] = np.round(np.maximum.reduceat(one.value.max(axis=1), windows), 4).tolist()
    if audit.self_distance is not None:
        distance = audit.self_distance
        least_mm = MM * draft.robot.collision.min_distance_m
        rows.append(
            LimitRow(
                "self-collision",
                LimitName.SELF_COLLISION,
                " and ".join(distance.bodies),
                -MM * distance.smallest_m,
                "mm",
                -least_mm,
                float(time_s[distance.sample]),
                float(distance.near.mean()),
            )
        )
    return LimitTable(tuple(rows), over_time)


def _windows(time_s: Array) -> int:
    return max(1, min(WINDOWS, int(time_s[-1] / MIN_WINDOW_S), len(time_s)))


def _quantities(draft: Draft, margin_m: float) -> Iterator[_Quantity]:
    robot = draft.robot
    audit = draft.measured
    feet = robot.foot_names
    joints = robot.joint_names
    ground_mm = MM * FOOT_OFF_GROUND_M
    above_mm = MM * np.where(audit.contact, np.maximum(audit.foot_height_m, 0.0), 0.0)
    depth_mm = MM * np.maximum(-np.column_stack([audit.foot_height_m, audit.clearance_m]), 0.0)
    if feet:  # a foot that floats slides, too, if it is flagged as standing
        step_s = float(audit.time_s[1] - audit.time_s[0])
        place = foot_positions(robot, audit.qpos)
        slip_m = np.maximum(audit.slip_m, slip_under_load(robot, place, audit.qpos, audit.contact, step_s))
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
