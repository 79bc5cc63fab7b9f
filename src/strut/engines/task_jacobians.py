"""Task Jacobians: where feet and the centre of mass are along a trajectory, and how the coordinates move them."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from strut.engines.rigid_body import scratch_data, sweep
from strut.robot import Array, Robot


@dataclass(frozen=True, slots=True, eq=False)
class TaskJacobians:
    """End effectors of a whole body, per sample; Jacobians have a column per velocity coordinate, as MuJoCo has them.

    Args:
        foot_in_world: Frames of the feet. Shape (T, n, 3).
        foot_rotation: Feet to world. Shape (T, n, 3, 3).
        com_in_world: Centre of mass. Shape (T, 3).
        base_rotation: Base to world. Shape (T, 3, 3).
        foot: Jacobians of the feet, linear over angular. Shape (T, n, 6, nv).
        com: Jacobian of the centre of mass. Shape (T, 3, nv).
    """

    foot_in_world: Array
    foot_rotation: Array
    com_in_world: Array
    base_rotation: Array
    foot: Array
    com: Array


def task_jacobians(robot: Robot, qpos: Array) -> TaskJacobians:
    """Return places and Jacobians of a floating robot's feet and centre of mass. Shape (T, nq)."""
    model = robot.model
    data, samples = scratch_data(model), len(qpos)
    sites = [model.site(foot.frame).id for foot in robot.feet]
    place, turn = np.empty((samples, len(sites), 3)), np.empty((samples, len(sites), 9))
    com, base = np.empty((samples, 3)), np.empty((samples, 9))
    foot_jacobian, com_jacobian = np.zeros((samples, len(sites), 6, model.nv)), np.zeros((samples, 3, model.nv))
    site_xpos, site_xmat, base_xmat, whole = data.site_xpos, data.site_xmat, data.xmat[1], data.subtree_com[1]
    for k in sweep(model, data, qpos):
        mujoco.mj_comPos(model, data)
        place[k], turn[k], com[k], base[k] = site_xpos[sites], site_xmat[sites], whole, base_xmat
        for index, site in enumerate(sites):
            mujoco.mj_jacSite(model, data, foot_jacobian[k, index, :3], foot_jacobian[k, index, 3:], site)
        mujoco.mj_jacSubtreeCom(model, data, com_jacobian[k], 1)
    turn_to_world, base_to_world = turn.reshape(samples, len(sites), 3, 3), base.reshape(samples, 3, 3)
    return TaskJacobians(place, turn_to_world, com, base_to_world, foot_jacobian, com_jacobian)
