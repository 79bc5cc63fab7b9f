"""Walking state: centre of mass and feet of a robot as it is now, tick after tick, for controllers."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.robot import Array, Robot


class WalkingState:
    """Where a robot's mass and feet are. It owns its memory: each thread needs one of its own.

    `com_m` (3,), `com_velocity_m_s` (3,), `foot_m` (n, 3), `foot_rotation` (n, 3, 3) and `foot_turning` (n, 3, nv), the
    angular Jacobians of the feet, are of the last call of `move`; all in world axes.
    """

    def __init__(self, robot: Robot) -> None:
        model = robot.model
        self._model, self._data = model, mujoco.MjData(model)
        self._sites = [model.site(foot.frame).id for foot in robot.feet]
        self._bodies = [int(model.site_bodyid[site]) for site in self._sites]
        self._com_jacobian = np.zeros((3, model.nv))
        self.com_m, self.com_velocity_m_s = np.zeros(3), np.zeros(3)
        self.foot_m, self.foot_rotation = np.zeros((len(self._sites), 3)), np.zeros((len(self._sites), 3, 3))
        self.foot_turning = np.zeros((len(self._sites), 3, model.nv))

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
        for index, body in enumerate(self._bodies):
            mujoco.mj_jacBody(model, data, None, self.foot_turning[index], body)
