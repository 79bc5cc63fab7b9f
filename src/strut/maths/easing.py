"""Easing: a step and a clock that start and stop gently, so that whatever runs on them starts and ends at rest."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from strut.arrays import Array

Number = TypeVar("Number", float, Array)

LONGEST_RAMP_S = 1.0


def smooth_step(share: Array) -> Array:
    """Return 0 to 1 with speed and acceleration zero at both ends; constant outside [0, 1]. Shape (...)."""
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(_rise(u))


def smooth_share(share: float) -> float:
    """Return `smooth_step` of one number: controllers ask at every tick, and an array of one takes ten times longer."""
    u = min(max(share, 0.0), 1.0)
    return _rise(u)


def _rise(u: Number) -> Number:
    """Return the polynomial of `smooth_step` within [0, 1]."""
    return u**3 * (10.0 + u * (6.0 * u - 15.0))


def smooth_ramp(share: Array) -> Array:
    """Return the integral of `smooth_step` from 0: 0 before, 1/2 at 1, then one for one. Shape (...)."""
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(u**4 * (2.5 + u * (u - 3.0)) + np.maximum(share - 1.0, 0.0))


def eased_time(time_s: Array, duration_s: float) -> Array:
    """Return a clock that speeds up smoothly from 0 to 1 second per second, and stops as smoothly at the end.

    Args:
        time_s: From 0 to `duration_s`. Shape (T,).
        duration_s: When the clock stands still again.

    Returns:
        Time on that clock [s]; before the start 0. Shape (T,).
    """
    ramp_s = min(LONGEST_RAMP_S, duration_s / 4.0)
    braking_s = time_s - duration_s + ramp_s
    return np.asarray(ramp_s * (smooth_ramp(time_s / ramp_s) - smooth_ramp(braking_s / ramp_s)))
