"""Metric multidimensional scaling: points in a plane whose distances are as near as possible to given ones."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array

ROUNDS = 300  # a map of five emotions has converged long before


def scale_to_plane(distances: Array) -> Array:
    """Return the points in a plane that keep given distances best. Shape (n, n) in, (n, 2) out.

    Classical scaling (Torgerson, 1952) is the initial guess; it only brings points nearer that are apart in other
    dimensions. `smacof` then minimises the error.
    """
    n = len(distances)
    if n < 2:
        return np.zeros((n, 2))
    centring = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centring @ distances**2 @ centring)
    initial_guess = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
    return smacof(initial_guess, distances)


def smacof(points: Array, distances: Array) -> Array:
    """Return points whose distances minimise the raw stress, from an initial guess. Shapes (n, 2), (n, n).

    Scaling by majorization (de Leeuw, 1977): each round is a Guttman transform. It moves a point to the mean of the
    positions that the other points, at the given distances, would give it; no round increases the stress.
    """
    for _ in range(ROUNDS):
        difference = points[:, None] - points[None]
        current = np.linalg.norm(difference, axis=2)
        ratio = np.where(current > 0.0, distances / np.maximum(current, 1e-12), 0.0)
        points = (ratio[..., None] * difference).sum(axis=1) / len(points)
    return points
