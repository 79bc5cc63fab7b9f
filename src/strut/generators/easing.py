"""Easing: time that starts and stops gently, so that whatever runs on it starts and ends at rest."""

from __future__ import annotations

import numpy as np

from strut.robot import Array

LONGEST_RAMP_S = 1.0


def eased_time(time_s: Array, duration_s: float) -> Array:
    """Return a clock that speeds up smoothly from 0 to 1 second per second, and stops as smoothly at the end.

    Args:
        time_s: From 0 to `duration_s`. Shape (T,).
        duration_s: When the clock stands still again.

    Returns:
        Time on that clock [s]; before the start 0. Shape (T,).
    """
    ramp_s = min(LONGEST_RAMP_S, duration_s / 4.0)
    started = np.maximum(time_s - ramp_s, 0.0) + ramp_s * _ramp(time_s / ramp_s)
    braked = np.maximum(time_s - duration_s, 0.0) + ramp_s * _ramp((time_s - duration_s + ramp_s) / ramp_s)
    return np.asarray(started - braked)


def _ramp(share: Array) -> Array:
    """Return the way covered while the speed rises from 0 to 1 as 10 u³ - 15 u⁴ + 6 u⁵; 1/2 at the end. Shape (T,)."""
    u = np.clip(share, 0.0, 1.0)
    return np.asarray(u**4 * (2.5 + u * (u - 3.0)))
