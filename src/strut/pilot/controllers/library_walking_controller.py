"""Library walking controller: the swing leg follows a gait library at the estimated speed, plus a regulator.

The gait at the commanded speed and height gives the motion of the base within a step. The deviation of the base from
it, extrapolated to the end of the step by the linear inverted pendulum, is the error of the estimated speed. The gait
at the estimated speed places the foot for that speed; the regulator places it farther out, so that the speed returns
(L. Li and others, 2020). Tilt of the base beyond its gait is subtracted from the leg: the foot lands as planned.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.pilot.controllers.actuated_model import FEET
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.controllers.foot_placement import MIN_COM_HEIGHT_M, advance_pendulum, pendulum_rate
from strut.pilot.controllers.reference import WalkReference
from strut.pilot.controllers.state_estimator import StateEstimator
from strut.pilot.controllers.swing_foot import cubic
from strut.pilot.controllers.walking_controller import TASKS, WalkingController
from strut.pilot.gait_library.gait_library import GaitLibrary, PeriodicGait, bezier_basis
from strut.robot import BASE
from strut.schemas.control import RegulatorGains
from strut.simulation.attitude import slope

LOOKUP_HZ = 200.0
FADE_SHARE = 0.6  # of a step: over it, the leg's initial deviation from the gait fades out
LANDING_RATE = (
    0.5  # share of the gait's own landing speed, up to 0.8 m/s sideways, which drags soles and saturates a hip
)
BEYOND = 1.0  # grid cells of extrapolation; clamping would ignore half of the speed errors at the border of the grid
TILT = slice(3, 5)  # pitch and roll among the coordinates of a gait's base


class LibraryWalkingController(WalkingController):
    """Computes the torques of a walk whose swing leg follows a gait library; all else is as in WalkingController.

    Args:
        estimator: Estimated state.
        tick_s: Time between two calls.
        library: Gaits of this robot.
    """

    def __init__(self, estimator: StateEstimator, tick_s: float, library: GaitLibrary) -> None:
        super().__init__(estimator, tick_s)
        table = self._gains.regulator
        if table is None:
            raise BadTableError("control.toml: a walk by a gait library needs [walking.regulator].")
        self._regulator = table
        self._library = library
        self._ticks_each = max(1, round(1.0 / (LOOKUP_HZ * tick_s)))
        self._ticks = 0
        half = estimator.body.motor_count // FEET
        self._leg = [slice(foot * half, (foot + 1) * half) for foot in range(FEET)]
        self._is_new_step = True
        self.observed_m_s = (0.0, 0.0)

    def _begin(self, stance: int) -> None:
        super()._begin(stance)
        self._is_new_step = True
        self._ticks = 0

    def _look_up(self, reference: WalkReference) -> None:
        """Look up the gaits of the commanded and of the estimated speed, at 200 Hz."""
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
        """Return the excess of the base over its gait at the end of the step, as a mean speed [m/s]."""
        estimator = self._estimator
        dynamics = self._estimator.dynamics
        place, _ = wanted.at(self.stance, self._share)
        speed, _ = wanted.at(self.stance, self._share, 1)
        middle = estimator.body.table.standing.sole_middle_m
        sole = dynamics.pivot[self.stance] + middle * dynamics.line[self.stance]
        x, y = (-sole[:2]).tolist()
        vx, vy = estimator.velocity[:2].tolist()
        c = math.cos(self.heading_rad)
        s = math.sin(self.heading_rad)
        away = (c * x + s * y - place[0], c * y - s * x - place[1])
        faster = (c * vx + s * vy - speed[0], c * vy - s * vx - speed[1])
        rate = pendulum_rate(max(float(dynamics.com[2]) + estimator.height_m, MIN_COM_HEIGHT_M))
        half = rate * wanted.step_s / 2.0
        left_s = max(wanted.step_s - self.step_time_s, 0.0)
        ends = [advance_pendulum(dx, dv, rate, left_s)[1] for dx, dv in zip(away, faster, strict=True)]
        return ends[0] * math.tanh(half) / half, ends[1] * math.tanh(half) / half

    @property
    def _share(self) -> float:
        return min(self.step_time_s / self.step_s, 1.0)

    def _swing_rows(self, reference: WalkReference) -> None:
        """Write the five rows by which the motors of the swing leg follow the gait."""
        if self._ticks % self._ticks_each == 0:
            self._look_up(reference)
        self._ticks += 1
        estimator = self._estimator
        leg = self._leg[1 - self.stance]
        place, speed, acceleration = self._gait_state()
        angle = estimator.motor_rad[leg]
        rate = estimator.velocity[BASE:][leg]
        if self._is_new_step:
            self._is_new_step = False
            self._initial_deviation = (angle - place, rate - speed)
        deviation = self._faded_deviation()
        speed = speed + deviation[1]
        kp, kd = self._regulator.joint
        row = FOOT_ROWS + 4
        first = BASE + leg.start
        self._matrix[row:TASKS] = 0.0
        for number in range(FOOT_ROWS):
            self._matrix[row + number, first + number] = 1.0
        self._right[row:TASKS, 0] = (
            acceleration + deviation[2] + kp * (place + deviation[0] - angle) + kd * (speed - rate)
        )
        self._right[row:TASKS, 1] = speed

    def _gait_state(self) -> tuple[Array, Array, Array]:
        """Return angle, speed and acceleration of the swing leg's motors at this instant of the step. Shapes (5,)."""
        at, rate, bend = cubic(0.0, 1.0, 1.0, LANDING_RATE, 1.0, self._share)  # share of the gait, slower at its end
        along = _powers(len(self._polynomials) - 1, at) @ self._polynomials
        motors = slice(0, FOOT_ROWS)
        place = along[0, motors]
        first = along[1, motors]
        second = along[2, motors]
        rotation = self._estimator.dynamics.base_rotation
        table = self._regulator
        place[table.pitch] -= slope(float(rotation[2, 0])) + along[0, FOOT_ROWS]
        place[table.abduction] -= math.atan2(rotation[2, 1], rotation[2, 2]) - along[0, FOOT_ROWS + 1]
        return place, first * rate / self.step_s, (second * rate**2 + first * bend) / self.step_s**2

    def _faded_deviation(self) -> tuple[Array, Array, Array]:
        """Return the rest of the leg's initial deviation from the gait, and its derivatives. Shapes (5,)."""
        angle, speed = self._initial_deviation
        fade_s = FADE_SHARE * self.step_s
        by_place = cubic(1.0, 0.0, 0.0, 0.0, fade_s, self.step_time_s)
        by_speed = cubic(0.0, 1.0, 0.0, 0.0, fade_s, self.step_time_s)
        rest = [x * angle + v * speed for x, v in zip(by_place, by_speed, strict=True)]
        return rest[0], rest[1], rest[2]


@lru_cache(maxsize=4)
def _monomials(degree: int) -> Array:
    """Return the map from Bézier to monomial coefficients. Shape (degree + 1, degree + 1)."""
    return np.array([bezier_basis(degree, 0.0, order) / math.factorial(order) for order in range(degree + 1)])


def _powers(degree: int, share: float) -> Array:
    """Return the monomials at a share of the step, and their first and second derivatives. Shape (3, degree + 1)."""
    power = [1.0]
    for _ in range(degree):
        power.append(power[-1] * share)
    first = [0.0, *(k * power[k - 1] for k in range(1, degree + 1))]
    second = [0.0, 0.0, *(k * (k - 1) * power[k - 2] for k in range(2, degree + 1))]
    return np.array([power, first, second])


def regulator_gains(table: RegulatorGains, height_m: float) -> tuple[float, float]:
    """Return the gains of leg pitch and abduction at a height [rad s/m], interpolated linearly."""
    pitch, abduction = (np.interp(height_m, table.height_m, gains) for gains in (table.forward, table.left))
    return float(pitch), float(abduction)
