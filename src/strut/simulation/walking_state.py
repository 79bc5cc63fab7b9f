"""Walking state: centre of mass, feet and dynamics of a robot at the current tick, for controllers."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import foot_sites
from strut.robot import Robot


class WalkingState:
    """Centre of mass and feet of a robot. Owns its memory: use one instance per thread.

    `com_m` (3,), `com_velocity_m_s` (3,), `base_rotation` (3, 3), `foot_m` (n, 3), `foot_rotation` (n, 3, 3) and the
    Jacobians of the feet, linear `foot_moving` and angular `foot_turning` (n, 3, nv), belong to the last `move`, in
    world axes.
    """

    def __init__(self, robot: Robot) -> None:
        model = robot.model
        self._model = model
        self._data = mujoco.MjData(model)
        data = self._data
        self._sites = foot_sites(robot).tolist()
        self._rows = np.array(self._sites, dtype=np.intp)
        self._qpos = data.qpos
        self._qvel = data.qvel  # views: a look-up in `data` costs a microsecond
        self._place = data.site_xpos
        self._turn = data.site_xmat.reshape(-1, 3, 3)
        self._centre = data.subtree_com[1]
        self._base = data.xmat[1].reshape(3, 3)
        self._com_jacobian = np.zeros((3, model.nv))
        self.com_m = np.zeros(3)
        self.com_velocity_m_s = np.zeros(3)
        self.foot_m = np.zeros((len(self._sites), 3))
        self.foot_rotation = np.zeros((len(self._sites), 3, 3))
        self.foot_moving, self.foot_turning = np.zeros((2, len(self._sites), 3, model.nv))
        self.base_rotation = np.eye(3)

    def move(self, qpos: Array, qvel: Array) -> None:
        """Bring everything up to date. Shapes (nq,), (nv,)."""
        model = self._model
        data = self._data
        self._qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_jacSubtreeCom(model, data, self._com_jacobian, 1)
        self.com_m[:] = self._centre
        np.matmul(self._com_jacobian, qvel, out=self.com_velocity_m_s)
        np.take(self._place, self._rows, axis=0, out=self.foot_m)
        np.take(self._turn, self._rows, axis=0, out=self.foot_rotation)
        self.base_rotation[:] = self._base
        for index, site in enumerate(self._sites):
            mujoco.mj_jacSite(model, data, self.foot_moving[index], self.foot_turning[index], site)


def servo_stiffness(robot: Robot) -> Array:
    """Return the stiffness of the robot's position servos [N m/rad]. Shape (n_joints,)."""
    return np.array(robot.model.actuator_gainprm[-len(robot.joint_names) :, 0])


class WalkingDynamics(WalkingState):
    """A walking state with the terms of the equations of motion, for the quadratic program of a controller.

    In addition to `WalkingState`: `mass` (nv, nv) with rotors, `bias` (nv,) with weight, `foot_drift` (n, 6), the
    acceleration of the feet, linear over angular, at zero qacc, and `foot_velocity` (n, 6), in world axes.
    """

    def __init__(self, robot: Robot) -> None:
        super().__init__(robot)
        nv = self._model.nv
        feet = len(self._sites)
        self.mass = np.zeros((nv, nv))
        self.bias = np.zeros(nv)
        self.foot_jacobian = np.zeros((feet, 6, nv))
        self.foot_moving = self.foot_jacobian[:, :3]
        self.foot_turning = self.foot_jacobian[:, 3:]
        self.foot_velocity = np.zeros((feet, 6))
        self.foot_drift = np.zeros((feet, 6))
        self._drift = np.zeros((6, nv))
        self._bodies = [int(self._model.site_bodyid[site]) for site in self._sites]

    def move(self, qpos: Array, qvel: Array) -> None:
        """Bring everything up to date. Shapes (nq,), (nv,)."""
        super().move(qpos, qvel)
        model = self._model
        data = self._data
        self._qvel[:] = qvel
        mujoco.mj_comVel(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, self.mass)
        mujoco.mj_rne(model, data, 0, self.bias)
        np.matmul(self.foot_jacobian, qvel, out=self.foot_velocity)
        for foot, body in enumerate(self._bodies):
            mujoco.mj_jacDot(model, data, self._drift[:3], self._drift[3:], self.foot_m[foot], body)
            np.matmul(self._drift, qvel, out=self.foot_drift[foot])
