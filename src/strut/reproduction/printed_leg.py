"""Printed leg: the inverse kinematics step by step as the thesis has it, with one of its misprints left in.

Only here to show what a misprint costs; strut walks with `kinematics.leg7r`, which goes another way to the same joints.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from strut.kinematics.leg7r import Leg, leg_forward
from strut.robot import Array

Misprint = Literal["flexion", "knee axis", "turn angle", "thresholds"]


def printed_inverse(
    leg: Leg, ankle_in_hip: Array, foot_to_hip: Array, knee_rad: Array, misprint: Misprint | None
) -> Array:
    """Return the joint angles that the printed equations give.

    Args:
        leg: Geometry and knee sign.
        ankle_in_hip: Shape (N, 3) [m]; the misprints of `flexion` and `turn angle` depend on the unit of length.
        foot_to_hip: Shape (N, 3, 3).
        knee_rad: Turn of the knee about the hip-ankle line, printed reference. Shape (N,).
        misprint: Which one to leave in: the knee's flexion (E1), the axis about which the knee turns (E2), the inverse
            of the finite rotation in the appendix (E3), the listing's wide thresholds of singularity (E6b).

    Returns:
        Joint angles [rad]. Shape (N, 7).
    """
    theta4 = _flexion(leg, np.linalg.norm(ankle_in_hip, axis=-1), misprint)
    knee = _knee(leg, ankle_in_hip, theta4, knee_rad, misprint)
    theta1 = np.arctan2(knee[:, 1], knee[:, 0])
    theta2 = np.arctan2(np.hypot(knee[:, 0], knee[:, 1]), -knee[:, 2])
    if misprint == "thresholds":
        theta1 = np.where(_rounds_to_zero_or_pi(theta2), 0.0, theta1)
    theta3 = _spin(leg, ankle_in_hip, knee, (theta1, theta2, theta4), misprint)
    if misprint == "thresholds":
        theta3 = np.where(_rounds_to_zero_or_pi(theta4), 0.0, theta3)
    none = np.zeros_like(theta1)
    _, shin_to_hip, _ = leg_forward(leg, np.stack([theta1, theta2, theta3, theta4, none, none, none], axis=-1))
    ankle = _ankle(np.swapaxes(shin_to_hip, -1, -2) @ foot_to_hip, misprint)
    return np.stack([theta1, theta2, theta3, theta4, *ankle], axis=-1)


def _flexion(leg: Leg, distance: Array, misprint: Misprint | None) -> Array:
    """Return the knee joint's angle. Shape (N,)."""
    shortest, longest = leg.reach_m
    if misprint == "flexion":
        return np.asarray(leg.knee_sign * np.arctan(np.sqrt(longest**2 - distance**2) / (distance**2 - longest**2)))
    ratio = (longest**2 - distance**2) / (distance**2 - shortest**2)
    return np.asarray(leg.knee_sign * 2.0 * np.arctan(np.sqrt(ratio)))


def _knee(leg: Leg, ankle: Array, theta4: Array, knee_rad: Array, misprint: Misprint | None) -> Array:
    """Return the knee: as if the leg had no spare joint, then turned by the knee angle. Shape (N, 3)."""
    azimuth = np.arctan2(ankle[:, 1], ankle[:, 0])
    elevation = np.arctan2(ankle[:, 2], np.hypot(ankle[:, 0], ankle[:, 1]))
    inside = np.arctan2(leg.shin_m * np.sin(theta4), leg.thigh_m + leg.shin_m * np.cos(theta4))
    pitch = elevation - inside + np.pi / 2.0
    before = leg.thigh_m * np.stack(
        [np.cos(azimuth) * np.sin(pitch), np.sin(azimuth) * np.sin(pitch), -np.cos(pitch)], axis=-1
    )
    axis = _unit(before if misprint == "knee axis" else ankle)
    c, s = np.cos(knee_rad)[:, None], np.sin(knee_rad)[:, None]
    along = np.sum(axis * before, axis=-1, keepdims=True)
    return np.asarray(axis * along * (1.0 - c) + before * c + np.cross(axis, before) * s)


def _spin(leg: Leg, ankle: Array, knee: Array, joints: tuple[Array, Array, Array], misprint: Misprint | None) -> Array:
    """Return the spare joint's angle, which turns the shin about the thigh. Shape (N,)."""
    theta1, theta2, theta4 = joints
    none = np.zeros_like(theta1)
    unspun, _, _ = leg_forward(leg, np.stack([theta1, theta2, none, theta4, none, none, none], axis=-1))
    before, after, axis = unspun - knee, ankle - knee, _unit(knee)
    along = np.sum(before * axis, axis=-1)
    across = np.cross(axis, before)
    cosine = (np.sum(before * after, axis=-1) - along**2) / (np.sum(before**2, axis=-1) - along**2)
    sine = np.sum(across * (after - along[:, None] * axis), axis=-1)
    if misprint != "turn angle":
        sine = sine / np.sum(across**2, axis=-1)
    return np.asarray(np.arctan2(sine, cosine))


def _ankle(turn: Array, misprint: Misprint | None) -> tuple[Array, Array, Array]:
    """Return the ankle's three angles from the foot's orientation in the shin. Shape (N, 3, 3) in, (N,) each out."""
    theta5 = np.arctan2(turn[:, 1, 2], turn[:, 0, 2])
    c, s = np.cos(theta5), np.sin(theta5)
    theta6 = np.arctan2(turn[:, 0, 2] * c + turn[:, 1, 2] * s, turn[:, 2, 2])
    theta7 = np.arctan2(turn[:, 1, 0] * c - turn[:, 0, 0] * s, turn[:, 1, 1] * c - turn[:, 0, 1] * s)
    if misprint == "thresholds":
        in_line, folded = np.abs(theta6) < 0.001, _rounds_to(theta6, np.pi)
        theta5 = np.where(in_line, np.arctan2(turn[:, 1, 0], turn[:, 0, 0]), theta5)
        theta5 = np.where(folded, np.arctan2(-turn[:, 1, 0], -turn[:, 0, 0]), theta5)
        theta7 = np.where(in_line | folded, 0.0, theta7)
    return theta5, theta6, theta7


def _rounds_to(angle: Array, target_rad: float) -> npt.NDArray[np.bool_]:
    """Return the listing's test of equality: both angles rounded to hundredths. Shape (N,)."""
    return np.asarray(np.round(angle * 100.0) == round(target_rad * 100.0))


def _rounds_to_zero_or_pi(angle: Array) -> npt.NDArray[np.bool_]:
    return _rounds_to(angle, 0.0) | _rounds_to(angle, np.pi)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True))
