"""Foot placement by the linear inverted pendulum: where to step so that the next step ends with a desired speed.

The state is the angular momentum about the contact (Gong and Grizzle, 2022). Impacts and swinging legs hardly change
it, unlike the velocity of the centre of mass. Divided by mass and height, it is the speed of a pendulum.
"""

from __future__ import annotations

import math

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2

MIN_COM_HEIGHT_M = 0.2  # keeps the pendulum's rate finite while the robot falls; no stance is this low


def pendulum_rate(height_m: float) -> float:
    """Return the natural frequency of the linear inverted pendulum, sqrt(g / h) [1/s]."""
    return math.sqrt(GRAVITY_M_S2 / height_m)


def advance_pendulum(place_m: float, speed_m_s: float, rate: float, time_s: float) -> tuple[float, float]:
    """Return position from the foot and speed of a linear inverted pendulum after a time."""
    c = math.cosh(rate * time_s)
    s = math.sinh(rate * time_s)
    return c * place_m + s / rate * speed_m_s, rate * s * place_m + c * speed_m_s


def momentum_speed(momentum: Array, pivot: Array, mass_kg: float, height_m: float) -> tuple[float, float]:
    """Return the angular momentum about a contact as the speed of a pendulum.

    Args:
        momentum: Linear momentum, and angular momentum about the origin, in world axes. Shape (6,).
        pivot: Contact point, relative to the origin. Shape (3,).
        mass_kg: Mass of the robot.
        height_m: Height of the centre of mass above the contact.

    Returns:
        Speed along world x and y [m/s].
    """
    px, py, pz, ax, ay, _ = momentum.tolist()
    x, y, z = pivot.tolist()
    about_x = ax - (y * pz - z * py)
    about_y = ay - (z * px - x * pz)
    return about_y / (mass_kg * height_m), -about_x / (mass_kg * height_m)


def periodic_speed(speed_m_s: float, rate: float, step_s: float) -> float:
    """Return the speed at the end of a step of a pendulum that walks periodically with a mean speed."""
    half = rate * step_s / 2.0
    return speed_m_s * half / math.tanh(half)


def sway_speed(width_m: float, rate: float, step_s: float) -> float:
    """Return the lateral speed at the end of a step of a pendulum that steps in place with feet `width_m` apart."""
    return width_m / 2.0 * rate * math.tanh(rate * step_s / 2.0)


def step_place(
    place_m: float, speed_m_s: float, wanted_m_s: float, rate: float, *, left_s: float, step_s: float
) -> float:
    """Return the next foothold, relative to the present one, after which the next step ends with the desired speed.

    Args:
        place_m: Centre of mass, relative to the present foothold.
        speed_m_s: Present speed of the pendulum.
        wanted_m_s: Desired speed at the end of the next step.
        rate: Natural frequency of the pendulum [1/s].
        left_s: Time until the foot lands.
        step_s: Duration of the next step.
    """
    landing_place, landing_speed = advance_pendulum(place_m, speed_m_s, rate, left_s)
    from_new_foot = (wanted_m_s - math.cosh(rate * step_s) * landing_speed) / (rate * math.sinh(rate * step_s))
    return landing_place - from_new_foot


def capture_point(place_m: float, speed_m_s: float, rate: float) -> float:
    """Return the foothold over which the pendulum comes to rest (Pratt and others, 2006)."""
    return place_m + speed_m_s / rate
