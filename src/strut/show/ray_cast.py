"""Ray cast: where rays meet the parts of a robot's body. Exact for boxes, capsules and balls, so limbs look round."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.engines.rigid_body import Solid
from strut.robot import Array

CLOSEST = 1e-6  # a ray that starts on a surface does not meet that surface


def half_sizes_m(solid: Solid) -> Array:
    """Return how far a part reaches along its own axes. Shape (3,)."""
    if solid.kind == "box":
        return solid.size_m
    radius_m = float(solid.size_m[0])
    return np.array([radius_m, radius_m, radius_m + (solid.size_m[1] if solid.kind == "capsule" else 0.0)])


def solid_reach_m(solid: Solid) -> float:
    """Return how far from its centre a part reaches."""
    half_m = half_sizes_m(solid)
    return float(np.linalg.norm(half_m) if solid.kind == "box" else half_m[2])


def hit_distance(solid: Solid, origin: Array, direction: Array) -> Array:
    """Return how many directions a ray goes until it meets a part, infinity where it misses.

    Args:
        solid: The part.
        origin: Start of the rays in the part's frame. Shape (..., 3).
        direction: Shape (..., 3), broadcast against `origin`.

    Returns:
        Shape (...).
    """
    if solid.kind == "box":
        return _box_distance(solid.size_m, origin, direction)
    radius_m = float(solid.size_m[0])
    if solid.kind == "sphere":
        return _ball_distance(radius_m, origin, direction)
    half_m = float(solid.size_m[1])
    tip = np.array([0.0, 0.0, half_m])
    tube = _tube_distance(radius_m, half_m, origin, direction)
    ends = np.minimum(
        _ball_distance(radius_m, origin - tip, direction), _ball_distance(radius_m, origin + tip, direction)
    )
    return np.minimum(tube, ends)


def surface_normal(solid: Solid, points: Array) -> Array:
    """Return the outward unit normals at points on a part's surface, in the part's frame. Shape (..., 3) in and out."""
    if solid.kind == "box":
        share = points / solid.size_m
        face = np.argmax(np.abs(share), axis=-1)
        return np.asarray(np.eye(3)[face] * np.sign(np.take_along_axis(share, face[..., None], axis=-1)))
    away = points.copy()
    if solid.kind == "capsule":
        away[..., 2] -= np.clip(points[..., 2], -solid.size_m[1], solid.size_m[1])
    return np.asarray(away / np.linalg.norm(away, axis=-1, keepdims=True))


def shaded(
    parts: tuple[Solid, ...], centre_in_world: Array, solid_to_world: Array, points_in_world: Array, light: Array
) -> npt.NDArray[np.bool_]:
    """Return which points lie in the shadow of any part.

    Args:
        parts: The n parts.
        centre_in_world: Shape (n, 3).
        solid_to_world: Shape (n, 3, 3).
        points_in_world: Shape (m, 3).
        light: Unit vector towards the light. Shape (3,).

    Returns:
        Shape (m,).
    """
    dark = np.zeros(len(points_in_world), dtype=np.bool_)
    across = np.linalg.svd(light[None])[2][1:]  # two unit vectors square to the light
    u, v = across @ points_in_world.T
    for solid, centre, rotation in zip(parts, centre_in_world, solid_to_world, strict=True):
        u_centre, v_centre = across @ centre
        near = np.flatnonzero((u - u_centre) ** 2 + (v - v_centre) ** 2 < solid_reach_m(solid) ** 2)
        near = near[~dark[near]]
        origin = (points_in_world[near] - centre) @ rotation
        dark[near] = np.isfinite(hit_distance(solid, origin, light @ rotation))
    return dark


def _dot(left: Array, right: Array) -> Array:
    """Return dot products over the last axis."""
    return np.asarray(np.einsum("...i,...i->...", left, right))


def _roots(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Return the two roots of a t² + 2 b t + c = 0, infinity where there are none. Shape (...) each."""
    square = b**2 - a * c
    real = (square >= 0.0) & (a > 1e-18)
    root, divisor = np.sqrt(np.where(real, square, 0.0)), np.where(real, a, 1.0)
    return np.where(real, (-b - root) / divisor, np.inf), np.where(real, (-b + root) / divisor, np.inf)


def _first(one: Array, other: Array) -> Array:
    """Return the smaller of two distances that lies ahead of the start."""
    return np.minimum(np.where(one > CLOSEST, one, np.inf), np.where(other > CLOSEST, other, np.inf))


def _ball_distance(radius_m: float, origin: Array, direction: Array) -> Array:
    a, b, c = _dot(direction, direction), _dot(origin, direction), _dot(origin, origin) - radius_m**2
    return _first(*_roots(a, b, c))


def _tube_distance(radius_m: float, half_m: float, origin: Array, direction: Array) -> Array:
    across, towards = origin[..., :2], direction[..., :2]
    a, b, c = _dot(towards, towards), _dot(across, towards), _dot(across, across) - radius_m**2
    found = []
    for root in _roots(a, b, c):
        height = origin[..., 2] + np.where(np.isfinite(root), root, 0.0) * direction[..., 2]
        found.append(np.where(np.abs(height) <= half_m, root, np.inf))
    return _first(found[0], found[1])


def _box_distance(half_sizes_m: Array, origin: Array, direction: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (-half_sizes_m - origin) / direction, (half_sizes_m - origin) / direction
    enter = np.nanmax(np.fmin(low, high), axis=-1)
    leave = np.nanmin(np.fmax(low, high), axis=-1)
    met = enter <= leave
    return _first(np.where(met, enter, np.inf), np.where(met, leave, np.inf))
