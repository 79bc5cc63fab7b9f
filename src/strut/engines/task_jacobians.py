"""Task Jacobians: positions and Jacobians of feet, other points and the centre of mass along a trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np

from strut.arrays import Array, Index
from strut.engines.rigid_body import foot_sites, scratch_data, sweep
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class TaskJacobians:
    """Kinematics of feet and centre of mass, per sample; Jacobians have a column per velocity coordinate of MuJoCo.

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


@dataclass(frozen=True, slots=True, eq=False)
class PointJacobians:
    """Kinematics of points of bodies and of the centre of mass, per sample; columns as in `TaskJacobians`.

    Args:
        position_m: Points in world. Shape (T, n, 3).
        rotation: Their bodies to world. Shape (T, n, 3, 3).
        com_in_world: Centre of mass. Shape (T, 3).
        point: Jacobians of the points, linear over angular. Shape (T, n, 6, nv).
        com: Jacobian of the centre of mass. Shape (T, 3, nv).
    """

    position_m: Array
    rotation: Array
    com_in_world: Array
    point: Array
    com: Array


def point_jacobians(robot: Robot, points: Sequence[tuple[str, Sequence[float]]], qpos: Array) -> PointJacobians:
    """Return positions and Jacobians of points, given by body and place on it, of a floating robot. Shape (T, nq)."""
    model = robot.model
    data = scratch_data(model)
    samples = len(qpos)
    bodies = np.array([model.body(name).id for name, _ in points], dtype=np.intp)
    body_position = np.empty((samples, model.nbody, 3))
    body_rotation = np.empty((samples, model.nbody, 9))
    subtree_com = np.empty((samples, model.nbody, 3))
    axes = np.empty((samples, model.nv, 6))
    data_xpos = data.xpos
    data_xmat = data.xmat
    data_subtree_com = data.subtree_com
    data_cdof = data.cdof
    for k in sweep(model, data, qpos):
        mujoco.mj_comPos(model, data)
        body_position[k] = data_xpos
        body_rotation[k] = data_xmat
        subtree_com[k] = data_subtree_com
        axes[k] = data_cdof
    rotation = body_rotation[:, bodies].reshape(samples, len(bodies), 3, 3)
    place = np.array([place for _, place in points])
    position = body_position[:, bodies] + np.einsum("tnij,nj->tni", rotation, place)
    com = subtree_com[:, 1]
    moves, mass_share = _body_effects(model, tuple(bodies.tolist()))
    axes = np.ascontiguousarray(axes.transpose(2, 0, 1))
    point = np.empty((samples, len(bodies), 6, model.nv))
    from_com = (position - com[:, None]).transpose(2, 0, 1)[..., None]
    for axis, velocity in enumerate(_point_velocities(axes[:, :, None], from_com)):
        np.multiply(velocity, moves, out=point[:, :, axis])
    np.multiply(axes[:3].transpose(1, 0, 2)[:, None], moves[:, None], out=point[:, :, 3:])
    subtree_from_com = (subtree_com[:, model.dof_bodyid] - com[:, None]).transpose(2, 0, 1)
    com_jacobian = np.stack(_point_velocities(axes, subtree_from_com), axis=1) * mass_share
    return PointJacobians(position, rotation, com, point, com_jacobian)


def task_jacobians(robot: Robot, qpos: Array, *, columns: Index | None = None) -> TaskJacobians:
    """Return positions and Jacobians of a floating robot's feet and centre of mass.

    They follow from MuJoCo's motion axes (`cdof`) of all samples at once, as in `mj_jac` and `mj_jacSubtreeCom`; calls
    of these for each foot and sample would take longer than the kinematics.

    Args:
        robot: Floating robot.
        qpos: Shape (T, nq).
        columns: Columns of the feet's Jacobians to return; all if None. Shape (k,).
    """
    model = robot.model
    data = scratch_data(model)
    samples = len(qpos)
    sites = foot_sites(robot)
    site_position = np.empty((samples, model.nsite, 3))
    site_rotation = np.empty((samples, model.nsite, 9))
    base_rotation = np.empty((samples, 9))
    subtree_com = np.empty((samples, model.nbody, 3))
    axes = np.empty((samples, model.nv, 6))
    data_site_xpos = data.site_xpos
    data_site_xmat = data.site_xmat
    data_base_xmat = data.xmat[1]
    data_subtree_com = data.subtree_com
    data_cdof = data.cdof
    for k in sweep(model, data, qpos):
        mujoco.mj_comPos(model, data)
        site_position[k] = data_site_xpos
        site_rotation[k] = data_site_xmat
        base_rotation[k] = data_base_xmat
        subtree_com[k] = data_subtree_com
        axes[k] = data_cdof
    foot_in_world = site_position[:, sites]
    com = subtree_com[:, 1]
    moves_foot, mass_share = _coordinate_effects(model, tuple(sites.tolist()))
    axes = np.ascontiguousarray(axes.transpose(2, 0, 1))
    foot_axes = axes if columns is None else axes[:, :, columns]
    moves_foot = moves_foot if columns is None else moves_foot[:, columns]
    foot = np.empty((samples, len(sites), 6, foot_axes.shape[2]))
    foot_from_com = (foot_in_world - com[:, None]).transpose(2, 0, 1)[..., None]
    for axis, velocity in enumerate(_point_velocities(foot_axes[:, :, None], foot_from_com)):
        np.multiply(velocity, moves_foot, out=foot[:, :, axis])
    np.multiply(foot_axes[:3].transpose(1, 0, 2)[:, None], moves_foot[:, None], out=foot[:, :, 3:])
    subtree_from_com = (subtree_com[:, model.dof_bodyid] - com[:, None]).transpose(2, 0, 1)
    return TaskJacobians(
        foot_in_world=foot_in_world,
        foot_rotation=site_rotation[:, sites].reshape(samples, len(sites), 3, 3),
        com_in_world=com,
        base_rotation=base_rotation.reshape(samples, 3, 3),
        foot=foot,
        com=np.stack(_point_velocities(axes, subtree_from_com), axis=1) * mass_share,
    )


def task_positions(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    """Return the positions of feet (T, n, 3) and centre of mass (T, 3) without Jacobians. Shape (T, nq) in."""
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
    moves_foot, _ = _coordinate_effects(robot.model, tuple(foot_sites(robot).tolist()))
    return np.flatnonzero(moves_foot.any(axis=0))


def _point_velocities(axes: Array, offset: Array) -> list[Array]:
    """Return v + w x r of points at r (3, ...) for motion axes (w, v) (6, ...), as x, y and z."""
    return [axes[3 + i] + axes[j] * offset[k] - axes[k] * offset[j] for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1))]


def _coordinate_effects(model: mujoco.MjModel, sites: tuple[int, ...]) -> tuple[Array, Array]:
    """Return 1 where a coordinate moves a site, else 0 (n, nv), and the share of the mass that each moves (nv,)."""
    return _body_effects(model, tuple(int(model.site_bodyid[site]) for site in sites))


@lru_cache(maxsize=16)
def _body_effects(model: mujoco.MjModel, bodies: tuple[int, ...]) -> tuple[Array, Array]:
    """Return 1 where a coordinate moves a body, else 0 (n, nv), and the share of the mass that each moves (nv,)."""
    body = model.dof_bodyid
    moves = np.zeros((len(bodies), model.nv))
    for row, moved in enumerate(bodies):
        ancestor = moved
        while ancestor:
            moves[row, body == ancestor] = 1.0
            ancestor = int(model.body_parentid[ancestor])
    in_tree = model.body_rootid[body] == 1
    return moves, np.where(in_tree, model.body_subtreemass[body] / model.body_subtreemass[1], 0.0)
