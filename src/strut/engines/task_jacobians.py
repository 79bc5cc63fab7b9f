"""Task Jacobians: where feet and the centre of mass are along a trajectory, and how the coordinates move them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np

from strut.arrays import Array, Index
from strut.engines.rigid_body import foot_sites, scratch_data, sweep
from strut.robot import Robot


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


def task_jacobians(robot: Robot, qpos: Array, *, columns: Index | None = None) -> TaskJacobians:
    """Return places and Jacobians of a floating robot's feet and centre of mass.

    From MuJoCo's motion axes of all samples at once, as `mj_jac` and `mj_jacSubtreeCom` have them: a call of these for
    each foot and sample would take longer than the kinematics.

    Args:
        robot: Whose.
        qpos: Shape (T, nq).
        columns: Those of the feet's Jacobians, where others are not asked for; all if None. Shape (k,).
    """
    model = robot.model
    data = scratch_data(model)
    samples = len(qpos)
    sites = foot_sites(robot)
    place = np.empty((samples, model.nsite, 3))
    turn = np.empty((samples, model.nsite, 9))
    base = np.empty((samples, 9))
    centre = np.empty((samples, model.nbody, 3))
    axes = np.empty((samples, model.nv, 6))
    site_xpos, site_xmat, base_xmat, subtree_com, cdof = (
        getattr(data, name) for name in ("site_xpos", "site_xmat", "xmat", "subtree_com", "cdof")
    )
    base_xmat = base_xmat[1]
    for k in sweep(model, data, qpos):
        mujoco.mj_comPos(model, data)
        place[k] = site_xpos
        turn[k] = site_xmat
        base[k] = base_xmat
        centre[k] = subtree_com
        axes[k] = cdof
    place = place[:, sites]
    turn = turn[:, sites]
    com = centre[:, 1]
    moves, share = _moved_by(model, tuple(sites.tolist()))
    axes = np.ascontiguousarray(axes.transpose(2, 0, 1))
    chosen, moves = (axes, moves) if columns is None else (axes[:, :, columns], moves[:, columns])
    foot = np.empty((samples, len(sites), 6, chosen.shape[2]))
    from_com = (place - com[:, None]).transpose(2, 0, 1)[..., None]
    for axis, moving in enumerate(_velocities(chosen[:, :, None], from_com)):
        np.multiply(moving, moves, out=foot[:, :, axis])
    np.multiply(chosen[:3].transpose(1, 0, 2)[:, None], moves[:, None], out=foot[:, :, 3:])
    away = (centre[:, model.dof_bodyid] - com[:, None]).transpose(2, 0, 1)
    whole = np.stack(_velocities(axes, away), axis=1) * share
    return TaskJacobians(place, turn.reshape(samples, len(sites), 3, 3), com, base.reshape(samples, 3, 3), foot, whole)


def task_positions(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    """Return where feet (T, n, 3) and the centre of mass (T, 3) are, without their Jacobians. Shape (T, nq)."""
    model = robot.model
    sites = foot_sites(robot)
    data = scratch_data(model)
    place = np.empty((len(qpos), len(sites), 3))
    com = np.empty((len(qpos), 3))
    site_xpos = data.site_xpos
    body_com = data.xipos
    mass = model.body_mass / model.body_subtreemass[0]
    for k in sweep(model, data, qpos):
        place[k] = site_xpos[sites]
        np.matmul(mass, body_com, out=com[k])
    return place, com


def foot_coordinates(robot: Robot) -> Index:
    """Return the velocity coordinates that move any foot. Shape (k,)."""
    moves, _ = _moved_by(robot.model, tuple(foot_sites(robot).tolist()))
    return np.flatnonzero(moves.any(axis=0))


def _velocities(axes: Array, away: Array) -> list[Array]:
    """Return the velocities of points away (3, ...) from motion axes, which are turns over translations (6, ...)."""
    return [axes[3 + i] + axes[j] * away[k] - axes[k] * away[j] for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]


@lru_cache(maxsize=16)
def _moved_by(model: mujoco.MjModel, sites: tuple[int, ...]) -> tuple[Array, Array]:
    """Return which coordinates move sites (n, nv), and which share of the whole mass each of them moves (nv,)."""
    body = model.dof_bodyid
    moves = np.zeros((len(sites), model.nv))
    for row, site in enumerate(sites):
        above = int(model.site_bodyid[site])
        while above:
            moves[row, body == above] = 1.0
            above = int(model.body_parentid[above])
    in_tree = model.body_rootid[body] == 1
    return moves, np.where(in_tree, model.body_subtreemass[body] / model.body_subtreemass[1], 0.0)
