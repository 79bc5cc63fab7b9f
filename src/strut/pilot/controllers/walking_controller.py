"""Walking controller: foot placement by the linear inverted pendulum, inverse dynamics with springs locked.

The standing foot is at rest, the base keeps its height and attitude, the swing foot follows its path: all but two
minimal accelerations are given. The other two, and the forces of the standing foot, follow from the base's dynamics
with a free ankle.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.linalg.lapack import dgesv

from strut.arrays import Array
from strut.pilot.controllers.actuated_model import FEET, limited
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.controllers.foot_placement import (
    LOWEST_COM_M,
    momentum_speed,
    pendulum_rate,
    periodic_speed,
    step_place,
    sway_speed,
)
from strut.pilot.controllers.reference import WalkReference
from strut.pilot.controllers.state_estimator import Observer
from strut.pilot.controllers.swing_foot import cubic, swing_height
from strut.robot import BASE
from strut.simulation.attitude import angle_between, attitude_error, attitude_matrix, heading, slope

TASKS = 2 * FOOT_ROWS + 4  # standing foot, height and attitude of the base, swing foot
STEADY_M_S = 0.02  # change of the command over two steps in which a correction may be learnt
FREE = 2  # accelerations that no task gives: of the base, horizontally


class WalkingController:
    """Torques of a walk, step by step.

    Attributes:
        stance: The foot that carries, 0 left or 1 right.
        step_time_s: Since it took over.
        step_s: How long a step lasts.
        steps: How many steps have ended.
        mean_speed_m_s: Forward and left over the last two steps.
        heading_rad: Where the walk goes.
    """

    def __init__(self, observer: Observer, tick_s: float) -> None:
        body = observer.body
        self._observer = observer
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
        self._small, self._small_right = np.zeros((BASE + 1, BASE + 1), order="F"), np.zeros((BASE + 1, 1), order="F")
        self._damping = self._damping_of_legs()
        self.step_s = self._gains.step_s
        self.stance = 0
        self.step_time_s = 0.0
        self.steps = 0
        self.heading_rad = 0.0
        self.mean_speed_m_s = (0.0, 0.0)
        self.target_m = (0.0, 0.0)

    def _damping_of_legs(self) -> list[Array]:
        """Return the damping of all motors for each standing foot: less in the swing leg, none in the standing foot."""
        body = self._body
        found = []
        half = body.motor_count // FEET
        for stance in range(FEET):
            damping = np.array(body.table.motor_damping)
            swing = 1 - stance
            damping[swing * half : (swing + 1) * half] *= self._gains.swing_damping
            damping[body.foot_motor[stance]] = 0.0
            found.append(damping)
        return found

    def start(self, stance: int) -> None:
        """Begin to walk with a foot that carries already, in the heading of the feet."""
        line = self._observer.dynamics.line
        total = line[0] + line[1]
        self.heading_rad = heading(float(total[0]), float(total[1]))
        self.steps = 0
        self._correction = [0.0, 0.0]
        self._ends: list[tuple[Array, tuple[float, float]]] = []  # path and command at the ends of the last steps
        self._begin(stance)

    def torque(self, reference: WalkReference) -> Array:
        """Return the torques of the motors, within their limits, and advance the step's clock. Shape (n_motors,)."""
        if self.step_time_s >= self.step_s:
            self._end_step(reference)
        self.step_time_s += self._tick_s
        self.heading_rad += reference.turn_rad_s * self._tick_s
        observer = self._observer
        dynamics = self._observer.dynamics
        matrix = self._matrix
        right = self._right
        standing = FOOT_ROWS * self.stance
        matrix[:FOOT_ROWS] = dynamics.foot_rows[standing : standing + FOOT_ROWS]
        right[:FOOT_ROWS, 0] = -dynamics.foot_drift[standing : standing + FOOT_ROWS]
        self._base_rows(reference)
        self._swing_rows(reference)
        right[TASKS : TASKS + 2, 1] = observer.velocity[:2]
        _, _, solved, singular = dgesv(matrix, right)
        assert singular == 0, "the tasks of the walk are not independent"
        needed, force = self._balance(solved)
        torque = needed[BASE:] - force @ matrix[:FOOT_ROWS, BASE:]
        torque += self._body.friction_nm_s_rad * solved[BASE:, 1]
        torque -= self._damping[self.stance] * (observer.velocity[BASE:] - solved[BASE:, 1])
        kp, kd = self._gains.flat_foot
        toe_up = slope(dynamics.line[self.stance, 2])
        rate = -observer.foot_velocity[standing + 3]
        torque[self._body.foot_motor[self.stance]] -= kp * toe_up + kd * rate
        return limited(torque, self._body.torque_limit_nm)

    def _balance(self, solved: Array) -> tuple[Array, Array]:
        """Return generalised forces without contact (n,), and the five rows of force of the standing foot."""
        dynamics = self._observer.dynamics
        small = self._small
        ankle = BASE + self._body.foot_motor[self.stance]
        moved = dynamics.mass @ solved[:, [0, 2, 3]]
        moved[:, 0] += dynamics.bias
        contact = self._matrix[:FOOT_ROWS]
        small[:BASE, :FREE] = moved[:BASE, 1:]
        small[BASE, :FREE] = moved[ankle, 1:]
        small[:BASE, FREE:] = -contact[:, :BASE].T
        small[BASE, FREE:] = -contact[:, ankle]
        self._small_right[:BASE, 0] = -moved[:BASE, 0]
        self._small_right[BASE, 0] = -moved[ankle, 0]
        _, _, found, singular = dgesv(small, self._small_right)
        assert singular == 0, "the standing foot cannot hold the base"
        return moved[:, 0] + moved[:, 1:] @ found[:FREE, 0], found[FREE:, 0]

    def _base_rows(self, reference: WalkReference) -> None:
        observer = self._observer
        gains = self._gains
        right = self._right
        row = FOOT_ROWS
        kp, kd = gains.height
        speed = reference.height_m_s
        right[row, :2] = (
            kp * (reference.height_m - observer.height_m) + kd * (speed - observer.velocity[2]),
            speed,
        )
        error = attitude_error(
            observer.dynamics.base_rotation, attitude_matrix(0.0, reference.pitch_rad, self.heading_rad)
        )
        wanted = (0.0, 0.0, reference.turn_rad_s)
        for axis, (off, rate) in enumerate(zip(error, observer.velocity[3:BASE].tolist(), strict=True)):
            kp, kd = gains.rotation[axis]
            right[row + 1 + axis, :2] = (kp * off + kd * (wanted[axis] - rate), wanted[axis])

    def _swing_rows(self, reference: WalkReference) -> None:
        """Let the swing foot follow its path: five rows of the foot."""
        observer = self._observer
        gains = self._gains.swing
        dynamics = self._observer.dynamics
        swing = 1 - self.stance
        time_s = self.step_time_s
        step_s = self.step_s
        first = FOOT_ROWS * swing
        row = FOOT_ROWS + 4
        self.target_m = self._foot_target(reference)
        share, rate, bend = cubic(0.0, 0.0, 1.0, 0.0, gains.done_share * step_s, time_s)
        clearance_m = reference.lift * gains.clearance_m
        height = swing_height(
            self._left_m[2], clearance_m, -gains.landing_depth_m, -gains.landing_speed_m_s, step_s, time_s
        )
        away = (dynamics.pivot[swing] - dynamics.pivot[self.stance]).tolist()
        moving = observer.foot_velocity[first : first + FOOT_ROWS].tolist()
        kp, kd = gains.place
        for axis in range(3):
            if axis < 2:
                span = self.target_m[axis] - self._left_m[axis]
                place = self._left_m[axis] + share * span
                speed = rate * span
                acceleration = bend * span
            else:
                place, speed, acceleration = height
            feedback = kp * (place - away[axis]) + kd * (speed - moving[axis])
            self._right[row + axis, :2] = (acceleration + feedback, speed)
        lx, ly, lz = dynamics.line[swing].tolist()
        kp, kd = gains.pitch
        self._right[row + 3, :2] = (kp * slope(lz) - kd * moving[3], 0.0)
        kp, kd = gains.yaw
        turn = angle_between(heading(lx, ly), self.heading_rad)
        self._right[row + 4, :2] = (
            kp * turn + kd * (reference.turn_rad_s - moving[4]),
            reference.turn_rad_s,
        )
        self._matrix[row:TASKS] = dynamics.foot_rows[first : first + FOOT_ROWS]
        self._right[row:TASKS, 0] -= dynamics.foot_drift[first : first + FOOT_ROWS]

    def _foot_target(self, reference: WalkReference) -> tuple[float, float]:
        """Return where the swing foot shall land, from the standing foot, in world axes [m]."""
        gains = self._gains
        dynamics = self._observer.dynamics
        step_s = self.step_s
        pivot = dynamics.pivot[self.stance]
        away = (dynamics.com - pivot).tolist()
        height_m = max(away[2], LOWEST_COM_M)
        rate = pendulum_rate(height_m)
        ux, uy = momentum_speed(dynamics.momentum, pivot, dynamics.mass_kg, height_m)
        c = math.cos(self.heading_rad)
        s = math.sin(self.heading_rad)
        along = c * away[0] + s * away[1]
        left = c * away[1] - s * away[0]
        u_along = c * ux + s * uy
        u_left = c * uy - s * ux
        side = 1.0 if self.stance == 1 else -1.0  # the swing foot is to the left of a right standing foot
        wanted = periodic_speed(reference.forward_m_s + self._correction[0], rate, step_s)
        sway = periodic_speed(reference.left_m_s + self._correction[1], rate, step_s)
        sway -= side * sway_speed(gains.width_m, rate, step_s)
        left_s = max(step_s - self.step_time_s, 0.0)
        x = step_place(along, u_along, wanted, rate, left_s=left_s, step_s=step_s)
        y = step_place(left, u_left, sway, rate, left_s=left_s, step_s=step_s)
        nearest, widest = gains.width_range_m
        y = side * min(max(side * y, nearest), widest)
        return c * x - s * y, s * x + c * y

    def _begin(self, stance: int) -> None:
        self.stance = stance
        self.step_time_s = 0.0
        pivot = self._observer.dynamics.pivot
        self._left_m = (pivot[1 - stance] - pivot[stance]).tolist()

    def _end_step(self, reference: WalkReference) -> None:
        """Let the other foot carry; where the command is steady, correct it by the speed that came of it."""
        self.steps += 1
        asked = (reference.forward_m_s, reference.left_m_s)
        self._ends = [*self._ends[-2:], (self._observer.travelled_m.copy(), asked)]
        if len(self._ends) == 3:
            place, before = self._ends[0]
            gains = self._gains
            dx, dy = ((self._ends[2][0] - place) / (2.0 * self.step_s)).tolist()
            c = math.cos(self.heading_rad)
            s = math.sin(self.heading_rad)
            self.mean_speed_m_s = (c * dx + s * dy, c * dy - s * dx)
            for axis, (wanted, earlier) in enumerate(zip(asked, before, strict=True)):
                most = gains.largest_correction_m_s + gains.largest_correction_share * abs(wanted)
                correction = self._correction[axis]
                last = abs(self._ends[1][1][axis])
                if abs(wanted - earlier) < STEADY_M_S:
                    correction += gains.speed_correction * (wanted - self.mean_speed_m_s[axis])
                elif abs(wanted) < last:
                    correction *= abs(wanted) / last
                self._correction[axis] = min(max(correction, -most), most)
        self._begin(1 - self.stance)
