"""Travel direction: where a walk leads, seen from the body that walks, how far it turns and how fast."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.maths.rotation import headings_of
from strut.maths.sampling import speed_under_way

STRAIGHT_RAD = 0.03  # turns and slants below it are not told
SPOT_M = 5e-3  # who goes less far goes nowhere


def base_track(qpos: Array) -> Array:
    """Return place on the ground and heading of a floating base. Shape (T, nq) in, (T, 3) out."""
    return np.column_stack([qpos[:, :2], np.unwrap(headings_of(qpos[:, 3:7]))])


def travel_direction(track: Array) -> dict[str, float | None]:
    """Return where a walk leads, seen from the body, and how far it turns in all; None for straight ahead. (T, 3)."""
    travel = np.diff(track[:, :2], axis=0)
    yaw = track[1:, 2]
    ahead = np.sum(np.cos(yaw) * travel[:, 0] + np.sin(yaw) * travel[:, 1])
    aside = np.sum(np.cos(yaw) * travel[:, 1] - np.sin(yaw) * travel[:, 0])
    direction = float(np.arctan2(aside, ahead))
    turned = float(track[-1, 2] - track[0, 2])
    slants = abs(direction) > STRAIGHT_RAD and np.hypot(ahead, aside) > SPOT_M
    return {
        "walking_direction_rad": direction if slants else None,
        "turned_rad": turned if abs(turned) > STRAIGHT_RAD else None,
    }


def turn_rates(
    time_s: Array, track: Array, between_s: tuple[float, float], stride_s: float, asked_rad_s: float
) -> dict[str, float | None]:
    """Return how fast a walk turns once under way, and how fast it was asked to; nothing where it was not.

    Args:
        time_s: Shape (T,).
        track: Place and heading. Shape (T, 3).
        between_s: From when until when it walks.
        stride_s: Over so long, swaying adds nothing.
        asked_rad_s: To the left.
    """
    if asked_rad_s == 0.0:
        return {}
    rate = speed_under_way(time_s, track[:, 2:], between_s, stride_s)
    left = float(np.sign(track[-1, 2] - track[0, 2]))
    return {"turn_rate_rad_s": None if rate is None else left * rate, "turn_rate_asked_rad_s": asked_rad_s}
