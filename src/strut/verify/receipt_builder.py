"""Tally: the receipt of an audited motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.emotion import Emotion
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.receipt import Receipt, Verdict
from strut.robot import Robot
from strut.verify.audit import Audit

STANDS_STILL_M = 1e-3  # a walk shorter than this has no cost of transport


def cost_of_transport(robot: Robot, measured: Audit) -> float | None:
    """Return the mechanical work of all joints, braking not returned, over weight and distance; None on the spot.

    None on wheels, too: nobody knows what the platform's motors take.
    """
    if measured.distance_m < STANDS_STILL_M or not robot.feet:
        return None
    power_w = np.abs(measured.torque_nm * measured.joint_speed_rad_s).sum(axis=1)
    work_j = float(np.trapezoid(power_w, measured.time_s))
    return work_j / (robot.mass_kg * GRAVITY_M_S2 * measured.distance_m)


def receipt_for(
    robot: Robot,
    measured: Audit,
    *,
    emotion: Emotion | None,
    asked: float | None,
    kept: float | None,
    verdict: Verdict,
    reasons: Sequence[str],
) -> Receipt:
    """Return the receipt of a motion."""
    duration_s = float(measured.time_s[-1] - measured.time_s[0])
    return Receipt(
        robot=robot.name,
        emotion=emotion.name if emotion else None,
        pad=emotion.pad if emotion else None,
        intensity_asked=asked,
        intensity_kept=kept,
        verdict=verdict,
        reasons=tuple(reasons),
        duration_s=duration_s,
        distance_m=measured.distance_m if robot.base_size else None,
        speed_m_s=measured.distance_m / duration_s if robot.base_size else None,
        balance_margin_mm=float(measured.margin_m.min()) * 1e3 if np.isfinite(measured.margin_m).all() else None,
        joint_limit_margin_rad=float(measured.joint_room_rad.min()),
        joint_speed_use=float(np.max(np.abs(measured.joint_speed_rad_s) / robot.joint_speed_limit_rad_s)),
        torque_use=float(np.max(np.abs(measured.torque_nm) / robot.torque_limit_nm)),
        foot_slip_mm=float(measured.slip_m.max()) * 1e3 if robot.feet else None,
        penetration_mm=measured.penetration_m * 1e3,
        task_error_mm=None,
        cost_of_transport=cost_of_transport(robot, measured),
        solve_s=None,
    )
