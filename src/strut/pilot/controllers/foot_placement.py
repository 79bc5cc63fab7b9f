"""Foot placement: where to step so that the next step ends with a wanted speed, by the linear inverted pendulum.

The state is the angular momentum about the contact (Gong and Grizzle, 2022): it is nearly blind to impacts and to
swinging legs, which velocity is not. Divided by mass and height it is the speed of a pendulum.
"""

from __future__ import annotations

import math

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2

LOWEST_COM_M = 0.2  # below which no leg holds a body: whoever falls is treated as this high


def pendulum_rate(height_m: float) -> float:
    """Return the rate of the linear inverted pendulum [1/s]."""
    return math.sqrt(GRAVITY_M_S2 / height_m)


def pendulum_after(place_m: float, speed_m_s: float, rate: float, time_s: float) -> tuple[float, float]:
    """Return place and speed of a linear inverted pendulum about its foot after a time."""
    c = math.cosh(rate * time_s)
    s = math.sinh(rate * time_s)
    return c * place_m + s / rate * speed_m_s, rate * s * place_m + c * speed_m_s


def momentum_speed(momentum: Array, pivot: Array, mass_kg: float, height_m: float) -> tuple[float, float]:
    """Return angular momentum about a contact as the speed of a pendulum of that height.

    Args:
        momentum: Linear, and angular about the origin, in world axes. Shape (6,).
        pivot: Contact point from the origin. Shape (3,).
        mass_kg: Of the body.
        height_m: Of the centre of mass above the contact.

    Returns:
        Speed along world x and y [m/s].
    """
    px, py, pz, ax, ay, _ = momentum.tolist()
    x, y, z = pivot.tolist()
    about_x = ax - (y * pz - z * py)
    about_y = ay - (z * px - x * pz)
    return about_y / (mass_kg * height_m), -about_x / (mass_kg * height_m)


def periodic_speed(speed_m_s: float, rate: float, step_s: float) -> float:
    """Return the speed at a step's end of a pendulum that walks with a mean speed."""
    half = rate * step_s / 2.0
    return speed_m_s * half / math.tanh(half)


def sway_speed(width_m: float, rate: float, step_s: float) -> float:
    """Return the sideways speed at a step's end of a pendulum that steps in place with feet `width_m` apart."""
    return width_m / 2.0 * rate * math.tanh(rate * step_s / 2.0)


def step_place(
    place_m: float, speed_m_s: float, wanted_m_s: float, rate: float, *, left_s: float, step_s: float
) -> float:
    """Return where to set the foot, from the present one, so that the next step ends with the wanted speed.

    Args:
        place_m: Of the centre of mass from the present foot.
        speed_m_s: Of the pendulum.
        wanted_m_s: Speed at the end of the next step.
        rate: Of the pendulum.
        left_s: Time until the foot is set.
        step_s: Duration of the next step.
    """
    at_step, speed = pendulum_after(place_m, speed_m_s, rate, left_s)
    start = (wanted_m_s - math.cosh(rate * step_s) * speed) / (rate * math.sinh(rate * step_s))
    return at_step - start


def capture_point(place_m: float, speed_m_s: float, rate: float) -> float:
    """Return where the foot must stand to bring the pendulum to rest over it (Pratt and others, 2006)."""
    return place_m + speed_m_s / rate
