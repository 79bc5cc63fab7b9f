"""Planted posture: motor angles that put the base over two flat feet, with springs at rest, by Newton steps."""

from __future__ import annotations

import math

import numpy as np

from strut.control.attitude import angle_between, heading
from strut.control.driven_body import BASE, FEET, DrivenBody
from strut.control.reference import StandReference
from strut.engines.controller_dynamics import FOOT_ROWS, WholeBody
from strut.errors import UnreachablePostureError
from strut.robot import FLOATING, Array

_ITERATIONS, _TOLERANCE, _LONGEST_TURN = 50, 1e-10, 0.3


def planted_motors(
    body: DrivenBody, base: StandReference, foot_m: Array, *, foot_yaw_rad: tuple[float, float] = (0.0, 0.0)
) -> Array:
    """Return the motor angles of a posture; raises UnreachablePostureError where there is none.

    Args:
        body: Whose.
        base: Place (forward, left, up) and turn of the base in world.
        foot_m: Points of the soles under the feet's joints, in world. Shape (2, 3).
        foot_yaw_rad: Headings of the feet, which are level.

    Returns:
        Shape (n_motors,).
    """
    dynamics = body.dynamics()
    qpos = np.array(body.model.qpos0)
    qpos[3:FLOATING] = _quaternion(*base.turn_rad)
    motors = np.array(qpos[body.motor_dof + 1])
    away = np.asarray(foot_m) - np.array(base.place_m)
    for _ in range(_ITERATIONS):
        qpos[FLOATING:] = body.at_rest(motors)
        dynamics.place(qpos)
        error = _errors(dynamics, away, foot_yaw_rad)
        if np.abs(error).max() < _TOLERANCE:
            _check_range(body, motors)
            return motors
        step = np.linalg.lstsq(dynamics.foot_rows[:, BASE:], error, rcond=1e-9)[0]
        motors += step * min(1.0, _LONGEST_TURN / np.abs(step).max())
    worst = float(np.abs(error).max()) * 1e3
    raise UnreachablePostureError(0, "reach", f"The feet stay {worst:.1f} mm or mrad away from where they shall be.")


def _errors(dynamics: WholeBody, away: Array, foot_yaw_rad: tuple[float, float]) -> Array:
    """Return what is missing, in the five rows of each foot. Shape (10,)."""
    error = np.zeros(FOOT_ROWS * FEET)
    for foot in range(FEET):
        first, (x, y, z) = FOOT_ROWS * foot, dynamics.line[foot].tolist()
        error[first : first + 3] = away[foot] - dynamics.pivot[foot]
        error[first + 3] = math.asin(z)
        error[first + 4] = angle_between(heading(x, y), foot_yaw_rad[foot])
    return error


def _check_range(body: DrivenBody, motors: Array) -> None:
    model = body.model
    for name, angle in zip(body.table.motors, motors, strict=True):
        lowest, highest = model.joint(name).range
        if not lowest - 1e-9 <= angle <= highest + 1e-9:
            raise UnreachablePostureError(
                0, "range", f"{name} would be {angle:.3f} rad; it turns from {lowest:.3f} to {highest:.3f} rad."
            )


def _quaternion(roll: float, pitch: float, yaw: float) -> Array:
    """Return the quaternion wxyz of Rz(yaw) Ry(pitch) Rx(roll). Shape (4,)."""
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a / 2.0), math.sin(a / 2.0)) for a in (roll, pitch, yaw))
    return np.array(
        [
            cr * cp * cy + sr * sp * sy,
            sr * cp * cy - cr * sp * sy,
            cr * sp * cy + sr * cp * sy,
            cr * cp * sy - sr * sp * cy,
        ]
    )
