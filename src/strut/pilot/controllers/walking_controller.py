"""Walking controller: foot placement by the linear inverted pendulum, inverse dynamics with locked springs.

The stance foot rests, the base keeps its height and attitude, and the swing foot follows its trajectory. These tasks
leave two minimal accelerations free. They and the force on the stance foot follow from the base's dynamics with a
passive ankle.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dgesv

from strut.arrays import Array
from strut.pilot.controllers.actuated_model import FEET, clip_torque
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.controllers.foot_placement import (
    MIN_COM_HEIGHT_M,
    momentum_speed,
    pendulum_rate,
    periodic_speed,
    step_place,
    sway_speed,
)
from strut.pilot.controllers.reference import WalkReference
from strut.pilot.controllers.state_estimator import StateEstimator
from strut.pilot.controllers.swing_foot import cubic, swing_height
from strut.robot import BASE
from strut.simulation.attitude import angle_between, attitude_error, attitude_matrix, heading, slope

TASKS = 2 * FOOT_ROWS + 4  # rows of stance foot, height and attitude of the base, and swing foot
STEADY_M_S = 0.02  # a command that changes less over two steps is steady: its speed error corrects the next step
FREE = 2  # accelerations without a task: of the base, horizontally


class WalkingController:
    """Computes the torques of a walk, step by step.

    Attributes:
        stance: The stance foot, 0 left or 1 right.
        step_time_s: Time since the present step began.
        step_s: Duration of a step.
        steps: Number of completed steps.
        mean_speed_m_s: Mean speed forward and left over the last two steps.
        heading_rad: Direction of the walk.
    """

    def __init__(self, estimator: StateEstimator, tick_s: float) -> None:
        body = estimator.body
        self._estimator = estimator
        self._body = body
        self._tick_s = tick_s
        self._gains = body.table.walking
        count = BASE + body.motor_count
        self._matrix = np.zeros((count, count), order="F")
        self._right = np.zeros((count, 2 + FREE), order="F")
        self._matrix[TASKS, 0] = self._matrix[TASKS + 1, 1] = 1.0
        self._matrix[FOOT_ROWS, 2] = 1.0
        for axis in range(3):
            self._matrix[FOOT_ROWS + 1 + axis, 3 + axis] = 1.0
        self._right[TASKS, 2] = self._right[TASKS + 1, 3] = 1.0
        self._balance_matrix = np.zeros((BASE + 1, BASE + 1), order="F")
        self._balance_right = np.zeros((BASE + 1, 1), order="F")
        self._damping = self._leg_damping()
        self.step_s = self._gains.step_s
        self.stance = 0
        self.step_time_s = 0.0
        self.steps = 0
        self.heading_rad = 0.0
        self.mean_speed_m_s = (0.0, 0.0)
        self.target_m = (0.0, 0.0)

    def _leg_damping(self) -> list[Array]:
        """Return the damping of all motors for each stance foot: less in the swing leg, none in the stance ankle."""
        body = self._body
        dampings = []
        half = body.motor_count // FEET
        for stance in range(FEET):
            damping = np.array(body.table.motor_damping)
            swing = 1 - stance
            damping[swing * half : (swing + 1) * half] *= self._gains.swing_damping
            damping[body.foot_motor[stance]] = 0.0
            dampings.append(damping)
        return dampings

    def start(self, stance: int) -> None:
        """Begin a walk on a loaded stance foot, in the heading of the feet."""
        line = self._estimator.dynamics.line
        total = line[0] + line[1]
        self.heading_rad = heading(float(total[0]), float(total[1]))
        self.steps = 0
        self._correction = [0.0, 0.0]
        self._ends: list[tuple[Array, tuple[float, float]]] = []  # position and command at the ends of the last steps
        self._begin(stance)

    def torque(self, reference: WalkReference) -> Array:
        """Return the motor torques, within their limits, and advance the clock of the step. Shape (n_motors,)."""
        if self.step_time_s >= self.step_s:
            self._end_step(reference)
        self.step_time_s += self._tick_s
        self.heading_rad += reference.turn_rad_s * self._tick_s
        estimator = self._estimator
        dynamics = self._estimator.dynamics
        matrix = self._matrix
        right = self._right
        stance_row = FOOT_ROWS * self.stance
        matrix[:FOOT_ROWS] = dynamics.foot_rows[stance_row : stance_row + FOOT_ROWS]
        right[:FOOT_ROWS, 0] = -dynamics.foot_drift[stance_row : stance_row + FOOT_ROWS]
        self._base_rows(reference)
        self._swing_rows(reference)
        right[TASKS : TASKS + 2, 1] = estimator.velocity[:2]
        _, _, solution, info = dgesv(matrix, right)
        assert info == 0, "the tasks of the walk are not independent"
        generalised_force, contact_force = self._balance(solution)
        torque = generalised_force[BASE:] - contact_force @ matrix[:FOOT_ROWS, BASE:]
        torque += self._body.friction_nm_s_rad * solution[BASE:, 1]
        torque -= self._damping[self.stance] * (estimator.velocity[BASE:] - solution[BASE:, 1])
        kp, kd = self._gains.flat_foot
        toe_up = slope(dynamics.line[self.stance, 2])
        rate = -estimator.foot_velocity[stance_row + 3]
        torque[self._body.foot_motor[self.stance]] -= kp * toe_up + kd * rate
        return clip_torque(torque, self._body.torque_limit_nm)

    def _balance(self, solution: Array) -> tuple[Array, Array]:
        """Return the generalised forces without contact (n,) and the contact force of the stance foot (5,).

        The two free accelerations make the forces on the base and on the passive ankle vanish.
        """
        dynamics = self._estimator.dynamics
        matrix = self._balance_matrix
        ankle = BASE + self._body.foot_motor[self.stance]
        forces = dynamics.mass @ solution[:, [0, 2, 3]]  # of the tasks, and per free acceleration
        forces[:, 0] += dynamics.bias
        contact = self._matrix[:FOOT_ROWS]
        matrix[:BASE, :FREE] = forces[:BASE, 1:]
        matrix[BASE, :FREE] = forces[ankle, 1:]
        matrix[:BASE, FREE:] = -contact[:, :BASE].T
        matrix[BASE, FREE:] = -contact[:, ankle]
        self._balance_right[:BASE, 0] = -forces[:BASE, 0]
        self._balance_right[BASE, 0] = -forces[ankle, 0]
        _, _, balance, info = dgesv(matrix, self._balance_right)
        assert info == 0, "the stance foot cannot balance the base"
        return forces[:, 0] + forces[:, 1:] @ balance[:FREE, 0], balance[FREE:, 0]

    def _base_rows(self, reference: WalkReference) -> None:
        estimator = self._estimator
        gains = self._gains
        right = self._right
        row = FOOT_ROWS
        kp, kd = gains.height
        speed = reference.height_m_s
        right[row, :2] = (
            kp * (reference.height_m - estimator.height_m) + kd * (speed - estimator.velocity[2]),
            speed,
        )
        error = attitude_error(
            estimator.dynamics.base_rotation, attitude_matrix(0.0, reference.pitch_rad, self.heading_rad)
        )
        wanted = (0.0, 0.0, reference.turn_rad_s)
        for axis, (off, rate) in enumerate(zip(error, estimator.velocity[3:BASE].tolist(), strict=True)):
            kp, kd = gains.rotation[axis]
            right[row + 1 + axis, :2] = (kp * off + kd * (wanted[axis] - rate), wanted[axis])

    def _swing_rows(self, reference: WalkReference) -> None:
        """Write the five rows by which the swing foot follows its trajectory."""
        estimator = self._estimator
        gains = self._gains.swing
        dynamics = self._estimator.dynamics
        swing = 1 - self.stance
        time_s = self.step_time_s
        step_s = self.step_s
        first = FOOT_ROWS * swing
        row = FOOT_ROWS + 4
        self.target_m = self._foot_target(reference)
        share, rate, bend = cubic(0.0, 0.0, 1.0, 0.0, gains.done_share * step_s, time_s)
        clearance_m = reference.lift * gains.clearance_m
        height = swing_height(
            self._lift_off_m[2], clearance_m, -gains.landing_depth_m, -gains.landing_speed_m_s, step_s, time_s
        )
        position = (dynamics.pivot[swing] - dynamics.pivot[self.stance]).tolist()
        velocity = estimator.foot_velocity[first : first + FOOT_ROWS].tolist()
        kp, kd = gains.place
        for axis in range(3):
            if axis < 2:
                span = self.target_m[axis] - self._lift_off_m[axis]
                place = self._lift_off_m[axis] + share * span
                speed = rate * span
                acceleration = bend * span
            else:
                place, speed, acceleration = height
            feedback = kp * (place - position[axis]) + kd * (speed - velocity[axis])
            self._right[row + axis, :2] = (acceleration + feedback, speed)
        lx, ly, lz = dynamics.line[swing].tolist()
        kp, kd = gains.pitch
        self._right[row + 3, :2] = (kp * slope(lz) - kd * velocity[3], 0.0)
        kp, kd = gains.yaw
        turn = angle_between(heading(lx, ly), self.heading_rad)
        self._right[row + 4, :2] = (
            kp * turn + kd * (reference.turn_rad_s - velocity[4]),
            reference.turn_rad_s,
        )
        self._matrix[row:TASKS] = dynamics.foot_rows[first : first + FOOT_ROWS]
        self._right[row:TASKS, 0] -= dynamics.foot_drift[first : first + FOOT_ROWS]

    def _foot_target(self, reference: WalkReference) -> tuple[float, float]:
        """Return the foothold of the swing foot, relative to the stance foot, in world axes [m]."""
        gains = self._gains
        dynamics = self._estimator.dynamics
        step_s = self.step_s
        pivot = dynamics.pivot[self.stance]
        com = (dynamics.com - pivot).tolist()
        height_m = max(com[2], MIN_COM_HEIGHT_M)
        rate = pendulum_rate(height_m)
        ux, uy = momentum_speed(dynamics.momentum, pivot, dynamics.mass_kg, height_m)
        c = math.cos(self.heading_rad)
        s = math.sin(self.heading_rad)
        forward = c * com[0] + s * com[1]
        left = c * com[1] - s * com[0]
        forward_speed = c * ux + s * uy
        left_speed = c * uy - s * ux
        side = 1.0 if self.stance == 1 else -1.0  # the swing foot is to the left of a right stance foot
        desired_forward = periodic_speed(reference.forward_m_s + self._correction[0], rate, step_s)
        desired_left = periodic_speed(reference.left_m_s + self._correction[1], rate, step_s)
        desired_left -= side * sway_speed(gains.width_m, rate, step_s)
        left_s = max(step_s - self.step_time_s, 0.0)
        x = step_place(forward, forward_speed, desired_forward, rate, left_s=left_s, step_s=step_s)
        y = step_place(left, left_speed, desired_left, rate, left_s=left_s, step_s=step_s)
        min_width, max_width = gains.width_range_m
        y = side * min(max(side * y, min_width), max_width)
        return c * x - s * y, s * x + c * y

    def _begin(self, stance: int) -> None:
        self.stance = stance
        self.step_time_s = 0.0
        pivot = self._estimator.dynamics.pivot
        self._lift_off_m = (pivot[1 - stance] - pivot[stance]).tolist()

    def _end_step(self, reference: WalkReference) -> None:
        """Switch the stance foot; while the command is steady, correct it by the error of the mean speed."""
        self.steps += 1
        command = (reference.forward_m_s, reference.left_m_s)
        self._ends = [*self._ends[-2:], (self._estimator.travelled_m.copy(), command)]
        if len(self._ends) == 3:
            place, earlier_command = self._ends[0]
            gains = self._gains
            dx, dy = ((self._ends[2][0] - place) / (2.0 * self.step_s)).tolist()
            c = math.cos(self.heading_rad)
            s = math.sin(self.heading_rad)
            self.mean_speed_m_s = (c * dx + s * dy, c * dy - s * dx)
            for axis, (speed, earlier_speed) in enumerate(zip(command, earlier_command, strict=True)):
                max_correction = gains.largest_correction_m_s + gains.largest_correction_share * abs(speed)
                correction = self._correction[axis]
                last = abs(self._ends[1][1][axis])
                if abs(speed - earlier_speed) < STEADY_M_S:
                    correction += gains.speed_correction * (speed - self.mean_speed_m_s[axis])
                elif abs(speed) < last:
                    correction *= abs(speed) / last
                self._correction[axis] = min(max(correction, -max_correction), max_correction)
        self._begin(1 - self.stance)
