"""The linear inverted pendulum: the centre of mass whose zero-moment point follows a given path."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from strut.robot import Array


def pendulum_com(pressure_m: Array, height_m: float, *, step_s: float, gravity_m_s2: float) -> Array:
    """Return the path of a centre of mass of constant height over a path of the zero-moment point (Kajita, 2003).

    One tridiagonal solve of c - (h / g) c'' = p over the whole motion, at rest before its start and after its end: the
    solution that does not diverge, so the body moves before its feet do.

    Args:
        pressure_m: Zero-moment point on the ground, evenly sampled. Shape (T, 2).
        height_m: Of the centre of mass.
        step_s: Time between samples.
        gravity_m_s2: Positive.

    Returns:
        Centre of mass over the ground [m]. Shape (T, 2).
    """
    stiff = height_m / gravity_m_s2 / step_s**2
    bands = np.empty((3, len(pressure_m)))
    bands[0], bands[1], bands[2] = -stiff, 1.0 + 2.0 * stiff, -stiff
    bands[1, 0] = bands[1, -1] = 1.0 + stiff  # the sample beyond each end equals the one at the end
    return np.asarray(solve_banded((1, 1), bands, pressure_m))
