"""Library walking: the swing leg follows the gait of a library at the observed speed, plus a regulator.

The gait at the commanded speed and height says how the base moves within a step; how far the base is from that, carried
on to the end of the step by the linear inverted pendulum, is the error of the observed speed. Looked up at the observed
speed, the gait sets the foot for that speed; the regulator sets it farther, so that the speed returns (L. Li and
others, 2020). What the base is tilted beyond its gait is taken out of the leg, so that the foot lands where it would.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.pilot.controllers.actuated_model import FEET
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.controllers.foot_placement import LOWEST_COM_M, pendulum_after, pendulum_rate
from strut.pilot.controllers.reference import WalkReference
from strut.pilot.controllers.state_estimator import Observer
from strut.pilot.controllers.swing_foot import cubic
from strut.pilot.controllers.walking_controller import TASKS, WalkingController
from strut.pilot.gait_library.gait_library import GaitLibrary, PeriodicGait, bezier_basis
from strut.robot import BASE
from strut.schemas.control import RegulatorGains
from strut.simulation.attitude import slope

LOOKUP_HZ = 200.0
FADE_SHARE = 0.6  # of a step, in which the leg comes from where it was to its gait
LANDING_RATE = 0.5  # of the gait's own: it lands with up to 0.8 m/s aside, which drags soles and saturates a hip
BEYOND = 1.0  # cells of the grid by which gaits are continued: a border would answer half of the errors around it
TILT = slice(3, 5)  # pitch and roll, among the coordinates of a gait's base


class LibraryWalking(WalkingController):
    """Torques of a walk whose swing leg follows a gait library; height and attitude as in any walk.

    Args:
        observer: What is known of the body.
        tick_s: Between two calls.
        library: Gaits of the same robot.
    """

    def __init__(self, observer: Observer, tick_s: float, library: GaitLibrary) -> None:
        super().__init__(observer, tick_s)
        table = self._gains.regulator
        if table is None:
            raise BadTableError("control.toml: a walk by a gait library needs [walking.regulator].")
        self._regulator = table
        self._library = library
        self._ticks_each = max(1, round(1.0 / (LOOKUP_HZ * tick_s)))
        self._ticks = 0
        half = observer.body.motor_count // FEET
        self._leg = [slice(foot * half, (foot + 1) * half) for foot in range(FEET)]
        self._fresh = True
        self.observed_m_s = (0.0, 0.0)

    def _begin(self, stance: int) -> None:
        super()._begin(stance)
        self._fresh = True
        self._ticks = 0

    def _look_up(self, reference: WalkReference) -> None:
        """Take the gait of the command and that of the observed speed, at 200 Hz."""
        forward, left = (
            speed + correction
            for speed, correction in zip((reference.forward_m_s, reference.left_m_s), self._correction, strict=True)
        )
        wanted = self._library.lookup(forward, left, reference.height_m, beyond=BEYOND)
        self.step_s = wanted.step_s
        error = self._speed_error(wanted)
        self.observed_m_s = (forward + error[0], left + error[1])
        observed = self._library.lookup(*self.observed_m_s, reference.height_m, beyond=BEYOND)
        curves = np.array(observed.motors[self.stance, self._leg[1 - self.stance]])
        pitch, abduction = regulator_gains(self._regulator, reference.height_m)
        curves[self._regulator.abduction] -= abduction * error[1]
        curves[self._regulator.pitch] -= pitch * error[0]
        curves[self._regulator.foot] += pitch * error[0]  # so that the sole stays level
        self._curves = curves
        tilt = wanted.base[self.stance, TILT]
        self._polynomials = _monomials(curves.shape[1] - 1) @ np.concatenate([curves, tilt]).T

    def _speed_error(self, wanted: PeriodicGait) -> tuple[float, float]:
        """Return how much faster than its gait the base will be at the end of the step, as a mean speed [m/s]."""
        observer = self._observer
        dynamics = self._observer.dynamics
        place, _ = wanted.at(self.stance, self._share)
        speed, _ = wanted.at(self.stance, self._share, 1)
        middle = observer.body.table.standing.sole_middle_m
        sole = dynamics.pivot[self.stance] + middle * dynamics.line[self.stance]
        x, y = (-sole[:2]).tolist()
        vx, vy = observer.velocity[:2].tolist()
        c = math.cos(self.heading_rad)
        s = math.sin(self.heading_rad)
        away = (c * x + s * y - place[0], c * y - s * x - place[1])
        faster = (c * vx + s * vy - speed[0], c * vy - s * vx - speed[1])
        rate = pendulum_rate(max(float(dynamics.com[2]) + observer.height_m, LOWEST_COM_M))
        half = rate * wanted.step_s / 2.0
        left_s = max(wanted.step_s - self.step_time_s, 0.0)
        ends = [pendulum_after(dx, dv, rate, left_s)[1] for dx, dv in zip(away, faster, strict=True)]
        return ends[0] * math.tanh(half) / half, ends[1] * math.tanh(half) / half

    @property
    def _share(self) -> float:
        return min(self.step_time_s / self.step_s, 1.0)

    def _swing_rows(self, reference: WalkReference) -> None:
        """Let the motors of the swing leg follow the gait: five rows of joints."""
        if self._ticks % self._ticks_each == 0:
            self._look_up(reference)
        self._ticks += 1
        observer = self._observer
        leg = self._leg[1 - self.stance]
        place, speed, bend = self._planned()
        angle = observer.motor_rad[leg]
        rate = observer.velocity[BASE:][leg]
        if self._fresh:
            self._fresh = False
            self._from = (angle - place, rate - speed)
        added = self._still_away()
        speed = speed + added[1]
        kp, kd = self._regulator.joint
        row = FOOT_ROWS + 4
        first = BASE + leg.start
        self._matrix[row:TASKS] = 0.0
        for number in range(FOOT_ROWS):
            self._matrix[row + number, first + number] = 1.0
        self._right[row:TASKS, 0] = bend + added[2] + kp * (place + added[0] - angle) + kd * (speed - rate)
        self._right[row:TASKS, 1] = speed

    def _planned(self) -> tuple[Array, Array, Array]:
        """Return place, speed and acceleration of the swing leg's motors at this instant of the step. Shapes (5,)."""
        at, rate, bend = cubic(0.0, 1.0, 1.0, LANDING_RATE, 1.0, self._share)  # along the gait, slower at its end
        along = _powers(len(self._polynomials) - 1, at) @ self._polynomials
        motors = slice(0, FOOT_ROWS)
        place = along[0, motors]
        first = along[1, motors]
        second = along[2, motors]
        rotation = self._observer.dynamics.base_rotation
        table = self._regulator
        place[table.pitch] -= slope(float(rotation[2, 0])) + along[0, FOOT_ROWS]
        place[table.abduction] -= math.atan2(rotation[2, 1], rotation[2, 2]) - along[0, FOOT_ROWS + 1]
        return place, first * rate / self.step_s, (second * rate**2 + first * bend) / self.step_s**2

    def _still_away(self) -> tuple[Array, Array, Array]:
        """Return what is left of how the leg was away from its gait when the step began, and its rates. Shapes (5,)."""
        away, faster = self._from
        fade_s = FADE_SHARE * self.step_s
        by_place = cubic(1.0, 0.0, 0.0, 0.0, fade_s, self.step_time_s)
        by_speed = cubic(0.0, 1.0, 0.0, 0.0, fade_s, self.step_time_s)
        left = [x * away + v * faster for x, v in zip(by_place, by_speed, strict=True)]
        return left[0], left[1], left[2]


@lru_cache(maxsize=4)
def _monomials(degree: int) -> Array:
    """Return the map from Bézier coefficients to those of the powers of the share. Shape (degree + 1, degree + 1)."""
    return np.array([bezier_basis(degree, 0.0, order) / math.factorial(order) for order in range(degree + 1)])


def _powers(degree: int, share: float) -> Array:
    """Return the powers of a share, and their first and second derivatives. Shape (3, degree + 1)."""
    power = [1.0]
    for _ in range(degree):
        power.append(power[-1] * share)
    first = [0.0, *(k * power[k - 1] for k in range(1, degree + 1))]
    second = [0.0, 0.0, *(k * (k - 1) * power[k - 2] for k in range(2, degree + 1))]
    return np.array([power, first, second])


def regulator_gains(table: RegulatorGains, height_m: float) -> tuple[float, float]:
    """Return the gains of leg pitch and abduction at a height [rad s/m]: linear between those of the table."""
    pitch, abduction = (np.interp(height_m, table.height_m, gains) for gains in (table.forward, table.left))
    return float(pitch), float(abduction)
