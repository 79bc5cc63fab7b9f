"""Linear inverted pendulum: the centre of mass whose zero-moment point follows a given path."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from strut.arrays import Array

LEAST_FELT = 0.2  # of gravity: who falls more freely has no zero-moment point to speak of


def pendulum_com(zmp_m: Array, height_m: Array, *, step_s: float, gravity_m_s2: float) -> Array:
    """Return the path of a centre of mass over a path of the zero-moment point (Kajita, 2003).

    One tridiagonal solve of c - h / (g + h'') c'' = p over the whole motion, at rest before its start and after its
    end: the solution that does not diverge, so the body moves before its feet do. A body that rises and sinks weighs
    more and less on its way. Where it would feel less than a fifth of gravity, that much is taken, and its zero-moment
    point is not the given one there: a search weakens what asks for it, and what is left shows when it is measured.

    Args:
        zmp_m: Zero-moment point on the ground, evenly sampled. Shape (T, 2).
        height_m: Of the centre of mass. Shape (T,).
        step_s: Time between samples.
        gravity_m_s2: Positive.

    Returns:
        Centre of mass over the ground [m]. Shape (T, 2).
    """
    upwards_m_s2 = np.diff(np.pad(height_m, 1, mode="edge"), n=2) / step_s**2  # as the bands have that of c
    felt_m_s2 = np.maximum(gravity_m_s2 + upwards_m_s2, LEAST_FELT * gravity_m_s2)
    stiff = height_m / felt_m_s2 / step_s**2
    bands = np.zeros((3, len(zmp_m)))
    bands[0, 1:] = -stiff[:-1]
    bands[1] = 1.0 + 2.0 * stiff
    bands[2, :-1] = -stiff[1:]
    bands[1, [0, -1]] = 1.0 + stiff[[0, -1]]  # the sample beyond each end equals the one at the end
    return np.asarray(solve_banded((1, 1), bands, zmp_m))
