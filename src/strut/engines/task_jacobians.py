"""Task Jacobians: where feet and the centre of mass are along a trajectory, and how the coordinates move them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

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
    """Return places and Jacobians of a floating robot's feet and centre of mass. Shape (T, nq).

    From MuJoCo's motion axes of all samples at once, as `mj_jac` and `mj_jacSubtreeCom` have them: a call of these for
    each foot and sample would take longer than the kinematics.
    """
    model = robot.model
    data, samples = scratch_data(model), len(qpos)
    sites = np.array([model.site(foot.frame).id for foot in robot.feet])
    place, turn = np.empty((samples, len(sites), 3)), np.empty((samples, len(sites), 9))
    base, centre = np.empty((samples, 9)), np.empty((samples, model.nbody, 3))
    axes = np.empty((samples, model.nv, 6))
    site_xpos, site_xmat, base_xmat, subtree_com, cdof = (
        getattr(data, name) for name in ("site_xpos", "site_xmat", "xmat", "subtree_com", "cdof")
    )
    for k in sweep(model, data, qpos):
        mujoco.mj_comPos(model, data)
        place[k], turn[k], base[k] = site_xpos[sites], site_xmat[sites], base_xmat[1]
        centre[k], axes[k] = subtree_com, cdof
    com, (moves, share) = centre[:, 1], _moved_by(model, tuple(sites.tolist()))
    axes = np.ascontiguousarray(axes.transpose(2, 0, 1))
    foot = np.empty((samples, len(sites), 6, model.nv))
    from_com = (place - com[:, None]).transpose(2, 0, 1)[..., None]
    foot[:, :, :3] = np.stack(_velocities(axes[:, :, None], from_com), axis=2)
    foot[:, :, 3:] = axes[:3].transpose(1, 0, 2)[:, None]
    foot *= moves[:, None]
    away = (centre[:, model.dof_bodyid] - com[:, None]).transpose(2, 0, 1)
    whole = np.stack(_velocities(axes, away), axis=1) * share
    return TaskJacobians(place, turn.reshape(samples, len(sites), 3, 3), com, base.reshape(samples, 3, 3), foot, whole)


def _velocities(axes: Array, away: Array) -> list[Array]:
    """Return the velocities of points away (3, ...) from motion axes, which are turns over translations (6, ...)."""
    return [axes[3 + i] + axes[j] * away[k] - axes[k] * away[j] for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]


@lru_cache(maxsize=16)
def _moved_by(model: mujoco.MjModel, sites: tuple[int, ...]) -> tuple[Array, Array]:
    """Return which coordinates move sites (n, nv), and which share of the whole mass each of them moves (nv,)."""
    body, moves = model.dof_bodyid, np.zeros((len(sites), model.nv))
    for row, site in enumerate(sites):
        above = int(model.site_bodyid[site])
        while above:
            moves[row, body == above] = 1.0
            above = int(model.body_parentid[above])
    in_tree = model.body_rootid[body] == 1
    return moves, np.where(in_tree, model.body_subtreemass[body] / model.body_subtreemass[1], 0.0)
