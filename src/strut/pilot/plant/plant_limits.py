"""Plant limits: what a recorded run of a torque-driven plant must keep.

It may balance by moving, so no margin of the centre of pressure is asked for. Instead, its forces, torques and
movement must explain each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.audit import MIN_JOINT_LIMIT_MARGIN_RAD, Audit
from strut.draft import Limit
from strut.pilot.plant.torque_model import contact_load_n
from strut.receipt import LimitName
from strut.robot import Robot
from strut.verify.limits import OwnColumns, UpperBound, friction_needed, joint_limits, off_ground_mm

LIMIT_SET = "plant"  # of the audit, and the name of its part
MAX_SLIP_M = 0.03  # in a stance of a body on springs, whose feet are set down while they move
MAX_OFF_LANDING_M = 0.02  # of a line foot that is being set down: one end touches first
MAX_TILT_RAD = math.radians(40.0)
MAX_FORCE_ERROR = 0.025  # of the weight
MAX_COP_ERROR_M = 0.008
MAX_TORQUE_ERROR = 0.07  # of the torques
FRICTION_ROUNDING = 1.001  # forces in a file are on the edge of the friction cone up to rounding


@dataclass(frozen=True, slots=True)
class PlantAudit:
    """How well the columns of a recorded run explain each other; each value is 0 in a perfect record.

    Args:
        force_off: Difference between forces and the movement of the mass, over the weight, root mean square.
        cop_off_m: Distance between where the feet push and where the movement needs it, across the feet, root mean
            square.
        torque_off: Difference between torques, springs and forces and the movement of the joints, over the torques,
            root mean square.
        tilt_rad: Largest tilt of the base.
    """

    force_off: float
    cop_off_m: float
    torque_off: float
    tilt_rad: float

    def receipt_figures(self) -> Mapping[str, Any]:
        """Return nothing: the receipt reports only the limits that are broken."""
        return {}


def plant_limits(robot: Robot, margin_m: float) -> tuple[Limit, ...]:  # noqa: ARG001 -- it balances by moving
    """Return the limits of a recorded run of a torque-driven plant."""
    feet = robot.foot_names
    loaded_n = contact_load_n(robot)
    _, joint_speed, torque = joint_limits(robot, "", 0.0)

    def loaded_friction(audit: Audit) -> Array:
        return np.where(audit.ground_force_n[..., 2] > loaded_n, friction_needed(audit), 0.0)

    return (
        UpperBound(
            LimitName.FOOT_CONTACT,
            feet,
            off_ground_mm,
            1e3 * MAX_OFF_LANDING_M,
            "is {:.1f} mm from the ground it stands on",
        ),
        UpperBound(
            LimitName.FOOT_SLIP,
            feet,
            lambda audit: 1e3 * audit.slip_m,
            1e3 * MAX_SLIP_M,
            "slides {:.1f} mm in a stance",
        ),
        UpperBound(
            LimitName.JOINT_LIMIT,
            robot.joint_names,
            lambda audit: -audit.joint_limit_margin_rad,
            -MIN_JOINT_LIMIT_MARGIN_RAD,
            "is {:.3f} rad beyond its range",
        ),
        UpperBound(
            LimitName.GROUND_CLEARANCE, None, lambda audit: -1e3 * audit.clearance_m, 0.0, "is {:.1f} mm in the ground"
        ),
        joint_speed,
        torque,
        UpperBound(
            LimitName.FRICTION,
            feet,
            loaded_friction,
            robot.friction * FRICTION_ROUNDING,
            "needs a friction of {:.2f}",
        ),
        UpperBound(
            LimitName.FALL,
            ("the base",),
            lambda audit: np.array([[_part(audit).tilt_rad]]),
            MAX_TILT_RAD,
            "tilts by {:.2f} rad",
        ),
        OwnColumns(
            lambda audit: _part(audit).force_off,
            "recorded ground forces are {:.1%} of the weight off what moves the body",
            max=MAX_FORCE_ERROR,
        ),
        OwnColumns(
            lambda audit: 1e3 * _part(audit).cop_off_m,
            "the feet push {:.0f} mm beside where the movement needs it",
            max=1e3 * MAX_COP_ERROR_M,
        ),
        OwnColumns(
            lambda audit: _part(audit).torque_off,
            "recorded torques, springs and forces are {:.1%} off what turns the joints",
            max=MAX_TORQUE_ERROR,
        ),
    )


def _part(audit: Audit) -> PlantAudit:
    part = audit.parts[LIMIT_SET]
    assert isinstance(part, PlantAudit)
    return part
