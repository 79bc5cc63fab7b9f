"""MuJoCo as a witness: where bodies are and what momentum they have, seen by another engine than the solver's."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from strut.robot import Array


def body_poses(model: mujoco.MjModel, names: Sequence[str], qpos: Array) -> tuple[Array, Array]:
    """Return origins and rotations of bodies in world. Shape (T, nq) in, (T, n, 3) and (T, n, 3, 3) out."""
    data, index = mujoco.MjData(model), [model.body(name).id for name in names]
    place, turn = np.empty((len(qpos), len(index), 3)), np.empty((len(qpos), len(index), 9))
    for k, sample in enumerate(qpos):
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        place[k], turn[k] = data.xpos[index], data.xmat[index]
    return place, turn.reshape(len(qpos), len(index), 3, 3)


def linear_momentum(model: mujoco.MjModel, qpos: Array, qvel: Array) -> Array:
    """Return the momentum of the whole body in world [N s]. Shapes (T, nq), (T, nv) in, (T, 3) out."""
    data, momentum = mujoco.MjData(model), np.empty((len(qpos), 3))
    for k in range(len(qpos)):
        data.qpos[:], data.qvel[:] = qpos[k], qvel[k]
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_subtreeVel(model, data)
        momentum[k] = model.body_subtreemass[1] * data.subtree_linvel[1]
    return momentum
