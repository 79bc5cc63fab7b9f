"""Light controls: point lights upside down, apart from each other, or among noise; what stays is no body to the eye.

Inversion keeps all motion and hurts what is seen in a body (Sumi, 1984); scrambling keeps each light's own path and
loses the body (Cutting, 1981); noise dots that move as the lights do hide it (Bertenthal and Pinto, 1994).
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array

LIGHT_CONTROLS = ("inverted", "scrambled", "masked")
_NOISE_PER_LIGHT = 2


def light_control(points: Array, control: str, rng: np.random.Generator, *, aspect: float) -> Array:
    """Return the lights of a control. Shape (T, n, 2) in picture coordinates in, (T, m, 2) out."""
    if control == "inverted":
        return upside_down(points)
    if control == "scrambled":
        return _scattered(points, points.min(axis=(0, 1)), points.max(axis=(0, 1)), rng)
    if control == "masked":
        edge = np.array([aspect, 1.0])
        noise = [_scattered(points, -edge, edge, rng) for _ in range(_NOISE_PER_LIGHT)]
        mixed = np.concatenate([points, *noise], axis=1)
        return np.asarray(mixed[:, rng.permutation(mixed.shape[1])])
    return points


def upside_down(points: Array) -> Array:
    """Return points of a picture upside down. Shape (..., 2)."""
    return np.asarray(points * np.array([1.0, -1.0]))


def _scattered(points: Array, low: Array, high: Array, rng: np.random.Generator) -> Array:
    """Return lights that move as before, each somewhere else; all stay inside the limits. Limits of shape (2,)."""
    first = points.min(axis=0)
    last = points.max(axis=0)
    room = np.maximum(high - low - (last - first), 0.0)
    start = low + rng.random(first.shape) * room
    return np.asarray(points - first + start)
