"""Travel direction: direction, total turn and turn rate of a walk, from the track of its base."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.maths.rotation import headings_of
from strut.maths.sampling import steady_speed

STRAIGHT_RAD = 0.03  # smaller turns and oblique directions are not reported
MIN_TRAVEL_M = 5e-3  # a shorter way has no direction


def base_track(qpos: Array) -> Array:
    """Return x, y and the unwrapped heading of a floating base. Shape (T, nq) in, (T, 3) out."""
    return np.column_stack([qpos[:, :2], np.unwrap(headings_of(qpos[:, 3:7]))])


def travel_direction(track: Array) -> dict[str, float | None]:
    """Return the direction of a walk relative to the body and its total turn; None for straight ahead. (T, 3) in."""
    travel = np.diff(track[:, :2], axis=0)
    yaw = track[1:, 2]
    ahead = np.sum(np.cos(yaw) * travel[:, 0] + np.sin(yaw) * travel[:, 1])
    aside = np.sum(np.cos(yaw) * travel[:, 1] - np.sin(yaw) * travel[:, 0])
    direction = float(np.arctan2(aside, ahead))
    turn = float(track[-1, 2] - track[0, 2])
    is_oblique = abs(direction) > STRAIGHT_RAD and np.hypot(ahead, aside) > MIN_TRAVEL_M
    return {
        "walking_direction_rad": direction if is_oblique else None,
        "turned_rad": turn if abs(turn) > STRAIGHT_RAD else None,
    }


def turn_rates(
    time_s: Array, track: Array, between_s: tuple[float, float], stride_s: float, requested_rad_s: float
) -> dict[str, float | None]:
    """Return the measured and the requested turn rate of a walk; empty if no turn was requested.

    Args:
        time_s: Shape (T,).
        track: x, y and heading of the base. Shape (T, 3).
        between_s: Start and end of the walk.
        stride_s: Interval over which the rate is taken; over a whole stride, sway cancels.
        requested_rad_s: Requested turn rate, positive to the left.
    """
    if requested_rad_s == 0.0:
        return {}
    rate = steady_speed(time_s, track[:, 2:], between_s, stride_s)
    left = float(np.sign(track[-1, 2] - track[0, 2]))
    return {"turn_rate_rad_s": None if rate is None else left * rate, "turn_rate_asked_rad_s": requested_rad_s}
