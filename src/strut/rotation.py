"""Rotation: matrices about y, from Z-Y-Z angles and from rotation vectors, over any leading shape; and back."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from strut.robot import Array


def rotation_y(angle_rad: Array | float) -> Array:
    """Return the rotation about y. Shape (...) in, (..., 3, 3) out."""
    angle = np.asarray(angle_rad, dtype=float)
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = [np.stack([c, zero, s], -1), np.stack([zero, one, zero], -1), np.stack([-s, zero, c], -1)]
    return np.stack(rows, axis=-2)


def rotation_from_zyz(angles_rad: Array) -> Array:
    """Return Rz(a) Ry(b) Rz(c) of intrinsic Z-Y-Z angles. Shape (3,) in, (3, 3) out."""
    return np.asarray(Rotation.from_euler("ZYZ", angles_rad).as_matrix())


def rotation_vector(rotation: Array) -> Array:
    """Return axis times angle of a rotation. Shape (3, 3) in, (3,) out."""
    return np.asarray(Rotation.from_matrix(rotation).as_rotvec())


def rotation_from_vector(vector_rad: Array) -> Array:
    """Return the rotation by |v| about v. Shape (..., 3) in, (..., 3, 3) out."""
    flat = Rotation.from_rotvec(np.reshape(vector_rad, (-1, 3))).as_matrix()
    return np.asarray(flat).reshape((*np.shape(vector_rad), 3))


def without_twist(rotation: Array) -> Array:
    """Return the smallest rotation that brings z where the given one does: without its twist about z. (..., 3, 3)."""
    z = rotation[..., 2]
    sine = np.hypot(z[..., 0], z[..., 1])
    scale = np.arctan2(sine, z[..., 2]) / np.where(sine > 0.0, sine, 1.0)
    return rotation_from_vector(np.stack([-z[..., 1] * scale, z[..., 0] * scale, np.zeros_like(scale)], axis=-1))


def turn_angle(before: Array, after: Array, axis: Array) -> Array:
    """Return by how much `before` was turned about `axis` to become `after`: the inverse of a finite rotation.

    Args:
        before: Vector before the turn. Shape (..., 3).
        after: Vector after the turn. Shape (..., 3).
        axis: Unit axis of the turn. Shape (..., 3).

    Returns:
        Angle in (-pi, pi] [rad]; 0 where `before` is parallel to the axis and no angle is defined. Shape (...).
    """
    along = np.sum(before * axis, axis=-1)
    sine = np.sum(np.cross(axis, before) * after, axis=-1)
    cosine = np.sum(before * after, axis=-1) - along**2
    return np.asarray(np.arctan2(sine, cosine))  # both lack the same positive denominator |axis x before|²
