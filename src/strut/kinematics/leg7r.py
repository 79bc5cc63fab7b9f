"""Closed-form inverse kinematics of a 7R leg: a spherical hip, a knee and a spherical ankle.

Standard Denavit-Hartenberg parameters with alpha = (+, +, -, +, -, +, 0) 90 degrees, thigh length d3, shin length d5.
Seven joints serve six coordinates of the foot; the redundancy is `knee_rad`, the rotation of the knee about the line
from hip to ankle. Hainsworth (2017), with the errata in docs/explanations/errata.md corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from strut.arrays import Array
from strut.errors import OutOfReachError

KneeReference = Literal["published", "body"]
SINGULAR = 1e-8  # sine below which an angle is undefined; the published 0.005 rad costs millimetres
_BATCH = 4096  # legs per pass: the intermediate arrays then stay in the processor's cache
_MAX_OF_STRAIGHT = 1.0 / 1.005  # share of the straight leg that clamped targets use (published)
_MIN_OF_FOLDED = 1.005  # the same margin over the folded leg
_MIN_OF_LENGTH = 1e-3  # minimum distance as a share of the straight leg: at distance 0 there is no direction

Axis = tuple[Array, Array, Array]


@dataclass(frozen=True, slots=True)
class Leg:
    """Geometry of one leg in its hip frame; `forward_in_hip` is the robot's x axis in that frame."""

    name: str
    thigh_m: float
    shin_m: float
    knee_sign: int
    forward_in_hip: tuple[float, float, float]

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest distance from hip to ankle."""
        return abs(self.thigh_m - self.shin_m), self.thigh_m + self.shin_m


def clamp_to_reach(leg: Leg, ankle_in_hip: Array) -> Array:
    """Return targets moved along the line through the hip until the leg reaches them. Shape (..., 3) in and out."""
    shortest, longest = leg.reach_m
    distance = np.linalg.norm(ankle_in_hip, axis=-1, keepdims=True)
    nearest = max(shortest * _MIN_OF_FOLDED, _MIN_OF_LENGTH * longest)
    straight_down = np.broadcast_to([0.0, 0.0, -1.0], np.shape(ankle_in_hip))
    direction = np.where(distance > 0.0, ankle_in_hip / np.where(distance > 0.0, distance, 1.0), straight_down)
    return np.asarray(direction * np.clip(distance, nearest, longest * _MAX_OF_STRAIGHT))


def reach_excess(leg: Leg, ankle_in_hip: Array) -> Array:
    """Return the distance of targets beyond the leg's reach, negative within it [m]. Shape (..., 3) in, (...) out."""
    shortest, longest = leg.reach_m
    distance = np.linalg.norm(ankle_in_hip, axis=-1)
    return np.asarray(np.maximum(distance - longest, shortest - distance))


def check_reach(leg: Leg, ankle_in_hip: Array) -> None:
    """Raise OutOfReachError for the worst target that the leg cannot reach. Shape (..., 3)."""
    excess = reach_excess(leg, ankle_in_hip)
    if excess.size and not excess.max() < 0.0:  # NaN is out of reach, too
        worst = np.unravel_index(np.argmax(excess), excess.shape)
        raise OutOfReachError(leg.name, float(np.linalg.norm(ankle_in_hip[worst])), *leg.reach_m)


def leg_forward(leg: Leg, joints_rad: Array) -> tuple[Array, Array, Array]:
    """Return ankle, foot orientation and knee for joint angles (forward kinematics).

    Args:
        leg: Geometry.
        joints_rad: Joint angles. Shape (..., 7).

    Returns:
        Ankle position in the hip frame (..., 3), foot orientation (..., 3, 3) and knee position (..., 3).
    """
    joints = np.asarray(joints_rad, dtype=float)
    quarter_turns = (1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.0)
    offsets = (0.0, 0.0, leg.thigh_m, 0.0, leg.shin_m, 0.0, 0.0)
    rotation = np.broadcast_to(np.eye(3), (*joints.shape[:-1], 3, 3))
    position = np.zeros((*joints.shape[:-1], 3))
    knee = position
    for index, (turn, offset) in enumerate(zip(quarter_turns, offsets, strict=True)):
        c = np.cos(joints[..., index])
        s = np.sin(joints[..., index])
        zero = np.zeros_like(joints[..., index])
        # Rx by a quarter turn permutes the axes: y becomes z and z becomes -y
        x_axis = np.stack([c, s, zero], -1)
        y_axis = np.stack([-s, c, zero], -1)
        z_axis = np.stack([zero, zero, zero + 1.0], -1)
        columns = [x_axis, turn * z_axis, -turn * y_axis] if turn else [x_axis, y_axis, z_axis]
        position = position + rotation[..., :, 2] * offset
        rotation = rotation @ np.stack(columns, axis=-1)
        knee = position if index == 2 else knee
    return position, rotation, knee


def leg_inverse(
    leg: Leg, ankle_in_hip: Array, foot_to_hip: Array, knee_rad: Array | float, *, reference: KneeReference
) -> Array:
    """Return the joint angles for an ankle position, a foot orientation and a knee angle.

    Args:
        leg: Geometry and knee sign.
        ankle_in_hip: Ankle position in the hip frame [m]. Shape (..., 3).
        foot_to_hip: Orientation of the foot. Shape (..., 3, 3).
        knee_rad: Rotation of the knee about the hip-ankle line. Shape (...).
        reference: Zero of that rotation: the plane of joint 1's axis (`published`, undefined where the leg points
            along that axis) or the robot's front (`body`).

    Returns:
        Joint angles, each in (-pi, pi] [rad]. Shape (..., 7).

    Raises:
        OutOfReachError: For the worst target outside the leg's reach.
    """
    check_reach(leg, ankle_in_hip)
    shape = np.broadcast_shapes(np.shape(ankle_in_hip)[:-1], np.shape(foot_to_hip)[:-2], np.shape(knee_rad))
    ankle = np.broadcast_to(ankle_in_hip, (*shape, 3)).reshape(-1, 3)
    foot = np.broadcast_to(foot_to_hip, (*shape, 3, 3)).reshape(-1, 3, 3)
    knee = np.broadcast_to(knee_rad, shape).reshape(-1)
    joints = np.empty((len(ankle), 7))
    for first in range(0, len(ankle), _BATCH):
        rows = slice(first, first + _BATCH)
        _solve(leg, ankle[rows], foot[rows], knee[rows], reference, joints[rows])
    return joints.reshape((*shape, 7))


def knee_position(leg: Leg, ankle_in_hip: Array, knee_rad: Array | float, *, reference: KneeReference) -> Array:
    """Return the knee position for an ankle position and a knee angle. Shapes (..., 3), (...) in, (..., 3) out."""
    ankle = np.moveaxis(np.asarray(ankle_in_hip, dtype=float), -1, 0)
    _, _, knee = _knee(leg, (ankle[0], ankle[1], ankle[2]), np.asarray(knee_rad, dtype=float), reference)
    return np.stack(np.broadcast_arrays(*knee), axis=-1)


def knee_reference_direction(leg: Leg, ankle_in_hip: Array, *, reference: KneeReference) -> Array:
    """Return the unit vector normal to the hip-ankle line at which the knee angle is 0. Shape (..., 3)."""
    ankle = np.moveaxis(np.asarray(ankle_in_hip, dtype=float), -1, 0)
    distance = np.sqrt(ankle[0] ** 2 + ankle[1] ** 2 + ankle[2] ** 2)
    line = (ankle[0] / distance, ankle[1] / distance, ankle[2] / distance)
    return np.stack(_reference_direction(leg, line, reference), axis=-1)


def _reference_direction(leg: Leg, line: Axis, reference: KneeReference) -> Axis:
    """Return the direction of knee angle 0: the reference axis projected off the hip-ankle line, normalised."""
    axis = leg.forward_in_hip if reference == "body" else (0.0, 0.0, -float(leg.knee_sign))
    (ux, uy, uz), length = _project_off_line(axis, line)
    singular = length < SINGULAR
    if np.any(singular):  # the leg points along the reference axis, so a substitute is used
        (sx, sy, sz), spare_length = _project_off_line(_substitute_axis(leg, reference), line)
        sign = 1.0 if reference == "body" else np.sign(line[2])  # azimuth 0, as arctan2(0, 0) gives it
        ux, uy, uz = (np.where(singular, sign * s, u) for s, u in ((sx, ux), (sy, uy), (sz, uz)))
        length = np.where(singular, spare_length, length)
    return ux / length, uy / length, uz / length


def _project_off_line(axis: tuple[float, float, float], line: Axis) -> tuple[Axis, Array]:
    """Return the component of an axis normal to a line, and its length."""
    ex, ey, ez = axis
    nx, ny, nz = line
    along = ex * nx + ey * ny + ez * nz
    ux = ex - along * nx
    uy = ey - along * ny
    uz = ez - along * nz
    return (ux, uy, uz), np.sqrt(ux * ux + uy * uy + uz * uz)


def _substitute_axis(leg: Leg, reference: KneeReference) -> tuple[float, float, float]:
    """Return an axis far from the reference axis."""
    if reference == "published":
        return (float(leg.knee_sign), 0.0, 0.0)
    farthest = int(np.argmin(np.abs(leg.forward_in_hip)))
    return (float(farthest == 0), float(farthest == 1), float(farthest == 2))


def _knee(leg: Leg, ankle: Axis, knee_rad: Array, reference: KneeReference) -> tuple[Array, Array, Axis]:
    """Return cosine and sine of the knee's flexion, and the knee's position by coordinates."""
    px, py, pz = ankle
    thigh = leg.thigh_m
    shin = leg.shin_m
    squared = px * px + py * py + pz * pz
    distance = np.sqrt(squared)
    nx = px / distance
    ny = py / distance
    nz = pz / distance
    cosine = np.clip((squared - thigh * thigh - shin * shin) / (2.0 * thigh * shin), -1.0, 1.0)
    # twice the area of the triangle hip-knee-ankle by Heron's formula: exact where 1 - cosine² cancels
    shortest, longest = leg.reach_m
    area = np.sqrt(np.maximum((longest**2 - squared) * (squared - shortest**2), 0.0)) / 2.0
    sine = leg.knee_sign * area / (thigh * shin)
    along = (squared + thigh * thigh - shin * shin) / (2.0 * distance)
    across = area / distance
    ux, uy, uz = _reference_direction(leg, (nx, ny, nz), reference)
    c = across * np.cos(knee_rad)
    s = across * np.sin(knee_rad)
    knee = (
        along * nx + c * ux + s * (ny * uz - nz * uy),
        along * ny + c * uy + s * (nz * ux - nx * uz),
        along * nz + c * uz + s * (nx * uy - ny * ux),
    )
    return cosine, sine, knee


def _solve(leg: Leg, ankle: Array, foot: Array, knee_rad: Array, reference: KneeReference, joints: Array) -> None:
    """Write the joint angles of N legs into `joints`. Shapes (N, 3), (N, 3, 3), (N,), (N, 7)."""
    px, py, pz = np.ascontiguousarray(ankle.T)
    cos4, sin4, (kx, ky, kz) = _knee(leg, (px, py, pz), knee_rad, reference)

    # hip: the thigh's direction m = (c1 s2, s1 s2, -c2)
    flat = np.sqrt(kx * kx + ky * ky)
    theta1 = np.arctan2(ky, kx)
    theta2 = np.arctan2(flat, -kz)
    vertical = flat < SINGULAR * leg.thigh_m
    safe = np.where(vertical, 1.0, flat)
    c1 = np.where(vertical, 1.0, kx / safe)
    s1 = np.where(vertical, 0.0, ky / safe)
    theta1 = np.where(vertical, 0.0, theta1)
    c2 = -kz / leg.thigh_m
    s2 = flat / leg.thigh_m
    mx = kx / leg.thigh_m
    my = ky / leg.thigh_m
    mz = kz / leg.thigh_m

    # shin's direction b and the knee's axis y = m × b / sin θ4; if the leg is straight, the axis for θ3 = 0
    bx = (px - kx) / leg.shin_m
    by = (py - ky) / leg.shin_m
    bz = (pz - kz) / leg.shin_m
    straight = np.abs(sin4) < SINGULAR
    safe = np.where(straight, 1.0, sin4)
    yx = np.where(straight, s1, (my * bz - mz * by) / safe)
    yy = np.where(straight, -c1, (mz * bx - mx * bz) / safe)
    yz = np.where(straight, 0.0, (mx * by - my * bx) / safe)
    theta3 = np.arctan2(-(yx * c1 * c2 + yy * s1 * c2 + yz * s2), yx * s1 - yy * c1)

    # ankle: W = (x, y, b)ᵀ R is a Z-Y-Z triple
    xx = yy * bz - yz * by
    xy = yz * bx - yx * bz
    xz = yx * by - yy * bx
    r = np.ascontiguousarray(foot.reshape(-1, 9).T)
    w02 = _dot(xx, xy, xz, r[2::3])
    w12 = _dot(yx, yy, yz, r[2::3])
    w22 = _dot(bx, by, bz, r[2::3])
    w00 = _dot(xx, xy, xz, r[0::3])
    w10 = _dot(yx, yy, yz, r[0::3])
    w01 = _dot(xx, xy, xz, r[1::3])
    w11 = _dot(yx, yy, yz, r[1::3])
    sin6 = np.sqrt(w02 * w02 + w12 * w12)
    in_line = sin6 < SINGULAR
    safe = np.where(in_line, 1.0, sin6)
    c5 = np.where(in_line, 1.0, w02 / safe)
    s5 = np.where(in_line, 0.0, w12 / safe)
    theta5 = np.arctan2(w12, w02)
    theta6 = np.arctan2(sin6, w22)
    theta7 = np.arctan2(w10 * c5 - w00 * s5, w11 * c5 - w01 * s5)
    if in_line.any():  # θ5 and θ7 have one axis: θ5 takes the sum
        sign = np.where(w22 > 0.0, 1.0, -1.0)
        theta5 = np.where(in_line, np.arctan2(sign * w10, sign * w00), theta5)
        theta7 = np.where(in_line, 0.0, theta7)
    for index, angle in enumerate((theta1, theta2, theta3, np.arctan2(sin4, cos4), theta5, theta6, theta7)):
        joints[:, index] = angle


def _dot(x: Array, y: Array, z: Array, column: Array) -> Array:
    return np.asarray(x * column[0] + y * column[1] + z * column[2])
