"""Gait audit: a gait is measured from its curves alone, by another engine than the one that computed it.

MuJoCo computes feet and zero-moment point; CasADi computed the gait. On a line foot, the zero-moment point must lie on
the line of the sole.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.maths.rotation import qpos_from_angles
from strut.models.coupled_joints import coupled_joints
from strut.pilot.gait_library.gait_library import PeriodicGait
from strut.robot import BASE, Robot
from strut.schemas.gait_library import GaitLibraryTable

SAMPLES = 81  # per step
ENDS = 6  # samples at each end of a step without a zero-moment point: finite differences are one-sided there
MAX_SLIP_M = 0.006  # of the stance sole
MAX_JUMP = 1e-6  # between the end of a step and the start of the next [m and rad]
MAX_OFF_LINE_M = 0.04  # of the zero-moment point from the sole: a sixth of the distance between the feet
MIN_SWING_M = -0.006  # height of the swing sole
CLEARANCE_TOLERANCE_MM = 5.0
HEIGHT_TOLERANCE_MM = 1.0
MIN_JOINT_MARGIN_RAD = -1e-3
MAX_JOINT_SPEED_USE = 1.01


@dataclass(frozen=True, slots=True)
class GaitAudit:
    """Measured quantities of a gait.

    Args:
        jump: Largest difference between the end of a step and the start of the next, in m and rad.
        slip_mm: Largest displacement of the stance sole.
        clearance_mm: Height of the swing sole at mid-step.
        lowest_swing_mm: Smallest height of the swing sole.
        off_line_mm: Largest distance of the zero-moment point from the stance sole.
        height_off_mm: Largest deviation of the base from its height.
        joint_limit_margin_rad: Distance to the nearest joint limit.
        joint_speed_use: Largest joint speed relative to its limit.
    """

    jump: float
    slip_mm: float
    clearance_mm: float
    lowest_swing_mm: float
    off_line_mm: float
    height_off_mm: float
    joint_limit_margin_rad: float
    joint_speed_use: float

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as JSON."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def gait_qpos(robot: Robot, gait: PeriodicGait, stance: int, share: Array) -> Array:
    """Return the configurations of a step, with the stance sole at the origin. Shape (T,) in, (T, nq) out."""
    base, motors = gait.at(stance, share)
    coupled = coupled_joints(robot)
    return np.asarray(qpos_from_angles(np.concatenate([base, coupled.all_rad(motors)], axis=1)))


def audit_gait(robot: Robot, gait: PeriodicGait) -> GaitAudit:
    """Return the audit of a gait."""
    share = np.linspace(0.0, 1.0, SAMPLES)
    jump = _jump(gait)
    left, right = (_audit_step(robot, gait, stance, share, jump) for stance in range(len(robot.feet)))
    return GaitAudit(
        jump=jump,
        slip_mm=max(left.slip_mm, right.slip_mm),
        clearance_mm=min(left.clearance_mm, right.clearance_mm),
        lowest_swing_mm=min(left.lowest_swing_mm, right.lowest_swing_mm),
        off_line_mm=max(left.off_line_mm, right.off_line_mm),
        height_off_mm=max(left.height_off_mm, right.height_off_mm),
        joint_limit_margin_rad=min(left.joint_limit_margin_rad, right.joint_limit_margin_rad),
        joint_speed_use=max(left.joint_speed_use, right.joint_speed_use),
    )


def _audit_step(robot: Robot, gait: PeriodicGait, stance: int, share: Array, jump: float) -> GaitAudit:
    qpos = gait_qpos(robot, gait, stance, share)
    swing = 1 - stance
    dynamics = inverse_dynamics(robot, share * gait.step_s, qpos)
    foot_of_point = np.array(robot.point_feet)
    stance_sole = dynamics.point_in_world[:, foot_of_point == stance]
    swing_sole = dynamics.point_in_world[:, foot_of_point == swing]
    inner = slice(ENDS, -ENDS)
    cop = cop_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
    joints = qpos[:, robot.base_size :]
    _, speed = gait.at(stance, share, 1)
    motors = [robot.joint_names.index(name) for name in robot.tables.control.motors] if robot.tables.control else []
    joint_margin = np.minimum(joints - robot.joint_lower_rad, robot.joint_upper_rad - joints)
    return GaitAudit(
        jump=jump,
        slip_mm=float(np.abs(stance_sole - stance_sole[0]).max()) * 1e3,
        clearance_mm=float(swing_sole[len(share) // 2, :, 2].min()) * 1e3,
        lowest_swing_mm=float(swing_sole[..., 2].min()) * 1e3,
        off_line_mm=float(distance_to_segment(cop[inner], stance_sole[inner, :, :2]).max()) * 1e3,
        height_off_mm=float(np.abs(qpos[:, 2] - gait.parameter[2]).max()) * 1e3,
        joint_limit_margin_rad=float(joint_margin.min()),
        joint_speed_use=float((np.abs(speed) / robot.joint_speed_limit_rad_s[motors]).max()),
    )


def distance_to_segment(point: Array, segment: Array) -> Array:
    """Return the distances of points from line segments. Shapes (T, 2), (T, 2, 2) in, (T,) out."""
    start = segment[:, 0]
    along = segment[:, 1] - segment[:, 0]
    share = np.clip(((point - start) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
    return np.asarray(np.linalg.norm(point - start - share[:, None] * along, axis=1))


def _jump(gait: PeriodicGait) -> float:
    """Return the largest difference between the end of a step and the start of the next, without the advance."""
    jumps = []
    for stance in range(len(gait.base)):
        base, motors = gait.at(stance, 0.0)
        last_base, last_motors = gait.at(1 - stance, 1.0)
        jumps += [np.abs(base[2:BASE] - last_base[2:BASE]).max(), np.abs(motors - last_motors).max()]
    return float(max(jumps))


def gait_violation(audit: GaitAudit, step_s: float, step_range_s: tuple[float, float], table: GaitLibraryTable) -> str:
    """Return the limits that a gait breaks, in a sentence; empty for a feasible gait."""
    tests = (
        (audit.jump > MAX_JUMP, f"its end is {audit.jump:.2g} away from its beginning"),
        (audit.slip_mm > MAX_SLIP_M * 1e3, f"a stance sole moves by {audit.slip_mm:.1f} mm"),
        (
            audit.clearance_mm < table.clearance_m[0] * 1e3 - CLEARANCE_TOLERANCE_MM,
            f"the swing sole is only {audit.clearance_mm:.0f} mm high at mid-step",
        ),
        (audit.lowest_swing_mm < MIN_SWING_M * 1e3, f"the swing sole is {-audit.lowest_swing_mm:.1f} mm in the ground"),
        (
            audit.off_line_mm > MAX_OFF_LINE_M * 1e3,
            f"the zero-moment point is {audit.off_line_mm:.0f} mm off the stance sole",
        ),
        (
            audit.height_off_mm > table.height_band_m * 1e3 + HEIGHT_TOLERANCE_MM,
            f"the base is {audit.height_off_mm:.0f} mm off its height",
        ),
        (
            audit.joint_limit_margin_rad < MIN_JOINT_MARGIN_RAD,
            f"a joint is {-audit.joint_limit_margin_rad:.3f} rad beyond its limit",
        ),
        (
            audit.joint_speed_use > MAX_JOINT_SPEED_USE,
            f"a joint reaches {audit.joint_speed_use:.2f} of its speed limit",
        ),
        (
            not step_range_s[0] - 1e-6 <= step_s <= step_range_s[1] + 1e-6,
            f"a step of {step_s:.3f} s is outside {step_range_s[0]:.3f} to {step_range_s[1]:.3f} s",
        ),
    )
    violations = [text for is_broken, text in tests if is_broken]
    return f"{' and '.join(violations)}." if violations else ""
