"""Standing controller: pose of the base over two planted line feet, by inverse dynamics with locked springs.

Desired accelerations of the centre of mass, the base's height and its attitude, with both feet at rest, determine all
minimal accelerations. The force that the base then needs is distributed among toes and heels; the joint torques follow.
Motors damp about the joint velocities of the task, because feedback of the base alone excites the springs.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dgesv

from strut.arrays import Array
from strut.pilot.controllers.actuated_model import FEET, clip_torque
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.controllers.reference import StandReference
from strut.pilot.controllers.state_estimator import StateEstimator
from strut.robot import BASE
from strut.simulation.attitude import Triple, attitude_error, attitude_matrix, heading, slope
from strut.simulation.contact_forces import ForceDistribution

ROWS = FOOT_ROWS * FEET


class StandingController:
    """Computes the torques of a stand from the state estimate."""

    def __init__(self, estimator: StateEstimator) -> None:
        body = estimator.body
        self._estimator = estimator
        self._body = body
        self._gains = body.table.standing
        count = BASE + body.motor_count
        self._matrix = np.zeros((count, count), order="F")
        self._right = np.zeros((count, 2), order="F")
        self._matrix[ROWS + 2, 2] = 1.0
        for axis in range(3):
            self._matrix[ROWS + 3 + axis, 3 + axis] = 1.0
        self._damping = np.array(body.table.motor_damping)
        gains = self._gains
        self._forces = ForceDistribution(
            2 * FEET,
            friction=gains.friction,
            moment_weight=gains.moment_weight,
            regularisation=gains.regularisation,
            min_force_n=gains.least_force_n,
        )
        self._ends = np.array([foot.ends_m for foot in body.feet])
        self._wrench = np.zeros(ROWS)
        self.com_error_m = (0.0, 0.0)

    def com_state(self) -> tuple[float, float, float, float]:
        """Return the centre of mass forward and left of the middle of the soles, and its velocity in these axes."""
        dynamics = self._estimator.dynamics
        x, y, c, s = self._sole_frame()
        vx, vy = (dynamics.momentum[:2] / dynamics.mass_kg).tolist()
        dx = dynamics.com[0] - x
        dy = dynamics.com[1] - y
        return c * dx + s * dy, c * dy - s * dx, c * vx + s * vy, c * vy - s * vx

    def torque(self, reference: StandReference) -> Array:
        """Return the torques of the motors, within their limits. Shape (n_motors,)."""
        estimator = self._estimator
        matrix = self._matrix
        right = self._right
        dynamics = estimator.dynamics
        gains = self._gains
        matrix[:ROWS] = dynamics.foot_rows
        matrix[ROWS : ROWS + 2] = dynamics.mass[:2] / dynamics.mass_kg
        np.negative(dynamics.foot_drift, out=right[:ROWS, 0])
        self._base_rows(reference)
        _, _, solution, info = dgesv(matrix, right)
        assert info == 0, "the feet and the base's tasks are not independent"
        acceleration = solution[:, 0]
        velocity = solution[:, 1]  # that belongs to the task
        generalised_force = dynamics.mass @ acceleration
        generalised_force += dynamics.bias
        force = self._contact_force(generalised_force[:3], dynamics.base_rotation @ generalised_force[3:BASE])
        torque = generalised_force[BASE:] - force @ dynamics.foot_rows[:, BASE:]
        torque += self._body.friction_nm_s_rad * velocity[BASE:]
        torque -= self._damping * (estimator.velocity[BASE:] - velocity[BASE:])
        for foot, motor in enumerate(self._body.foot_motor):
            toe_up = slope(dynamics.line[foot, 2])
            rate = -estimator.foot_velocity[FOOT_ROWS * foot + 3]
            torque[motor] -= gains.flat_foot[0] * toe_up + gains.flat_foot[1] * rate
        return clip_torque(torque, self._body.torque_limit_nm)

    def _sole_frame(self) -> tuple[float, float, float, float]:
        """Return the middle of the soles, relative to the base, and cosine and sine of the feet's mean heading."""
        dynamics = self._estimator.dynamics
        ahead = self._gains.sole_middle_m
        (lx, ly, _), (rx, ry, _) = dynamics.line.tolist()
        dx = lx + rx
        dy = ly + ry
        length = math.hypot(dx, dy)
        c = dx / length
        s = dy / length
        (px, py, _), (qx, qy, _) = dynamics.pivot.tolist()
        return (px + qx) / 2.0 + ahead * c, (py + qy) / 2.0 + ahead * s, c, s

    def _base_rows(self, reference: StandReference) -> None:
        """Write the desired accelerations and velocities of the centre of mass and the base."""
        estimator = self._estimator
        gains = self._gains
        right = self._right
        dynamics = estimator.dynamics
        row = ROWS
        along, left, v_along, v_left = self.com_state()
        _, _, c, s = self._sole_frame()
        x, y, z = reference.place_m
        vx, vy, vz = reference.place_m_s
        fx, fy, fz = reference.place_m_s2
        self.com_error_m = (x - along, y - left)
        kp, kd = gains.com
        ax = fx + kp * (x - along) + kd * (vx - v_along)
        ay = fy + kp * (y - left) + kd * (vy - v_left)
        drift = dynamics.bias[:2] / dynamics.mass_kg
        right[row] = (c * ax - s * ay - drift[0], c * vx - s * vy)
        right[row + 1] = (s * ax + c * ay - drift[1], s * vx + c * vy)
        kp, kd = gains.height
        right[row + 2] = (fz + kp * (z - estimator.height_m) + kd * (vz - estimator.velocity[2]), vz)
        roll, pitch, yaw = reference.turn_rad
        error = attitude_error(dynamics.base_rotation, attitude_matrix(roll, pitch, yaw + heading(c, s)))
        rates = estimator.velocity[3:BASE].tolist()
        desired_rates = _base_rates(reference, reference.turn_rad_s)
        feedforward = _base_rates(reference, reference.turn_rad_s2)
        for axis in range(3):
            kp, kd = gains.rotation[axis]
            feedback = kp * error[axis] + kd * (desired_rates[axis] - rates[axis])
            right[row + 3 + axis] = (feedforward[axis] + feedback, desired_rates[axis])

    def _contact_force(self, force_n: Array, moment_nm: Array) -> Array:
        """Return the contact forces nearest to what the base needs, five rows per foot. Shape (10,)."""
        dynamics = self._estimator.dynamics
        wrench = self._wrench
        ends = self._ends
        places = (dynamics.pivot[:, None, :] + ends[:, :, None] * dynamics.line[:, None, :]).reshape(-1, 3)
        forces = self._forces.share(places, force_n, moment_nm).reshape(FEET, 2, 3)
        for foot in range(FEET):
            first = FOOT_ROWS * foot
            at = forces[foot]
            wrench[first : first + 3] = at[0] + at[1]
            wrench[first + 3] = -(ends[foot] @ (at @ dynamics.normal[foot]))
            wrench[first + 4] = ends[foot] @ (at @ dynamics.side[foot])
        return wrench


def _base_rates(reference: StandReference, rates: Triple) -> Triple:
    """Return the angular velocity in base axes for rates of roll, pitch and yaw.

    For second derivatives of the angles, it returns the angular acceleration without products of rates.
    """
    roll, pitch, _ = reference.turn_rad
    dr, dp, dy = rates
    cr = math.cos(roll)
    sr = math.sin(roll)
    cp = math.cos(pitch)
    sp = math.sin(pitch)
    return dr - sp * dy, cr * dp + sr * cp * dy, cr * cp * dy - sr * dp
