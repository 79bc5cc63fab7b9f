"""Coupled joints: the free joints of a robot, and how the others follow them while its springs are at rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Index
from strut.errors import BadTableError
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class CoupledJoints:
    """All joint angles = rest + follow @ free joint angles.

    Args:
        free: Indices of the free joints. Shape (m,).
        rest_rad: Angles of all joints where the free ones are zero. Shape (n_joints,).
        follow: Angle of each joint per angle of each free joint. Shape (n_joints, m).
    """

    free: Index
    rest_rad: Array
    follow: Array

    def all_rad(self, free_rad: Array) -> Array:
        """Return all joint angles. Shape (..., m) in, (..., n_joints) out."""
        return self.rest_rad + free_rad @ self.follow.T

    def motor_torque_nm(self, torque_nm: Array) -> Array:
        """Return the torques of the free joints that do the same work. Shape (..., n_joints) in, (..., m) out."""
        return torque_nm @ self.follow


def coupled_joints(robot: Robot) -> CoupledJoints:
    """Return how the springs of control.toml couple the joints of a robot; without the file, all joints are free."""
    names = list(robot.joint_names)
    table = robot.tables.control
    springs = {} if table is None else {spring.joint: spring for spring in table.spring}
    if missing := set(springs) - set(names):
        raise BadTableError(f"control.toml: the model has no joint {sorted(missing)[0]}.")
    free = [name for name in names if name not in springs]
    rest = np.zeros(len(names))
    follow = np.zeros((len(names), len(free)))
    for row, name in enumerate(names):
        if name in springs:
            rest[row] = springs[name].rest_rad
            followed = springs[name].follows
            if followed is not None:
                follow[row, free.index(followed)] = springs[name].ratio
        else:
            follow[row, free.index(name)] = 1.0
    return CoupledJoints(np.array([names.index(name) for name in free]), rest, follow)
