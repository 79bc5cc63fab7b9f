"""MuJoCo as a witness of demand: which generalised forces a movement needs, and what the ground can give at points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.robot import Array, ContactPoint


@dataclass(frozen=True, slots=True, eq=False)
class ContactDemand:
    """What a movement needs, per sample.

    Args:
        force: Generalised forces, without any from the ground: first those of the floating base. Shape (T, nv).
        place_in_world: Where the points touch, or would touch; of a ball its lowest point. Shape (T, n, 3).
        jacobian: Of the matter there. Shape (T, n, 3, nv).
    """

    force: Array
    place_in_world: Array
    jacobian: Array


def contact_demand(
    model: mujoco.MjModel, points: Sequence[ContactPoint], qpos: Array, qvel: Array, qacc: Array
) -> ContactDemand:
    """Return what a movement needs. Shapes (T, nq), (T, nv), (T, nv)."""
    data, bodies = mujoco.MjData(model), [model.body(point.body).id for point in points]
    force, place = np.empty(qvel.shape), np.empty((len(qpos), len(points), 3))
    jacobian, result = np.empty((len(qpos), len(points), 3, model.nv)), np.empty(model.nv)
    for k in range(len(qpos)):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos[k], qvel[k], qacc[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 1, result)
        force[k] = result + model.dof_armature * qacc[k]
        for index, (point, body) in enumerate(zip(points, bodies, strict=True)):
            centre = data.xpos[body] + data.xmat[body].reshape(3, 3) @ np.array(point.position_m)
            place[k, index] = centre - [0.0, 0.0, point.radius_m]
            mujoco.mj_jac(model, data, jacobian[k, index], None, place[k, index], body)
    return ContactDemand(force, place, jacobian)
