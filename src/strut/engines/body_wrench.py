"""Body wrench: external wrench on a floating body, and joint torques under given ground wrenches (MuJoCo).

Computed by MuJoCo's recursive Newton-Euler algorithm. Forces and moments are in world axes, moments about the world's
origin; `rigid_body` documents the other conventions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import sweep
from strut.maths.rotation import qpos_from_angles, qvel_from_angles
from strut.robot import BASE

_TIME_STEP_S = 1e-5  # of the central difference of the base's angular velocity


@dataclass(frozen=True, slots=True, eq=False)
class Movement:
    """Coordinates with Y-X-Z Euler angles of the base, their rates and accelerations. Shapes (T, n)."""

    q: Array
    rate: Array
    acceleration: Array

    def for_engine(self) -> tuple[Array, Array, Array]:
        """Return qpos (T, n + 1), qvel and qacc (T, n)."""
        ahead, behind = (qvel_from_angles(self.q + sign * _TIME_STEP_S * self.rate, self.rate) for sign in (1.0, -1.0))
        map_rate = (ahead - behind) / (2.0 * _TIME_STEP_S)  # the map from rates to velocity changes as the base turns
        qacc = qvel_from_angles(self.q, self.acceleration) + map_rate
        return qpos_from_angles(self.q), qvel_from_angles(self.q, self.rate), qacc


def body_wrench(model: mujoco.MjModel, qpos: Array, qvel: Array, qacc: Array) -> Array:
    """Return the external force and moment on a floating body. Shapes (T, nq), (T, nv), (T, nv) in, (T, 6) out."""
    data = mujoco.MjData(model)
    force = np.empty(model.nv)
    wrench = np.empty((len(qpos), 6))
    turn = data.xmat[1]
    for k in sweep(model, data, qpos, qvel, qacc):
        mujoco.mj_rne(model, data, 1, force)
        wrench[k, :3] = force[:3]
        wrench[k, 3:] = turn.reshape(3, 3) @ force[3:BASE]
    wrench[:, 3:] += np.cross(qpos[:, :3], wrench[:, :3])
    return wrench


def centre_of_mass_path(model: mujoco.MjModel, qpos: Array) -> Array:
    """Return the centre of mass in world. Shape (T, nq) in, (T, 3) out."""
    data = mujoco.MjData(model)
    path = np.empty((len(qpos), 3))
    for k in sweep(model, data, qpos):
        mujoco.mj_comPos(model, data)
        path[k] = data.subtree_com[1]
    return path


def torques_under_wrenches(
    model: mujoco.MjModel, motion: tuple[Array, Array, Array], bodies: Sequence[str], wrench: Array
) -> Array:
    """Return the joint torques tau = RNEA(q, v, a) - sum J' w under ground wrenches. Shape (T, n_joints).

    Args:
        model: Model with a floating base.
        motion: qpos (T, nq), qvel and qacc (T, nv).
        bodies: Names of the n bodies on which the wrenches act.
        wrench: Force, and moment about the world's origin. Shape (T, n, 6).
    """
    data = mujoco.MjData(model)
    body_ids = [model.body(name).id for name in bodies]
    force = np.empty((len(wrench), model.nv))
    result = np.empty(model.nv)
    linear_jacobian, angular_jacobian = np.empty((2, 3, model.nv))
    origin = np.zeros(3)
    for k in sweep(model, data, *motion):
        mujoco.mj_rne(model, data, 1, result)
        force[k] = result
        for index, body in enumerate(body_ids):
            mujoco.mj_jac(model, data, linear_jacobian, angular_jacobian, origin, body)
            force[k] -= linear_jacobian.T @ wrench[k, index, :3] + angular_jacobian.T @ wrench[k, index, 3:]
    return force[:, BASE:]
