"""Whole-body dynamics for controllers, by MuJoCo: one configuration and velocity at a time, in minimal coordinates.

Conventions: the base is at the origin with its own orientation, so positions are relative to the base, in world axes.
Velocities are v = `reduction` x with minimal velocities x: passive joints follow the motors, as if the springs were
locked. The velocity of the base is linear in world axes, then angular in base axes. Arrays are reused by the next call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array
from strut.robot import BASE

FOOT_ROWS = 5  # constraints of a line contact: three of its position, then rotation about its side and its normal


@dataclass(frozen=True, slots=True, eq=False)
class FootLine:
    """The line along which a foot touches the ground.

    Args:
        body: Name of the foot's body.
        pivot: Point of the sole, in the body's frame. Shape (3,).
        axes: Direction from heel to toe and upward normal, in the body's frame, as columns. Shape (3, 2).
        ends_m: Positions of toe and heel along the line, from the pivot.
    """

    body: str
    pivot: Array
    axes: Array
    ends_m: tuple[float, float]


class WholeBody:
    """Mass matrix, bias forces, foot Jacobians and momentum of a body on line feet.

    Attributes:
        base_rotation: Base to world. Shape (3, 3).
        com: Centre of mass, relative to the base. Shape (3,).
        pivot: Points of the soles, relative to the base. Shape (n_feet, 3).
        line, side, normal: Direction of each foot's line, its horizontal left and upward normal. Shape (n_feet, 3).
        jacobian: Five rows per foot. Shape (5 n_feet, nv).
        foot_rows: The Jacobian in minimal velocities. Shape (5 n_feet, n).
        foot_drift: Acceleration of the feet at zero minimal acceleration. Shape (5 n_feet,).
        mass, bias: Mass matrix (n, n) and bias forces (n,) in minimal velocities; locked springs do no work.
        mass_kg: Total mass.
        momentum: Linear momentum, and angular momentum about the base's origin, both in world axes. Shape (6,).
    """

    def __init__(self, model: mujoco.MjModel, base: str, feet: Sequence[FootLine], reduction: Array) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        self._base = model.body(base).id
        self._foot_body = [model.body(foot.body).id for foot in feet]
        self._foot_pivot = [foot.pivot for foot in feet]
        lines, normals = (np.array([foot.axes[:, axis] for foot in feet]) for axis in range(2))
        self._foot_axes = np.stack([lines, np.cross(normals, lines), normals], axis=1)
        self.reduction = np.ascontiguousarray(reduction, dtype=float)
        self._reduction_t = np.ascontiguousarray(self.reduction.T)
        nv = model.nv
        rows = FOOT_ROWS * len(feet)
        count = self.reduction.shape[1]
        self.mass_kg = float(model.body_mass.sum())
        self.base_rotation = self._data.xmat[self._base].reshape(3, 3)
        self.com = self._data.subtree_com[self._base]
        self.pivot = np.zeros((len(feet), 3))
        self._axes = np.zeros((len(feet), 3, 3))
        self.line = self._axes[:, 0]
        self.side = self._axes[:, 1]
        self.normal = self._axes[:, 2]
        self.jacobian = np.zeros((rows, nv))
        self.foot_rows = np.zeros((rows, count))
        self.foot_drift = np.zeros(rows)
        self.mass = np.zeros((count, count))
        self.bias = np.zeros(count)
        self.momentum = np.zeros(6)
        self._full_mass = np.zeros((nv, nv))
        self._full_bias = np.zeros(nv)
        self._drift = np.zeros((rows, nv))
        self._angular = np.zeros((3, nv))
        self._mass_reduced = np.zeros((nv, count))
        self._foot_position = [self._data.xpos[body] for body in self._foot_body]
        self._foot_rotation = [self._data.xmat[body].reshape(3, 3) for body in self._foot_body]

    def set_configuration(self, qpos: Array) -> None:
        """Update positions and Jacobians; the position of the base is ignored. Shape (nq,)."""
        model = self._model
        data = self._data
        data.qpos[:] = qpos
        data.qpos[:3] = 0.0
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        for foot, body in enumerate(self._foot_body):
            rotation = self._foot_rotation[foot]
            first = FOOT_ROWS * foot
            point = self.pivot[foot]
            axes = self._axes[foot]
            np.matmul(rotation, self._foot_pivot[foot], out=point)
            point += self._foot_position[foot]
            np.matmul(self._foot_axes[foot], rotation.T, out=axes)
            mujoco.mj_jac(model, data, self.jacobian[first : first + 3], self._angular, point, body)
            np.matmul(axes[1:], self._angular, out=self.jacobian[first + 3 : first + FOOT_ROWS])
        np.matmul(self.jacobian, self.reduction, out=self.foot_rows)

    def set_velocity(self, qvel: Array) -> None:
        """Update mass matrix, bias forces and momentum at the present configuration. Shape (nv,)."""
        model = self._model
        data = self._data
        data.qvel[:] = qvel
        mujoco.mj_comVel(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_fullM(model, data, self._full_mass)
        mujoco.mj_rne(model, data, 0, self._full_bias)
        for foot, body in enumerate(self._foot_body):
            first = FOOT_ROWS * foot
            mujoco.mj_jacDot(model, data, self._drift[first : first + 3], self._angular, self.pivot[foot], body)
            np.matmul(self._axes[foot, 1:], self._angular, out=self._drift[first + 3 : first + FOOT_ROWS])
        np.matmul(self._drift, qvel, out=self.foot_drift)
        np.matmul(self._full_mass, self.reduction, out=self._mass_reduced)
        np.matmul(self._reduction_t, self._mass_reduced, out=self.mass)
        np.matmul(self._reduction_t, self._full_bias, out=self.bias)
        base_momentum = self._full_mass[:BASE] @ qvel
        self.momentum[:3] = base_momentum[:3]
        np.matmul(self.base_rotation, base_momentum[3:], out=self.momentum[3:])
