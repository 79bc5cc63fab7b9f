"""Leg angles: the twelve joint angles of two legs, from joint points in closed form, and back.

Angles run from the right ankle to the left one, theta 1 to 12: roll, pitch, knee, hip pitch, yaw, roll, and back.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.gaits.footsteps.biped_model import BipedModel
from strut.gaits.footsteps.biped_posture import PostureTargets
from strut.maths.rotation import elementary_rotation

UP = np.array([0.0, 0.0, 1.0])
MODEL_ORDER = (*range(5, -1, -1), *range(6, 12))  # the robot's joints run from the hips down, right leg first


def leg_angles(joint_in_world: Array) -> Array:
    """Return theta 1 to 12. Shape (N, 8, 3) in, (N, 12) out."""
    p12, p23, p34, p45, p56, p67, p78 = np.moveaxis(np.diff(joint_in_world, axis=1), 1, 0)
    forward = np.cross(-p34, p45)
    right = np.cross(p23, p12)
    left = np.cross(p67, p78)  # normals of the leg planes, both to the left
    to_knee = {
        "right": joint_in_world[:, 1] - joint_in_world[:, 3],
        "left": joint_in_world[:, 6] - joint_in_world[:, 3],
    }
    theta = np.empty((len(joint_in_world), 12))
    theta[:, 0], theta[:, 1] = _ankle(p12, right)
    theta[:, 2] = _angle(p12, p23)
    theta[:, 3] = np.sign(_dot(forward, to_knee["right"])) * _angle(p34, p23)
    theta[:, 4] = np.pi / 2.0 - _angle(right, forward)
    theta[:, 5] = _angle(-p34, p45) - np.pi / 2.0
    theta[:, 6] = np.pi / 2.0 - _angle(-p45, p56)
    theta[:, 7] = np.pi / 2.0 - _angle(left, forward)
    theta[:, 8] = np.sign(_dot(forward, to_knee["left"])) * _angle(p56, p67)
    theta[:, 9] = _angle(p78, p67)
    theta[:, 11], theta[:, 10] = _ankle(-p78, left)
    return theta


def chain_points(
    legs: BipedModel, theta_rad: Array, ankle_in_world: Array, heading_rad: Array
) -> tuple[Array, Array, Array]:
    """Return the forward kinematics from the right ankle on, the inverse of `leg_angles`.

    Args:
        legs: The lower body.
        theta_rad: Shape (N, 12).
        ankle_in_world: Right ankle. Shape (N, 3).
        heading_rad: Heading of the right foot. Shape (N,).

    Returns:
        Joint points (N, 8, 3), rotation of the body (N, 3, 3) and of the left foot (N, 3, 3), all in world.
    """
    lengths = legs.link_m
    t = theta_rad.T
    rotation = elementary_rotation(2, heading_rad)
    body = np.empty((len(theta_rad), 3, 3))
    points = np.empty((len(theta_rad), 8, 3))
    points[:, 0] = ankle_in_world
    moves = (
        (((0, t[0]), (1, t[1])), 2, lengths[0]),
        (((1, -t[2]),), 2, lengths[1]),
        (((1, t[3]), (2, t[4])), 2, lengths[2]),
        (((0, t[5]),), 1, lengths[3]),
        (((0, -t[6]),), 2, -lengths[4]),
        (((2, -t[7]), (1, -t[8])), 2, -lengths[5]),
        (((1, t[9]),), 2, -lengths[6]),
    )
    for link, (turns, axis, length) in enumerate(moves):
        for about, angle in turns:
            rotation = rotation @ elementary_rotation(about, angle)
        if link == 3:
            body = rotation
        points[:, link + 1] = points[:, link] + length * rotation[:, :, axis]
    return points, body, rotation @ elementary_rotation(1, -t[10]) @ elementary_rotation(0, -t[11])


def posture_qpos(
    legs: BipedModel, joint_in_world: Array, targets: PostureTargets, upper_rad: Array | None = None
) -> Array:
    """Return the configuration: base between the hips, legs, then the joints above the hips.

    Args:
        legs: The lower body.
        joint_in_world: Joint points. Shape (N, 8, 3).
        targets: Conditions of the postures.
        upper_rad: Joint angles above the hips; zero if None. Shape (N, n_upper).

    Returns:
        Shape (N, 19 + n_upper).
    """
    half = targets.body_heading_rad / 2.0
    zero = np.zeros_like(half)
    quaternion = np.stack([np.cos(half), zero, zero, np.sin(half)], axis=1)
    base = (joint_in_world[:, 3] + joint_in_world[:, 4]) / 2.0
    upper = np.zeros((len(base), legs.upper_joints)) if upper_rad is None else upper_rad
    return np.concatenate([base, quaternion, leg_angles(joint_in_world)[:, MODEL_ORDER], upper], axis=1)


def _ankle(shin: Array, normal: Array) -> tuple[Array, Array]:
    """Return roll and pitch of an ankle, given the shin (upwards) and the normal of the leg's plane. (N, 3) each."""
    along = np.cross(UP, normal)
    level = np.cross(along, UP)
    across_shin = np.cross(shin, normal)
    roll = np.sign(normal[:, 2]) * _angle(normal, level)
    return roll, np.sign(across_shin[:, 2]) * _angle(across_shin, along)


def _angle(a: Array, b: Array) -> Array:
    """Return the angle between vectors; arccos would lose half the digits near 0. Shape (N, 3) each in, (N,) out."""
    return np.asarray(np.arctan2(np.linalg.norm(np.cross(a, b), axis=1), _dot(a, b)))


def _dot(a: Array, b: Array) -> Array:
    return np.asarray(np.sum(a * b, axis=1))
