"""Passive forces of a torque-driven plant along a trajectory, by MuJoCo: springs, tendons, and friction of gears."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import sweep
from strut.robot import BASE


def passive_forces(model: mujoco.MjModel, qpos: Array, qvel: Array) -> Array:
    """Return the joint torques of springs, tendons and dampers. Shapes (T, nq), (T, nv) in, (T, nv - 6) out."""
    data = mujoco.MjData(model)
    torque_nm = np.empty((len(qpos), model.nv - BASE))
    for k in sweep(model, data, qpos, qvel):
        mujoco.mj_tendon(model, data)
        mujoco.mj_fwdVelocity(model, data)
        torque_nm[k] = data.qfrc_passive[BASE:]
    return torque_nm


def tendon_lengths(model: mujoco.MjModel, qpos: Array) -> Array:
    """Return the lengths of the tendons in a configuration. Shape (nq,) in, (n_tendons,) out."""
    data = mujoco.MjData(model)
    for _ in sweep(model, data, qpos[None]):
        mujoco.mj_comPos(model, data)
        mujoco.mj_tendon(model, data)
    return np.array(data.ten_length)
