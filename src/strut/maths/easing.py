"""Easing: smooth steps, ramps and clocks that start and stop with zero speed and acceleration."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from strut.arrays import Array

Number = TypeVar("Number", float, Array)

MAX_RAMP_S = 1.0  # duration of the start and of the stop; motions below 4 s have shorter ones


def smooth_step(share: Array) -> Array:
    """Return 10 u³ - 15 u⁴ + 6 u⁵ for u = share clipped to [0, 1]: 0 to 1, at rest at both ends. Shape (...)."""
    return np.asarray(_quintic(np.clip(share, 0.0, 1.0)))


def smooth_step_scalar(share: float) -> float:
    """Return `smooth_step` of one number; in the loop of a controller, an array of one takes ten times longer."""
    return _quintic(min(max(share, 0.0), 1.0))


def _quintic(u: Number) -> Number:
    """Return the polynomial of `smooth_step`."""
    return u**3 * (10.0 + u * (6.0 * u - 15.0))


def smooth_ramp(share: Array) -> Array:
    """Return the integral of `smooth_step`: 0 below 0, 1/2 at 1, then slope 1. Shape (...)."""
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(u**4 * (2.5 + u * (u - 3.0)) + np.maximum(share - 1.0, 0.0))


def eased_time(time_s: Array, duration_s: float) -> Array:
    """Return a clock that accelerates smoothly from rest to 1 s/s and stops smoothly at the end.

    Args:
        time_s: From 0 to `duration_s`. Shape (T,).
        duration_s: When the clock is at rest again.

    Returns:
        Time on that clock [s], 0 before the start. Shape (T,).
    """
    ramp_s = min(MAX_RAMP_S, duration_s / 4.0)
    braking_s = time_s - duration_s + ramp_s
    return np.asarray(ramp_s * (smooth_ramp(time_s / ramp_s) - smooth_ramp(braking_s / ramp_s)))
