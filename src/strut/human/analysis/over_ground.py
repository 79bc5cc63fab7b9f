"""Over ground: a walk on a treadmill as it would be on a floor: positions relative to the belt.

The velocity of the belt is that of feet while they stand flat, measured in the motion; what its file says does not
count.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.human.anatomy import SIDES, points_of_side
from strut.kinematics.treadmill import belt_velocity
from strut.maths.sampling import runs
from strut.motion import Motion
from strut.robot import Robot


def belt_velocity_of(robot: Robot, motion: Motion) -> Array:
    """Return the velocity of the ground in a human walk; zero on a floor. Shape (2,)."""
    body_m_s = (motion.qpos[-1, :2] - motion.qpos[0, :2]) / motion.duration_s
    return belt_velocity(body_m_s, _standing_feet_velocity(robot, motion))


def over_ground(robot: Robot, motion: Motion) -> Motion:
    """Return a walk with positions relative to the belt; the walk itself if the ground does not move."""
    belt_m_s = belt_velocity_of(robot, motion)
    if not belt_m_s.any():
        return motion
    carried_m = np.outer(motion.time_s - motion.time_s[0], belt_m_s)
    qpos = motion.qpos.copy()
    qpos[:, :2] -= carried_m
    cop = motion.cop_in_world
    return replace(motion, qpos=qpos, cop_in_world=None if cop is None else cop - carried_m)


def _standing_feet_velocity(robot: Robot, motion: Motion) -> Array:
    """Return the mean velocity of feet that stand on all their contact points; zero if none ever does. Shape (2,)."""
    points = foot_contact_points(robot, motion.qpos)
    travelled_m = np.zeros(2)
    standing_s = 0.0
    for side in SIDES:
        columns = points_of_side(motion.foot_names, side)
        middle = points[:, columns, :2].mean(axis=1)
        for stance in runs(np.asarray(motion.contact[:, columns].all(axis=1))):
            travelled_m += middle[stance.stop - 1] - middle[stance.start]
            standing_s += float(motion.time_s[stance.stop - 1] - motion.time_s[stance.start])
    return travelled_m / standing_s if standing_s > 0.0 else travelled_m
