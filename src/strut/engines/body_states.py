"""Body states: poses and velocities of all bodies of a robot along a trajectory, in world."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.inverse_dynamics import velocities
from strut.engines.rigid_body import sweep
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class BodyStates:
    """States of the bodies in the order of the model, without the world.

    Args:
        names: Names of the bodies, n of them.
        joint_velocity_rad_s: Shape (T, n_joints).
        position_m: Origins of the bodies. Shape (T, n, 3).
        quaternion: Orientations, wxyz. Shape (T, n, 4).
        origin_velocity_m_s: Velocities of the origins. Shape (T, n, 3).
        com_velocity_m_s: Velocities of the bodies' centres of mass. Shape (T, n, 3).
        angular_velocity_rad_s: Shape (T, n, 3).
    """

    names: tuple[str, ...]
    joint_velocity_rad_s: Array
    position_m: Array
    quaternion: Array
    origin_velocity_m_s: Array
    com_velocity_m_s: Array
    angular_velocity_rad_s: Array


def body_states(robot: Robot, time_s: Array, qpos: Array) -> BodyStates:
    """Return the states of all bodies; velocities are differences of samples. Shapes (T,) and (T, nq) in."""
    model = robot.model
    qvel, _ = velocities(robot, time_s, qpos)
    qvel[[0, -1]] *= 2.0  # one-sided differences: other than a plan of strut, a clip may begin and end in motion
    data = mujoco.MjData(model)
    bodies = model.nbody - 1
    position, origin_velocity, com_velocity, angular_velocity = np.empty((4, len(qpos), bodies, 3))
    quaternion = np.empty((len(qpos), bodies, 4))
    root = model.body_rootid[1:]
    for sample in sweep(model, data, qpos, qvel):
        angular, linear = np.split(data.cvel[1:], 2, axis=1)  # of the point of each body at its tree's centre of mass
        position[sample] = data.xpos[1:]
        quaternion[sample] = data.xquat[1:]
        angular_velocity[sample] = angular
        origin_velocity[sample] = linear + np.cross(angular, data.xpos[1:] - data.subtree_com[root])
        com_velocity[sample] = linear + np.cross(angular, data.xipos[1:] - data.subtree_com[root])
    return BodyStates(
        names=tuple(model.body(index).name for index in range(1, model.nbody)),
        joint_velocity_rad_s=qvel[:, -len(robot.joint_names) :],
        position_m=position,
        quaternion=quaternion,
        origin_velocity_m_s=origin_velocity,
        com_velocity_m_s=com_velocity,
        angular_velocity_rad_s=angular_velocity,
    )
