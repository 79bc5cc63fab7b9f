"""Light controls: point lights inverted, scrambled, or masked by noise, so that the body is hard to see.

Inversion keeps all motion but impairs the perception of a body (Sumi, 1984); scrambling keeps the path of each light
but not the body (Cutting, 1981); noise dots that move like the lights mask it (Bertenthal and Pinto, 1994).
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array

LIGHT_CONTROLS = ("inverted", "scrambled", "masked")
_NOISE_PER_LIGHT = 2  # our choice; two thirds of the dots are noise


def light_control(points: Array, control: str, rng: np.random.Generator, *, aspect: float) -> Array:
    """Return the lights of a control, in picture coordinates. Shape (T, n, 2) in, (T, m, 2) out."""
    if control == "inverted":
        return upside_down(points)
    if control == "scrambled":
        return _scatter(points, points.min(axis=(0, 1)), points.max(axis=(0, 1)), rng)
    if control == "masked":
        edge = np.array([aspect, 1.0])
        noise = [_scatter(points, -edge, edge, rng) for _ in range(_NOISE_PER_LIGHT)]
        mixed = np.concatenate([points, *noise], axis=1)
        return np.asarray(mixed[:, rng.permutation(mixed.shape[1])])
    return points


def upside_down(points: Array) -> Array:
    """Return points of a picture upside down. Shape (..., 2)."""
    return np.asarray(points * np.array([1.0, -1.0]))


def _scatter(points: Array, low: Array, high: Array, rng: np.random.Generator) -> Array:
    """Return lights with the same paths at random positions, all inside the limits. Limits of shape (2,)."""
    first = points.min(axis=0)
    last = points.max(axis=0)
    free = np.maximum(high - low - (last - first), 0.0)
    start = low + rng.random(first.shape) * free
    return np.asarray(points - first + start)
