"""Inverse dynamics along a trajectory: joint torques, total ground wrench and contact Jacobians (MuJoCo).

Recursive Newton-Euler, sample by sample: tau = M(q) a + h(q, v) without contact forces. Forces and moments are in world
axes; `rigid_body` documents the other conventions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import body_geoms, contact_point_offsets, foot_geoms, foot_sites, points_of_feet, sweep
from strut.robot import BASE, FLOATING, ContactPoint, Robot

RESTS = (False, False)  # at both ends, as every planned motion does


@dataclass(frozen=True, slots=True, eq=False)
class InverseDynamics:
    """Forces that a motion requires, per sample, with the kinematics that share them among the feet.

    Args:
        ground_force_n: Total force of the ground in world; NaN if the robot is bolted down. Shape (T, 3).
        ground_moment_nm: Its moment about the world's origin; NaN if the robot is bolted down. Shape (T, 3).
        com_in_world: Centre of mass. Shape (T, 3).
        torque_nm: Joint torques without contact forces. Shape (T, n_joints).
        drive_force: Force on a platform in x and y [N] and about yaw [N m]; no columns without one. Shape (T, 3 or 0).
        foot_in_world: Centres of the feet. Shape (T, n_feet, 3).
        foot_rotation: Foot frames to world. Shape (T, n_feet, 3, 3).
        point_in_world: Contact points, in the order of `Robot.point_feet`. Shape (T, n_points, 3).
        contact_jacobian: Linear Jacobians of the contact points by the joints. Shape (T, n_points, 3, n_joints).
        part_names: Bodies of the colliding geoms that are not feet.
        clearance_m: Height of the lowest point of each of these geoms. Shape (T, n_parts).
    """

    ground_force_n: Array
    ground_moment_nm: Array
    com_in_world: Array
    torque_nm: Array
    drive_force: Array
    foot_in_world: Array
    foot_rotation: Array
    point_in_world: Array
    contact_jacobian: Array
    part_names: tuple[str, ...]
    clearance_m: Array


def velocities(robot: Robot, time_s: Array, qpos: Array, moving_ends: tuple[bool, bool] = RESTS) -> tuple[Array, Array]:
    """Return qvel and qacc by central differences; (T, nv) and (T, nv).

    Args:
        robot: The robot.
        time_s: Evenly spaced. Shape (T,).
        qpos: Shape (T, nq).
        moving_ends: Whether it moves already at the first sample, and still at the last: differences are one-sided
            there. Elsewhere it rests before the first and after the last sample.
    """
    step_s = float(time_s[1] - time_s[0])
    change = np.zeros((len(qpos) + 1, robot.model.nv))
    change[1:-1] = changes(robot, qpos)
    starts_moving, ends_moving = moving_ends
    if starts_moving:
        change[0] = 2.0 * change[1] - change[2]
    if ends_moving:
        change[-1] = 2.0 * change[-2] - change[-3]
    return (change[1:] + change[:-1]) / (2.0 * step_s), (change[1:] - change[:-1]) / step_s**2


def changes(robot: Robot, qpos: Array) -> Array:
    """Return the movement from each sample to the next, angles of the base as in qvel. (T, nq) in, (T - 1, nv) out."""
    if not robot.floats:
        return np.diff(qpos, axis=0)
    base = Rotation.from_quat(qpos[:, 3:7], scalar_first=True)
    turns = (base[:-1].inv() * base[1:]).as_rotvec()
    return np.column_stack([np.diff(qpos[:, :3], axis=0), turns, np.diff(qpos[:, 7:], axis=0)])


def inverse_dynamics(
    robot: Robot, time_s: Array, qpos: Array, moving_ends: tuple[bool, bool] = RESTS
) -> InverseDynamics:
    """Return the forces that a motion requires, and the kinematics of feet and contacts; arguments of `velocities`."""
    model = robot.model
    data = mujoco.MjData(model)
    qvel, qacc = velocities(robot, time_s, qpos, moving_ends)
    sites = foot_sites(robot).tolist()
    site_bodies = [int(model.site_bodyid[site]) for site in sites]
    below = [np.array([0.0, 0.0, foot.radius_m]) for foot in robot.feet]
    foot_numbers = foot_geoms(robot)
    parts = [geom for geom in body_geoms(model) if geom not in foot_numbers and model.geom_contype[geom]]
    samples = len(qpos)
    force = np.empty((samples, model.nv))
    base_rotation = np.empty((samples, 9))
    com = np.empty((samples, 3))
    foot_in_world = np.empty((samples, len(sites), 3))
    foot_rotation = np.empty((samples, len(sites), 9))
    linear_jacobian, angular_jacobian = np.zeros((2, samples, len(sites), 3, model.nv))
    has_flat_feet = _has_flat_feet(robot)
    result = np.empty(model.nv)
    geom_height = np.empty((samples, model.ngeom))
    geom_up = np.empty((samples, model.ngeom, 3))
    site_xpos = data.site_xpos
    site_xmat = data.site_xmat
    geom_xpos = data.geom_xpos
    geom_xmat = data.geom_xmat
    base_xmat = data.xmat[1]
    whole_com = data.subtree_com[1]
    for k in sweep(model, data, qpos, qvel, qacc):
        mujoco.mj_rne(model, data, 1, result)
        force[k] = result
        base_rotation[k] = base_xmat
        com[k] = whole_com
        geom_height[k] = geom_xpos[:, 2]
        geom_up[k] = geom_xmat[:, 6:]
        foot_in_world[k] = site_xpos[sites]
        foot_rotation[k] = site_xmat[sites]
        for index, body in enumerate(site_bodies):
            point = foot_in_world[k, index] - below[index]
            angular = angular_jacobian[k, index] if has_flat_feet else None
            mujoco.mj_jac(model, data, linear_jacobian[k, index], angular, point, body)
    force += model.dof_armature * qacc
    first_joint = model.nv - len(robot.joint_names)
    foot_to_world = foot_rotation.reshape(samples, len(sites), 3, 3)
    if _has_platform(robot):
        ground_force, ground_moment = _wrench_under_platform(model, qpos, qvel, qacc)
    elif robot.floats:
        ground_force, ground_moment = _wrench_on_floating_base(qpos, force, base_rotation)
    else:
        ground_force = ground_moment = np.full((samples, 3), np.nan)
    lowest = [_lowest_point(model, part, geom_height, geom_up) for part in parts]
    return InverseDynamics(
        ground_force_n=ground_force,
        ground_moment_nm=ground_moment,
        com_in_world=com,
        torque_nm=force[:, first_joint:],
        drive_force=force[:, :first_joint] if _has_platform(robot) else np.empty((samples, 0)),
        foot_in_world=foot_in_world,
        foot_rotation=foot_to_world,
        point_in_world=points_of_feet(robot, foot_in_world, foot_to_world),
        contact_jacobian=_point_jacobians(
            robot, linear_jacobian[..., first_joint:], angular_jacobian[..., first_joint:], foot_to_world
        ),
        part_names=tuple(model.body(model.geom_bodyid[part]).name for part in parts),
        clearance_m=np.stack(lowest, axis=1) if lowest else np.empty((samples, 0)),
    )


def _has_platform(robot: Robot) -> bool:
    """Return whether a driven platform carries the robot."""
    return 0 < robot.base_size < FLOATING


def _wrench_on_floating_base(qpos: Array, force: Array, base_rotation: Array) -> tuple[Array, Array]:
    """Return the ground's force on a floating base and its moment about the world's origin. Shape (T, 3) each."""
    base_moment = np.einsum("tij,tj->ti", base_rotation.reshape(-1, 3, 3), force[:, 3:BASE])
    return force[:, :3], base_moment + np.cross(qpos[:, :3], force[:, :3])


def _wrench_under_platform(model: mujoco.MjModel, qpos: Array, qvel: Array, qacc: Array) -> tuple[Array, Array]:
    """Return the force of the ground under a platform and its moment about the world's origin. Shape (T, 3) each.

    The three coordinates of the platform do not contain weight and tipping moment; the constraint wrench between world
    and platform does.
    """
    data = mujoco.MjData(model)
    wrench = np.empty((len(qpos), 6))  # moment about the centre of mass, then force, as MuJoCo stores it
    com = np.empty((len(qpos), 3))
    for k in sweep(model, data, qpos, qvel, qacc):
        mujoco.mj_rnePostConstraint(model, data)
        wrench[k] = data.cfrc_int[1]
        com[k] = data.subtree_com[1]
    return wrench[:, 3:], wrench[:, :3] + np.cross(com, wrench[:, 3:])


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """Ground reaction: force (T, 3), moment about the world's origin (T, 3), and the centre of mass (T, 3)."""

    force_n: Array
    moment_nm: Array
    com_in_world: Array


def ground_reaction(robot: Robot, time_s: Array, qpos: Array) -> Reaction:
    """Return the ground reaction alone, faster than `inverse_dynamics`. Shapes (T,), (T, nq)."""
    model = robot.model
    data = mujoco.MjData(model)
    force = np.empty((len(qpos), 6))
    rotation = np.empty((len(qpos), 9))
    com = np.empty((len(qpos), 3))
    result = np.empty(model.nv)
    base_xmat = data.xmat[1]
    whole_com = data.subtree_com[1]
    for k in sweep(model, data, qpos, *velocities(robot, time_s, qpos)):
        mujoco.mj_rne(model, data, 1, result)
        force[k] = result[:BASE]
        rotation[k] = base_xmat
        com[k] = whole_com
    return Reaction(*_wrench_on_floating_base(qpos, force, rotation), com)


@dataclass(frozen=True, slots=True, eq=False)
class ContactDemand:
    """Generalised forces that contacts and joints must supply, per sample.

    Args:
        force: M(q) a + h(q, v), floating base first. Shape (T, nv).
        place_in_world: Contact points; of a ball, its lowest point. Shape (T, n, 3).
        jacobian: Jacobians of the material points there. Shape (T, n, 3, nv).
    """

    force: Array
    place_in_world: Array
    jacobian: Array


def contact_demand(
    model: mujoco.MjModel, points: Sequence[ContactPoint], qpos: Array, qvel: Array, qacc: Array
) -> ContactDemand:
    """Return generalised forces and contact Jacobians of a motion. Shapes (T, nq), (T, nv), (T, nv)."""
    data = mujoco.MjData(model)
    bodies = [model.body(point.body).id for point in points]
    force = np.empty(qvel.shape)
    place = np.empty((len(qpos), len(points), 3))
    jacobian = np.empty((len(qpos), len(points), 3, model.nv))
    result = np.empty(model.nv)
    for k in sweep(model, data, qpos, qvel, qacc):
        mujoco.mj_rne(model, data, 1, result)
        force[k] = result + model.dof_armature * qacc[k]
        for index, (point, body) in enumerate(zip(points, bodies, strict=True)):
            centre = data.xpos[body] + data.xmat[body].reshape(3, 3) @ np.array(point.position_m)
            place[k, index] = centre - [0.0, 0.0, point.radius_m]
            mujoco.mj_jac(model, data, jacobian[k, index], None, place[k, index], body)
    return ContactDemand(force, place, jacobian)


def _point_jacobians(robot: Robot, linear: Array, angular: Array, foot_rotation: Array) -> Array:
    """Return the contact points' Jacobians from those of their feet. (T, n_feet, 3, n) in, (T, n_points, 3, n) out."""
    if not _has_flat_feet(robot):
        return linear
    foot_of_point = list(robot.point_feet)
    lever = contact_point_offsets(robot, foot_rotation)[..., None]
    return np.asarray(linear[:, foot_of_point] + np.cross(angular[:, foot_of_point], lever, axis=2))


def _has_flat_feet(robot: Robot) -> bool:
    """Return whether any foot has contact points away from its frame; balls have none."""
    return any(foot.outline_m != ((0.0, 0.0),) for foot in robot.feet)


def _lowest_point(model: mujoco.MjModel, geom: int, height: Array, up: Array) -> Array:
    """Return the height of a geom's lowest point. Shape (T,).

    Args:
        model: Model of the robot.
        geom: Number of the geom.
        height: Heights of all geoms' centres. Shape (T, n_geom).
        up: Vertical components of all geoms' axes. Shape (T, n_geom, 3).
    """
    size = model.geom_size[geom]
    axes = up[:, geom]
    kind = mujoco.mjtGeom(model.geom_type[geom])
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        return np.asarray(height[:, geom] + (axes @ _hull(model, int(model.geom_dataid[geom])).T).min(axis=1))
    along = np.abs(axes[:, 2])
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        below = np.abs(axes) @ size
    elif kind == mujoco.mjtGeom.mjGEOM_ELLIPSOID:
        below = np.linalg.norm(axes * size, axis=1)
    elif kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        below = size[0] * np.sqrt(1.0 - np.minimum(along, 1.0) ** 2) + size[1] * along
    else:  # capsule; a sphere is a capsule of length 0
        below = size[0] + (size[1] if kind == mujoco.mjtGeom.mjGEOM_CAPSULE else 0.0) * along
    return np.asarray(height[:, geom] - below)


def _hull(model: mujoco.MjModel, mesh: int) -> Array:
    """Return the vertices of a mesh's convex hull, or all vertices if the model has none, in geom axes. (n, 3)."""
    first = model.mesh_vertadr[mesh]
    graph = model.mesh_graphadr[mesh]
    corners = model.mesh_vert[first : first + model.mesh_vertnum[mesh]].astype(float)
    if graph < 0:
        return np.asarray(corners)
    count = model.mesh_graph[graph]
    return np.asarray(corners[model.mesh_graph[graph + 2 + count : graph + 2 + 2 * count]])
