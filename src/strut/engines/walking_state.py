"""Walking state: centre of mass and feet of a robot as it is now, tick after tick, for controllers."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.robot import Array, Robot


class WalkingState:
    """Where a robot's mass and feet are. It owns its memory: each thread needs one of its own.

    `com_m` (3,), `com_velocity_m_s` (3,), `base_rotation` (3, 3), `foot_m` (n, 3), `foot_rotation` (n, 3, 3) and the
    Jacobians of the feet, linear `foot_moving` and angular `foot_turning` (n, 3, nv), belong to the last `move`, in
    world axes.
    """

    def __init__(self, robot: Robot) -> None:
        model = robot.model
        self._model, self._data = model, mujoco.MjData(model)
        self._sites = [model.site(foot.frame).id for foot in robot.feet]
        self._com_jacobian = np.zeros((3, model.nv))
        self.com_m, self.com_velocity_m_s = np.zeros(3), np.zeros(3)
        self.foot_m, self.foot_rotation = np.zeros((len(self._sites), 3)), np.zeros((len(self._sites), 3, 3))
        self.foot_moving, self.foot_turning = np.zeros((2, len(self._sites), 3, model.nv))
        self.base_rotation = np.eye(3)

    def move(self, qpos: Array, qvel: Array) -> None:
        """Bring everything up to date. Shapes (nq,), (nv,)."""
        model, data = self._model, self._data
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSubtreeCom(model, data, self._com_jacobian, 1)
        self.com_m[:] = data.subtree_com[1]
        self.com_velocity_m_s[:] = self._com_jacobian @ qvel
        self.foot_m[:] = data.site_xpos[self._sites]
        self.foot_rotation[:] = data.site_xmat[self._sites].reshape(-1, 3, 3)
        self.base_rotation[:] = data.xmat[1].reshape(3, 3)
        for index, site in enumerate(self._sites):
            mujoco.mj_jacSite(model, data, self.foot_moving[index], self.foot_turning[index], site)


def servo_stiffness(robot: Robot) -> Array:
    """Return the stiffness of the robot's position servos [N m/rad]. Shape (n_joints,)."""
    return np.array(robot.model.actuator_gainprm[-len(robot.joint_names) :, 0])
