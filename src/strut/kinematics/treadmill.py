"""Treadmill: the velocity of the ground, from feet that stand and a body that stays."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array

TREADMILL_SHARE = 0.35  # of the walking speed; a body slower than this in the laboratory is on a belt; chosen by eye
MIN_STEPPING_M_S = 0.2  # a body this slow over the ground stands, on a floor as on a belt


def belt_velocity(body_m_s: Array, standing_feet_m_s: Array) -> Array:
    """Return the horizontal velocity of the ground: that of standing feet if the body does not travel, else zero.

    Feet on a floor slip and markers err, so a body that travels with its walking speed is on a floor.

    Args:
        body_m_s: Usual velocity of the body in the laboratory. Shape (2,).
        standing_feet_m_s: Usual velocity of feet that stand. Shape (2,).
    """
    walking_m_s = float(np.linalg.norm(body_m_s - standing_feet_m_s))
    travels = float(np.linalg.norm(body_m_s)) > TREADMILL_SHARE * walking_m_s
    if walking_m_s < MIN_STEPPING_M_S or travels:
        return np.zeros(2)
    return np.asarray(standing_feet_m_s)
