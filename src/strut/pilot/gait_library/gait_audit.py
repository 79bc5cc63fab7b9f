"""Gait audit: what a coded gait is, measured from its curves alone by another engine than the one that found it.

MuJoCo places the feet and says where the zero-moment point is; the gait came from CasADi. A biped on line feet can
push the ground along the line of its sole and nowhere else.
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

SAMPLES = 81  # in a step
ENDS = 6  # samples at both ends of a step that are not differentiated
LARGEST_SLIP_M = 0.006  # of a standing sole, along the coded curves
LARGEST_JUMP = 1e-6  # between the end of the last step and the first, in m and rad
LARGEST_OFF_LINE_M = 0.04  # of the zero-moment point from the sole: a sixth of the distance between the feet
LOWEST_SWING_M = -0.006


@dataclass(frozen=True, slots=True)
class GaitAudit:
    """What was measured of a coded gait.

    Args:
        jump: Largest difference between its end and its beginning, in m and rad.
        slip_mm: Largest way of a standing sole, and of its height.
        clearance_mm: Of the swinging sole at mid-step.
        lowest_swing_mm: Of the swinging sole at any time.
        off_line_mm: Largest distance of the zero-moment point from the standing sole.
        height_off_mm: Largest distance of the base from its height.
        joint_room_rad: To the nearest limit of a joint.
        joint_speed_use: Largest share of a joint's speed limit.
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
        """Return it as JSON would hold it."""
        return {name: round(value, 6) for name, value in asdict(self).items()}


def gait_qpos(robot: Robot, gait: PeriodicGait, stance: int, share: Array) -> Array:
    """Return the configurations of a step, the sole of the standing foot at the origin. Shape (T,) in, (T, nq) out."""
    base, motors = gait.at(stance, share)
    coupled = coupled_joints(robot)
    return np.asarray(qpos_from_angles(np.concatenate([base, coupled.all_rad(motors)], axis=1)))


def gait_audit(robot: Robot, gait: PeriodicGait) -> GaitAudit:
    """Return what a gait is."""
    share = np.linspace(0.0, 1.0, SAMPLES)
    steps = [_step(robot, gait, stance, share) for stance in range(len(robot.feet))]
    worst = {name: max(step[name] for step in steps) for name in ("slip_mm", "off_line_mm", "height_off_mm", "use")}
    least = {name: min(step[name] for step in steps) for name in ("clearance_mm", "lowest_swing_mm", "room")}
    return GaitAudit(
        jump=_jump(gait),
        slip_mm=worst["slip_mm"],
        clearance_mm=least["clearance_mm"],
        lowest_swing_mm=least["lowest_swing_mm"],
        off_line_mm=worst["off_line_mm"],
        height_off_mm=worst["height_off_mm"],
        joint_limit_margin_rad=least["room"],
        joint_speed_use=worst["use"],
    )


def _step(robot: Robot, gait: PeriodicGait, stance: int, share: Array) -> dict[str, float]:
    qpos = gait_qpos(robot, gait, stance, share)
    swing = 1 - stance
    dynamics = inverse_dynamics(robot, share * gait.step_s, qpos)
    owner = np.array(robot.point_feet)
    soles = [dynamics.point_in_world[:, owner == foot] for foot in (stance, swing)]
    inner = slice(ENDS, -ENDS)
    cop = cop_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
    joints = qpos[:, robot.base_size :]
    _, speed = gait.at(stance, share, 1)
    motors = [robot.joint_names.index(name) for name in robot.tables.control.motors] if robot.tables.control else []
    return {
        "slip_mm": float(np.abs(soles[0] - soles[0][0]).max()) * 1e3,
        "clearance_mm": float(soles[1][len(share) // 2, :, 2].min()) * 1e3,
        "lowest_swing_mm": float(soles[1][..., 2].min()) * 1e3,
        "off_line_mm": float(_off_line(cop[inner], soles[0][inner, :, :2]).max()) * 1e3,
        "height_off_mm": float(np.abs(qpos[:, 2] - gait.parameter[2]).max()) * 1e3,
        "room": float(np.minimum(joints - robot.joint_lower_rad, robot.joint_upper_rad - joints).min()),
        "use": float((np.abs(speed) / robot.joint_speed_limit_rad_s[motors]).max()),
    }


def _off_line(point: Array, line: Array) -> Array:
    """Return the distances of points from line segments. Shapes (T, 2), (T, 2, 2) in, (T,) out."""
    start = line[:, 0]
    along = line[:, 1] - line[:, 0]
    share = np.clip(((point - start) * along).sum(axis=1) / (along**2).sum(axis=1), 0.0, 1.0)
    return np.asarray(np.linalg.norm(point - start - share[:, None] * along, axis=1))


def _jump(gait: PeriodicGait) -> float:
    """Return how far each step begins from where the other one ends; forward and left the walk goes on."""
    jumps = []
    for stance in range(len(gait.base)):
        base, motors = gait.at(stance, 0.0)
        end, ended = gait.at(1 - stance, 1.0)
        jumps += [np.abs(base[2:BASE] - end[2:BASE]).max(), np.abs(motors - ended).max()]
    return float(max(jumps))


def gait_shortfall(found: GaitAudit, step_s: float, step_range_s: tuple[float, float], table: GaitLibraryTable) -> str:
    """Return what a gait breaks, in a sentence; empty if it keeps everything."""
    tests = (
        (found.jump > LARGEST_JUMP, f"its end is {found.jump:.2g} away from its beginning"),
        (found.slip_mm > LARGEST_SLIP_M * 1e3, f"a standing sole moves by {found.slip_mm:.1f} mm"),
        (
            found.clearance_mm < table.clearance_m[0] * 1e3 - 5.0,
            f"the swinging sole is only {found.clearance_mm:.0f} mm high at mid-step",
        ),
        (found.lowest_swing_mm < LOWEST_SWING_M * 1e3, f"the swinging sole is {-found.lowest_swing_mm:.1f} mm low"),
        (
            found.off_line_mm > LARGEST_OFF_LINE_M * 1e3,
            f"the zero-moment point is {found.off_line_mm:.0f} mm off the standing sole",
        ),
        (
            found.height_off_mm > table.height_band_m * 1e3 + 1.0,
            f"the base is {found.height_off_mm:.0f} mm off its height",
        ),
        (found.joint_limit_margin_rad < -1e-3, f"a joint is {-found.joint_limit_margin_rad:.3f} rad beyond its limit"),
        (found.joint_speed_use > 1.01, f"a joint needs {found.joint_speed_use:.2f} of its speed"),
        (
            not step_range_s[0] - 1e-6 <= step_s <= step_range_s[1] + 1e-6,
            f"a step of {step_s:.3f} s is not from {step_range_s[0]:.3f} to {step_range_s[1]:.3f} s",
        ),
    )
    broken = [words for wrong, words in tests if wrong]
    return f"{' and '.join(broken)}." if broken else ""
