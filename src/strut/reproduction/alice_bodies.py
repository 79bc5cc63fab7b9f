"""Alice's bodies: the robot with the torso mass and shoes that a published number assumes, and golden targets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from strut.kinematics.posture import PostureTargets
from strut.models.axis_robot import axis_robot
from strut.robot import Array, Robot


def variant(robot: Robot, *, torso_m: float, half_width_m: float) -> Robot:
    """Return the robot with its torso mass at a height over the hips and with shoes of another width."""
    table = dict(robot.table("robot"))
    leg = table["limb"]["leg"]
    table["body"] = {**table["body"], "com_m": [0.0, 0.0, torso_m]}
    table["limb"] = {"leg": {**leg, "foot": {**leg["foot"], "width_m": 2.0 * half_width_m}}}
    return axis_robot(robot.name, {**robot.tables, "robot": table})


def golden_target(entry: Mapping[str, Any], separation_cm: float) -> PostureTargets:
    """Return a golden posture's target, written in cm and degrees, at a body height of 22 cm."""
    right = entry.get("right", [0.0, -separation_cm / 2.0, 0.0])
    left = entry.get("left", [0.0, separation_cm / 2.0, 0.0])
    headings = np.radians(entry.get("headings", [0.0, 0.0, 0.0]))
    return PostureTargets(
        np.array([[right, left]]) / 100.0,
        np.array([entry["com"]]) / 100.0,
        headings[None, :2],
        headings[2:],
        np.array([0.22]),
    )


def swing_targets(step_m: Array, height_m: Array, separation_m: float, *, points: int = 25) -> PostureTargets:
    """Return the targets of left swings, the centre of mass over the right shoe. Shape (N,) each, N × points out."""
    share = np.linspace(0.0, 1.0, points)
    count = len(step_m)
    ankles = np.zeros((count, points, 2, 3))
    ankles[..., 0, 1], ankles[..., 1, 1] = -separation_m / 2.0, separation_m / 2.0
    ankles[..., 1, 0] = step_m[:, None] * (share**3 * (10.0 + share * (6.0 * share - 15.0)))
    ankles[..., 1, 2] = 0.015 * 64.0 * (share * (1.0 - share)) ** 3
    total = count * points
    com = np.tile([0.0, -separation_m / 2.0], (total, 1))
    return PostureTargets(
        ankles.reshape(total, 2, 3), com, np.zeros((total, 2)), np.zeros(total), np.repeat(height_m, points)
    )
