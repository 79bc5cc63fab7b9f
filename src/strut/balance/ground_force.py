"""Ground force: distribution of the ground reaction among the feet in stance, and the joint torques that result.

With three or more contact points, the internal forces between them are undetermined. Equal position servos act like
equal springs, which share a load so that their energy is minimal (Castigliano): minimise |tau - J' f|^2 subject to
balance f = wrench. If this solution needs too much friction, the result lies on the line from a solution without
internal forces towards it, at the border of the friction cones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index, frozen_mask
from strut.engines.inverse_dynamics import InverseDynamics
from strut.maths.sampling import runs
from strut.robot import Robot

_FRICTION_SHARE = 0.6  # of the friction that internal forces may use; the rest is for disturbances
_MIN_GRIP = 0.02  # grip at touch-down and lift-off; not 0, so that costs stay finite
_MIN_LOAD_SHARE = 0.05  # of the largest vertical force; smaller or negative ones count as this in weights
_MAX_BALLS = 4  # more contact points than this are corners of soles
_MAX_RELEASES = 6  # rounds in which corners that pull at the ground are released
_RELEASED_HOLD = 1e-2  # of the smallest grip: leaves a released point a ten thousandth of the others' share
_RELEASE_COST = 1e6  # cost factor of the force at a released corner
_NEGLIGIBLE_SHARE = 1e-3  # of the weight: what a released corner keeps where pushing forces are in balance
_REGULARISATION = 1e-6  # makes the distribution unique where a force needs no torque: a straight leg
_RANK_TOLERANCE = 1e-6  # relative, of pseudo-inverses


@dataclass(frozen=True, slots=True, eq=False)
class GroundForce:
    """Forces of the ground on the feet in world (T, n, 3) and the joint torques with them (T, n_joints)."""

    force_n: Array
    torque_nm: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """The N samples in which the same k >= 3 points are on the ground.

    Args:
        block: Index of these samples and points.
        lever: Stacked Jacobians of the points by the joints. Shape (N, 3k, n_joints).
        balance: Grasp matrix: maps forces to total force and moment about the world's origin. Shape (N, 6, 3k).
        wrench: Required total force and moment. Shape (N, 6).
    """

    block: tuple[npt.NDArray[np.intp], ...]
    lever: Array
    balance: Array
    wrench: Array


def _stances(dynamics: InverseDynamics, down: npt.NDArray[np.bool_]) -> Iterator[_Stance]:
    """Yield the stances of a motion on three or more points. Shape (T, n)."""
    for rows, points in _patterns(down):
        if len(points) < 3:
            continue
        block = np.ix_(rows, points)
        balance = _grasp_matrix(dynamics.point_in_world[block])
        wrench = np.concatenate([dynamics.ground_force_n[rows], dynamics.ground_moment_nm[rows]], axis=1)
        lever = dynamics.contact_jacobian[block].reshape(len(rows), 3 * len(points), -1)
        yield _Stance(block, lever, balance, wrench)


def _patterns(down: npt.NDArray[np.bool_]) -> Iterator[tuple[Index, Index]]:
    """Yield the samples with the same points on the ground, and these points. Shape (T, n)."""
    patterns, which = np.unique(down, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern)


def _grasp_matrix(point_m: Array) -> Array:
    """Return the map from forces at points to force and moment about the origin. (N, k, 3) in, (N, 6, 3k) out."""
    balance = np.zeros((len(point_m), 6, 3 * point_m.shape[1]))
    for index, point in enumerate(point_m.transpose(1, 0, 2)):
        balance[:, :3, 3 * index : 3 * index + 3] = np.eye(3)
        balance[:, 3:, 3 * index : 3 * index + 3] = _cross_matrix(point)
    return balance


def share_ground_force(robot: Robot, dynamics: InverseDynamics, contact: npt.NDArray[np.bool_]) -> GroundForce:
    """Return the forces on the feet in stance and the joint torques under them.

    Args:
        robot: Robot with its friction coefficient and contact points.
        dynamics: Inverse dynamics of the motion.
        contact: Feet on the ground. Shape (T, n).
    """
    if not robot.feet:
        return GroundForce(np.zeros((*contact.shape, 3)), dynamics.torque_nm)
    foot_of_point = np.array(robot.point_feet, dtype=int)
    down = contact[:, foot_of_point]
    force = np.zeros_like(dynamics.point_in_world)
    hold = grip_shares(down)
    for stance in _stances(dynamics, down):
        torque = dynamics.torque_nm[stance.block[0][:, 0]]
        if len(stance.block[1][0]) > _MAX_BALLS:
            force[stance.block] = _distribute_over_soles(robot, stance, torque)
        else:
            force[stance.block] = _distribute(stance, torque, hold[stance.block], _FRICTION_SHARE * robot.friction)
    _fit_on_lines(dynamics, down, force)
    torque = dynamics.torque_nm - np.einsum("tnij,tni->tj", dynamics.contact_jacobian, force)
    per_foot = np.stack([force[:, foot_of_point == foot].sum(axis=1) for foot in range(len(robot.feet))], axis=1)
    return GroundForce(per_foot, torque)


def _fit_on_lines(dynamics: InverseDynamics, down: npt.NDArray[np.bool_], force_n: Array) -> None:
    """Write the best-fit forces of one or two points, which cannot give a moment about their line, into `force_n`.

    The zero-moment point of a trot is near that line; the balance margin measures how near. (T, n), (T, n, 3).
    """
    for rows, points in _patterns(down):
        if 0 < len(points) < 3:
            balance, wrench = _balance_about_middle(dynamics, rows, points)
            forces = np.linalg.pinv(balance, rcond=_RANK_TOLERANCE) @ wrench[..., None]
            force_n[np.ix_(rows, points)] = forces.reshape(len(rows), len(points), 3)


def _balance_about_middle(dynamics: InverseDynamics, rows: Index, points: Index) -> tuple[Array, Array]:
    """Return the grasp matrix (N, 6, 3k) and the required wrench (N, 6), with moments about the points' mean."""
    position = dynamics.point_in_world[np.ix_(rows, points)]
    middle = position.mean(axis=1)
    moment = dynamics.ground_moment_nm[rows] - np.cross(middle, dynamics.ground_force_n[rows])
    wrench = np.concatenate([dynamics.ground_force_n[rows], moment], axis=1)
    return _grasp_matrix(position - middle[:, None]), wrench


def nearest_contact_torque(
    robot: Robot, dynamics: InverseDynamics, contact: npt.NDArray[np.bool_], torque_nm: Array
) -> Array:
    """Return the torques J' f of contact forces f, in balance with the motion, that are nearest to given torques.

    Args:
        robot: Robot with its contact points.
        dynamics: Inverse dynamics of the motion.
        contact: Feet on the ground. Shape (T, n).
        torque_nm: Given torques. Shape (T, n_joints).

    Returns:
        Shape (T, n_joints).
    """
    nearest = np.zeros_like(torque_nm)
    down = contact[:, np.array(robot.point_feet, dtype=int)]
    for stance in _stances(dynamics, down):
        rows = stance.block[0][:, 0]
        cost = stance.lever @ stance.lever.transpose(0, 2, 1) + _REGULARISATION * np.eye(stance.lever.shape[1])
        force = _minimise_in_balance(
            cost, np.einsum("tij,tj->ti", stance.lever, torque_nm[rows]), stance.balance, stance.wrench
        )
        nearest[rows] = np.einsum("tij,ti->tj", stance.lever, force.reshape(len(rows), -1))
    for rows, points in _patterns(down):
        if 0 < len(points) < 3:
            nearest[rows] = _nearest_torque_on_line(dynamics, rows, points, torque_nm[rows])
    return nearest


def _nearest_torque_on_line(dynamics: InverseDynamics, rows: Index, points: Index, torque_nm: Array) -> Array:
    """Return the same for one or two points: best-fit load plus internal forces. Shape (N, n_joints)."""
    block = np.ix_(rows, points)
    lever = dynamics.contact_jacobian[block].reshape(len(rows), 3 * len(points), -1).transpose(0, 2, 1)
    balance, wrench = _balance_about_middle(dynamics, rows, points)
    inverse = np.linalg.pinv(balance, rcond=_RANK_TOLERANCE)
    load_torque = lever @ (inverse @ wrench[..., None])
    internal = lever @ (np.eye(balance.shape[2]) - inverse @ balance)
    remaining = torque_nm[..., None] - load_torque
    return np.asarray((load_torque + internal @ (np.linalg.pinv(internal, rcond=_RANK_TOLERANCE) @ remaining))[..., 0])


def grip_shares(contact: npt.NDArray[np.bool_]) -> Array:
    """Return the grip of each foot: while all are down, the foot that landed takes over from the one to lift next.

    Without this the load would jump from foot to foot within a sample, and a compliant robot would bounce.

    Args:
        contact: Feet on the ground. Shape (T, n).

    Returns:
        1 for full load, almost 0 at touch-down and lift-off. Shape (T, n).
    """
    hold = np.ones(contact.shape)
    for rows in runs(frozen_mask(contact.all(axis=1))):
        length = rows.stop - rows.start
        share = (np.arange(length) + 0.5) / length
        if rows.start > 0:
            hold[rows, ~contact[rows.start - 1]] *= np.maximum(share, _MIN_GRIP)[:, None]
        if rows.stop < len(contact):
            hold[rows, ~contact[rows.stop]] *= np.maximum(1.0 - share, _MIN_GRIP)[:, None]
    return hold


def _distribute_over_soles(robot: Robot, stance: _Stance, torque: Array) -> Array:
    """Return the forces at corners of soles: the centre of pressure determines loads, weak ankles count for more."""
    strength = robot.torque_limit_nm / robot.torque_limit_nm.max()
    scaled = replace(stance, lever=stance.lever / strength)
    full_grip = np.ones((len(torque), stance.balance.shape[2] // 3))
    return _distribute(scaled, torque / strength, full_grip, _FRICTION_SHARE * robot.friction)


def _distribute(stance: _Stance, torque: Array, hold: Array, friction: float) -> Array:
    """Return the forces at the k points of a stance. Shapes (N, n_joints), (N, k) in, (N, k, 3) out."""
    lever = stance.lever
    balance = stance.balance
    wrench = stance.wrench
    even = _minimum_norm_forces(hold, balance, wrench)
    load = np.maximum(even[..., 2], _MIN_LOAD_SHARE * even[..., 2].max(axis=1, keepdims=True))
    by_load = _minimum_norm_without_pull(load * hold, balance, wrench)
    grip_cost = np.repeat(hold**-2.0, 3, axis=1)[:, :, None] * np.eye(lever.shape[1])
    torque_cost = lever @ lever.transpose(0, 2, 1) + _REGULARISATION * grip_cost
    by_torque = _minimise_without_pull(torque_cost, np.einsum("tij,tj->ti", lever, torque), balance, wrench)
    return by_load + _share_within_cones(by_load, by_torque, friction)[:, None, None] * (by_torque - by_load)


def _minimise_without_pull(cost: Array, linear: Array, balance: Array, wrench: Array) -> Array:
    """Return the forces of minimal cost; points that would pull at the ground are released in rounds.

    On three points the loads are unique, so negative forces stay. They also stay if the pressure is outside all feet,
    where no forces that push are in balance. Shapes as in `_minimise_in_balance`.
    """
    force = _minimise_in_balance(cost, linear, balance, wrench)
    released = np.zeros((len(cost), cost.shape[1] // 3), dtype=np.bool_)
    for _ in range(_MAX_RELEASES):
        pulls = (force[..., 2] < 0.0) & ~released
        rows = np.flatnonzero(pulls.any(axis=1) & ((~(released | pulls)).sum(axis=1) >= 3))
        if not len(rows):
            break
        released[rows] |= pulls[rows]
        penalty = np.trace(cost[rows], axis1=1, axis2=2)[:, None] * np.repeat(released[rows], 3, axis=1)
        with_penalty = cost[rows] + (_RELEASE_COST * penalty)[:, :, None] * np.eye(cost.shape[1])
        force[rows] = _minimise_in_balance(with_penalty, linear[rows], balance[rows], wrench[rows])
    weight_n = np.linalg.norm(wrench[:, :3], axis=1)
    is_negligible = np.linalg.norm(force, axis=2) < _NEGLIGIBLE_SHARE * weight_n[:, None]
    return np.asarray(np.where((released & is_negligible)[..., None], 0.0, force))


def _minimum_norm_without_pull(hold: Array, balance: Array, wrench: Array) -> Array:
    """Return the forces of minimal norm; a point that would pull at the ground gives its load to the others.

    A foot that is about to land grips little. If the pressure is beside the line between the others, it must carry
    nevertheless, or the foot opposite to it would pull. Shapes as in `_minimum_norm_forces`.
    """
    force = _minimum_norm_forces(hold, balance, wrench)
    pulls = force[..., 2] < 0.0
    rows = np.flatnonzero(pulls.any(axis=1) & ((~pulls).sum(axis=1) >= 3))
    if len(rows):
        pushing = np.where(pulls[rows], _RELEASED_HOLD * hold[rows].min(axis=1, keepdims=True), hold[rows])
        force[rows] = _minimum_norm_forces(pushing, balance[rows], wrench[rows])
    return force


def _minimum_norm_forces(hold: Array, balance: Array, wrench: Array) -> Array:
    """Return the forces in balance that minimise sum |f / hold|^2: W B' (B W B')^-1 wrench with W = hold^2.

    Shapes (N, k), (N, 6, 3k), (N, 6) in, (N, k, 3) out.
    """
    weighted = balance * np.repeat(hold**2.0, 3, axis=1)[:, None]
    multiplier = np.linalg.solve(weighted @ balance.transpose(0, 2, 1), wrench[..., None])
    return np.asarray((weighted.transpose(0, 2, 1) @ multiplier)[..., 0].reshape(*hold.shape, 3))


def _minimise_in_balance(quadratic: Array, linear: Array, balance: Array, wrench: Array) -> Array:
    """Return the f that minimises f'Qf/2 - l'f subject to balance f = wrench.

    Shapes (N, m, m), (N, m), (N, 6, m), (N, 6) in, (N, m/3, 3) out.
    """
    samples, size = linear.shape
    system = np.zeros((samples, size + 6, size + 6))
    system[:, :size, :size] = quadratic
    system[:, size:, :size] = balance
    system[:, :size, size:] = balance.transpose(0, 2, 1)
    right = np.concatenate([linear, wrench], axis=1)
    return np.asarray(np.linalg.solve(system, right[..., None])[:, :size, 0].reshape(samples, -1, 3))


def _share_within_cones(start: Array, end: Array, friction: float) -> Array:
    """Return the largest share in [0, 1] of the way from start to end that stays in every friction cone. (N,)."""
    step = end - start
    # |h + s dh|² = μ² (z + s dz)² has one root in [0, 1] if start is inside the cone and end is not
    a = np.sum(step[..., :2] ** 2, axis=-1) - (friction * step[..., 2]) ** 2
    b = 2.0 * (np.sum(start[..., :2] * step[..., :2], axis=-1) - friction**2 * start[..., 2] * step[..., 2])
    c = np.sum(start[..., :2] ** 2, axis=-1) - (friction * start[..., 2]) ** 2
    root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # a < 0 if the vertical force falls faster than the tangential one: first of two roots, valid for a = 0, too
        share = np.where(a > 0.0, (-b + root) / (2.0 * a), np.where(b > 0.0, -2.0 * c / (b + root), 1.0))
    outside = np.linalg.norm(end[..., :2], axis=-1) > friction * end[..., 2]
    return np.asarray(np.where(outside, np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0), 1.0).min(axis=1))


def _cross_matrix(vector: Array) -> Array:
    """Return the matrix of a cross product. Shape (N, 3) in, (N, 3, 3) out."""
    matrix = np.zeros((len(vector), 3, 3))
    matrix[:, 0, 1] = -vector[:, 2]
    matrix[:, 0, 2] = vector[:, 1]
    matrix[:, 1, 0] = vector[:, 2]
    matrix[:, 1, 2] = -vector[:, 0]
    matrix[:, 2, 0] = -vector[:, 1]
    matrix[:, 2, 1] = vector[:, 0]
    return matrix
