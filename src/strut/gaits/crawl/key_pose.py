"""Key pose: feet and knees of a standing quadruped, and how a style moves them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strut.arrays import Array, frozen_array
from strut.errors import BadTableError
from strut.kinematics.leg_chain import LegChain, leg_chains
from strut.maths.rotation import rotation_from_vector, rotation_from_zyz, rotation_vector, rotation_y
from strut.robot import Robot
from strut.schemas.expression import LegPose
from strut.style import Style

_MIRROR = np.array([1.0, -1.0, 1.0])
_MIRROR_TURN = np.array([-1.0, 1.0, -1.0])  # S exp(v) S = exp(-S v) for the mirror S in the x-z plane


@dataclass(frozen=True, slots=True, eq=False)
class KeyPose:
    """A neutral stance and its deviation by a style, for all legs in the order of the robot's feet.

    Args:
        foot_in_body: Neutral centres of the feet [m]. Shape (n, 3).
        foot_change_m: Shape (n, 3).
        foot_turn_rad: Turn of the feet from parallel to the body, as rotation vectors. Shape (n, 3).
        knee_rad: Neutral knee angles, published reference. Shape (n,).
        knee_change_rad: Shape (n,).
        lift_change_m: Change of the step height. Shape (n,).
    """

    foot_in_body: Array
    foot_change_m: Array
    foot_turn_rad: Array
    knee_rad: Array
    knee_change_rad: Array
    lift_change_m: Array

    def __post_init__(self) -> None:
        for name in self.__slots__:
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    def feet(self, weight: Array) -> Array:
        """Return the feet in the body with a share of the deviation. Shape (...) in, (..., n, 3) out."""
        return np.asarray(self.foot_in_body + np.asarray(weight)[..., None, None] * self.foot_change_m)

    def foot_rotations(self, weight: Array) -> Array:
        """Return the feet's orientation in the body. Shape (...) in, (..., n, 3, 3) out."""
        return rotation_from_vector(np.asarray(weight)[..., None, None] * self.foot_turn_rad)

    def knees(self, weight: Array) -> Array:
        """Return the knee angles. Shape (...) in, (..., n) out."""
        return np.asarray(self.knee_rad + np.asarray(weight)[..., None] * self.knee_change_rad)


@dataclass(frozen=True, slots=True, eq=False)
class PoseBlend:
    """Several key poses of one stance; a blend has the weighted sum of their deviations."""

    poses: tuple[KeyPose, ...]

    @property
    def foot_in_body(self) -> Array:
        """Neutral centres of the feet [m]. Shape (n, 3)."""
        return self.poses[0].foot_in_body

    def feet(self, weights: Array) -> Array:
        """Return the feet in the body with weights of the poses. Shape (..., k) in, (..., n, 3) out."""
        changes = np.stack([pose.foot_change_m for pose in self.poses])
        return np.asarray(self.foot_in_body + np.einsum("...k,kni->...ni", weights, changes))

    def foot_rotations(self, weights: Array) -> Array:
        """Return the feet's orientation in the body. Shape (..., k) in, (..., n, 3, 3) out."""
        turns = np.stack([pose.foot_turn_rad for pose in self.poses])
        return rotation_from_vector(np.einsum("...k,kni->...ni", weights, turns))

    def knees(self, weights: Array) -> Array:
        """Return the knee angles. Shape (..., k) in, (..., n) out."""
        changes = np.stack([pose.knee_change_rad for pose in self.poses])
        return np.asarray(self.poses[0].knee_rad + np.einsum("...k,kn->...n", weights, changes))


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The ground plane under a pose, relative to the body.

    Args:
        nose_up_rad: Pitch of the body over the ground. Shape (...).
        height_m: Height of the body's origin over the plane of the feet. Shape (...).
        footprint_m: Feet along and across the ground from the point under the body's origin. Shape (..., n, 2).
    """

    nose_up_rad: Array
    height_m: Array
    footprint_m: Array


def ground_under(foot_in_body: Array) -> Ground:
    """Return the ground through the feet of a left-right symmetric stance. Shape (..., n, 3)."""
    x = foot_in_body[..., 0]
    z = foot_in_body[..., 2]
    mean_x = x.mean(axis=-1)
    mean_z = z.mean(axis=-1)
    from_mean = x - mean_x[..., None]
    slope = np.sum(from_mean * (z - mean_z[..., None]), axis=-1) / np.sum(from_mean**2, axis=-1)
    nose_up = -np.arctan(slope)
    along_x = np.cos(nose_up)[..., None]
    along_z = -np.sin(nose_up)[..., None]
    footprint = np.stack([x * along_x + z * along_z, foot_in_body[..., 1]], axis=-1)
    height = (slope * mean_x - mean_z) * np.cos(nose_up)
    return Ground(nose_up, height, footprint)


def key_pose(robot: Robot, style: Style) -> KeyPose:
    """Return the robot's key pose for a style: the weighted sum of its postures' published deviations."""
    poses = robot.expression.poses
    if "neutral" not in poses:
        raise BadTableError(
            f"{robot.name} has no pose called neutral under [parameter.postures.pose] in its expression.toml."
        )
    rows = [_leg_rows(poses, *_place_of(chain), style) for chain in leg_chains(robot)]
    if not rows:
        raise BadTableError(f"{robot.name} has no feet to stand on: its robot.toml names none under [foot].")
    pose = KeyPose(*(np.array(column) for column in zip(*rows, strict=True)))
    carried_m = pose.foot_in_body * np.array([1.0, style.stance_width, style.body_height])
    carriage_m = np.asarray(carried_m @ rotation_y(style.body_pitch_rad) - pose.foot_in_body)
    return replace(pose, foot_change_m=pose.foot_change_m + carriage_m)


def _place_of(chain: LegChain) -> tuple[str, bool]:
    """Return `front` or `hind`, and whether the leg is on the right, from the position of its hip."""
    return "front" if chain.offset_m[0, 0] > 0.0 else "hind", bool(chain.offset_m[0, 1] < 0.0)


def _leg_rows(poses: Mapping[str, Mapping[str, LegPose]], end: str, right: bool, style: Style) -> tuple[Any, ...]:
    """Return one leg's entries of KeyPose; right legs mirror the left ones, so that their knees are mirror images."""
    if end not in poses["neutral"]:
        raise BadTableError(f"expression.toml says no place of a {end} foot in the pose called neutral.")
    neutral = poses["neutral"][end]
    rows = [(weight, poses[name][end]) for name, weight in style.postures]
    change = sum((weight * np.array(row.foot_m) for weight, row in rows), start=np.zeros(3))
    turn = sum(
        (weight * rotation_vector(rotation_from_zyz(np.array(row.foot_zyz_rad))) for weight, row in rows),
        start=np.zeros(3),
    )
    knee_change = sum(weight * row.knee_rad for weight, row in rows)
    lift_change = sum(weight * row.step_height_m for weight, row in rows)
    side, turn_side, knee_side = (_MIRROR, _MIRROR_TURN, -1.0) if right else (1.0, 1.0, 1.0)
    return (
        np.array(neutral.foot_m) * side,
        change * side,
        turn * turn_side,
        neutral.knee_rad * knee_side,
        knee_change * knee_side,
        lift_change,
    )
