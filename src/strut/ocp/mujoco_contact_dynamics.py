"""Contact dynamics by MuJoCo: the equations of motion of a body with contact points at rest or rolling.

Mass matrix, bias with the springs and dampers of the model, and Jacobians come from MuJoCo with a quaternion base,
independently of the solver's symbols. The caller adds the passive forces of a problem; closed loops are refused.
"""

from __future__ import annotations

from typing import TypeAlias

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import compile_model
from strut.errors import BadTableError
from strut.kinematics.contact_set import ContactSet
from strut.robot import BASE

ModelOrMjcf: TypeAlias = mujoco.MjModel | str  # compiled, or its MJCF


class MujocoContactDynamics:
    """A body with a contact set. Each thread needs its own instance, because evaluations share memory."""

    def __init__(self, model: ModelOrMjcf, contact: ContactSet) -> None:
        self._model = compile_model(model)
        self.contact = contact
        self._data = mujoco.MjData(self._model)
        if self._model.eq_active0.any():
            raise BadTableError("A model with closed loops cannot be played back; MuJoCo holds loops softly.")
        self._points = [
            (
                self._model.body(point.body).id,
                np.array(point.position_m),
                point.radius_m,
                list(contact.rows_of(point.name)),  # axes
                list(contact.rows_of(point.name).values()),
            )
            for point in contact.points
        ]
        self.nq = self._model.nq
        self.nv = self._model.nv

    def rates(self, qpos: Array, qvel: Array) -> Array:
        """Return the derivatives of the coordinates in time; a floating base comes first. Shape (nq,)."""
        if self.nq == self.nv:
            return qvel
        turning = np.empty(4)
        mujoco.mju_mulQuat(turning, qpos[3:7], np.array([0.0, *qvel[3:BASE]]) / 2.0)  # in the axes of the body
        return np.concatenate([qvel[:3], turning, qvel[BASE:]])

    def terms(self, qpos: Array, qvel: Array) -> tuple[Array, Array, Array, Array]:
        """Return mass matrix (nv, nv), bias (nv,), contact Jacobian (n_rows, nv), and γ of G a = γ (n_rows,)."""
        model = self._model
        data = self._data
        data.qpos[:] = qpos
        data.qvel[:] = qvel
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)
        mass = np.empty((self.nv, self.nv))
        bias = np.empty(self.nv)
        mujoco.mj_fullM(model, data, mass)
        mujoco.mj_rne(model, data, 0, bias)
        mujoco.mj_tendon(model, data)
        mujoco.mj_passive(model, data)
        bias -= data.qfrc_passive
        jacobian = np.empty((len(self.contact.rows), self.nv))
        goal = np.empty(len(self.contact.rows))
        linear, angular, linear_rate, angular_rate = np.empty((4, 3, self.nv))
        for body, position_m, radius_m, axes, rows in self._points:
            place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ position_m
            mujoco.mj_jac(model, data, linear, angular, place, body)
            mujoco.mj_jacDot(model, data, linear_rate, angular_rate, place, body)
            jacobian[rows] = _contact_velocity_jacobian(linear, angular, radius_m)[axes]
            goal[rows] = -_contact_velocity_jacobian(linear_rate, angular_rate, radius_m)[axes] @ qvel
        return mass, bias, jacobian, goal


def _contact_velocity_jacobian(linear: Array, angular: Array, radius_m: float) -> Array:
    """Return v - r ω × n: what holds still when a ball rolls. Shapes (3, nv) in and out."""
    if radius_m == 0.0:
        return linear
    contact = linear.copy()
    contact[0] -= radius_m * angular[1]
    contact[1] += radius_m * angular[0]
    return contact
