"""Inertia: solid boxes, rods and balls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.robot import Array


def box_inertia(mass_kg: float, size_m: Sequence[float] | Array) -> Array:
    """Return the inertia of a solid box of whole edges `size_m` (3,). Shape (3, 3)."""
    squares = np.square(np.asarray(size_m, dtype=float))
    return np.diag(mass_kg / 12.0 * (np.sum(squares) - squares))


def rod_inertia(mass_kg: float, radius_m: float, span_m: Array) -> Array:
    """Return the inertia of a solid cylinder along `span_m` (3,), or of a solid ball where that is 0. Shape (3, 3)."""
    length_m = float(np.linalg.norm(span_m))
    if length_m == 0.0:
        return np.asarray(0.4 * mass_kg * radius_m**2 * np.eye(3))
    axis = span_m / length_m
    along, across = mass_kg * radius_m**2 / 2.0, mass_kg * (3.0 * radius_m**2 + length_m**2) / 12.0
    return np.asarray(across * np.eye(3) + (along - across) * np.outer(axis, axis))
