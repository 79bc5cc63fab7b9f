"""Foot drift: how badly the angles of a file explain a movement; the right reading of a file has the smallest error.

In every gait the lowest point of the feet stands still, and joints stay in their ranges. Under a wrong order of joints
or quaternions, or with the legs exchanged, that point slides and joints leave their ranges.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array, Index
from strut.balance.contact_detection import base_height
from strut.engines.rigid_body import GRAVITY_M_S2, foot_contact_points
from strut.robot import Robot

SCORED_SAMPLES = 200  # of a clip, spread evenly: enough to distinguish readings
CLEARLY = 2.0  # a reading is found if its error is so many times smaller than that of the other
NO_ERROR = 0.02  # errors below are noise: a foot of a 0.75 m robot moves by 5 cm/s, or a joint is 1 degree beyond


def scored_pairs(samples: int) -> Index:
    """Return pairs of neighbouring samples, spread evenly over a clip. Shape (n, 2)."""
    first = np.arange(0, samples - 1, max(1, samples // SCORED_SAMPLES))
    return np.stack([first, first + 1], axis=1)


def movement_error(robot: Robot, time_s: Array, qpos: Array) -> float:
    """Return how badly configurations explain a movement: speed of the lowest foot point, and angles out of range.

    The speed is over sqrt(g h); it is the median over pairs of samples, so flight and noise do not decide. Angles are
    the mean by which joints leave their ranges, in radians.

    Args:
        robot: The robot.
        time_s: Times of pairs of neighbouring samples. Shape (n, 2).
        qpos: Their configurations. Shape (n, 2, nq).
    """
    angles = qpos[..., robot.base_size :]
    beyond_rad = np.maximum(robot.joint_lower_rad - angles, angles - robot.joint_upper_rad)
    error = NO_ERROR + float(np.maximum(beyond_rad, 0.0).mean())
    if not robot.feet:
        return error
    pairs = len(qpos)
    point_m = foot_contact_points(robot, qpos.reshape(2 * pairs, -1)).reshape(pairs, 2, -1, 3)
    lowest = np.argmin(point_m[..., 2].sum(axis=1), axis=1)
    every = np.arange(pairs)
    drift_m = np.linalg.norm(point_m[every, 1, lowest] - point_m[every, 0, lowest], axis=1)
    speed_m_s = drift_m / (time_s[:, 1] - time_s[:, 0])
    return error + float(np.median(speed_m_s)) / float(np.sqrt(GRAVITY_M_S2 * base_height(robot)))
