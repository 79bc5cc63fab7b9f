"""Linear inverted pendulum: the centre of mass whose zero-moment point follows a given path."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_banded

from strut.arrays import Array

MIN_GRAVITY_SHARE = 0.2  # of gravity: nearer to free fall, the zero-moment point is not meaningful


def pendulum_com(zmp_m: Array, height_m: Array, *, step_s: float, gravity_m_s2: float) -> Array:
    """Return the path of a centre of mass over a path of the zero-moment point (Kajita, 2003).

    Solves c - h / (g + h'') c'' = p over the whole motion as one tridiagonal system, with the body at rest before its
    start and after its end. This is the solution that does not diverge, so the body moves before its feet do. Where
    g + h'' is below a fifth of g, a fifth of g is used; the zero-moment point then differs from the given one, which
    the audit of the motion measures.

    Args:
        zmp_m: Zero-moment point on the ground, evenly sampled. Shape (T, 2).
        height_m: Height of the centre of mass. Shape (T,).
        step_s: Time between samples.
        gravity_m_s2: Positive.

    Returns:
        Centre of mass over the ground [m]. Shape (T, 2).
    """
    upward_m_s2 = np.diff(np.pad(height_m, 1, mode="edge"), n=2) / step_s**2  # the same differences as for c
    effective_m_s2 = np.maximum(gravity_m_s2 + upward_m_s2, MIN_GRAVITY_SHARE * gravity_m_s2)
    coupling = height_m / effective_m_s2 / step_s**2
    bands = np.zeros((3, len(zmp_m)))
    bands[0, 1:] = -coupling[:-1]
    bands[1] = 1.0 + 2.0 * coupling
    bands[2, :-1] = -coupling[1:]
    bands[1, [0, -1]] = 1.0 + coupling[[0, -1]]  # the sample beyond each end equals the one at the end
    return np.asarray(solve_banded((1, 1), bands, zmp_m))
