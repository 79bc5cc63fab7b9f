"""Ground force: how the feet that are down share the reaction, and which joint torques remain.

Three or more feet leave the sideways forces between them open. Equal position servos are equal springs, and springs
share a load so that their energy, here the sum of squared torques, is least (Castigliano). Where that would need more
friction than there is, as much of it is kept as the friction cone allows.
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

_SPARE = 0.6  # share of the friction that feet may use to help each other; the rest is for what nobody planned
_LOOSE = 0.02  # least grip
_BALLS = 4
_RELEASES = 6
_LET_GO = 1e6  # points of a body on balls; rounds and cost of letting corners of soles go
_SOFT = 1e-6  # keeps the sharing defined where a force costs no torque, a straight leg


@dataclass(frozen=True, slots=True, eq=False)
class GroundForce:
    """Forces of the ground on the feet in world (T, n, 3) and the joint torques with them (T, n_joints)."""

    force_n: Array
    torque_nm: Array


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """The N samples in which the same k >= 3 points are down.

    Args:
        block: Index of these samples and points.
        lever: Jacobians of the points by the joints, one below the other. Shape (N, 3k, n_joints).
        balance: What the forces add up to: force and moment about the world's origin. Shape (N, 6, 3k).
        wrench: What they must add up to. Shape (N, 6).
    """

    block: tuple[npt.NDArray[np.intp], ...]
    lever: Array
    balance: Array
    wrench: Array


def _stances(dynamics: InverseDynamics, down: npt.NDArray[np.bool_]) -> Iterator[_Stance]:
    """Yield the stances of a motion with three points and more, which can hold a body still. (T, n)."""
    for rows, points in _patterns(down):
        if len(points) < 3:
            continue
        block = np.ix_(rows, points)
        balance = _balance_of(dynamics.point_in_world[block])
        wrench = np.concatenate([dynamics.ground_force_n[rows], dynamics.ground_moment_nm[rows]], axis=1)
        lever = dynamics.contact_jacobian[block].reshape(len(rows), 3 * len(points), -1)
        yield _Stance(block, lever, balance, wrench)


def _patterns(down: npt.NDArray[np.bool_]) -> Iterator[tuple[Index, Index]]:
    """Yield the samples in which the same points are down, and the points. Shape (T, n)."""
    patterns, which = np.unique(down, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        yield np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern)


def _balance_of(place_m: Array) -> Array:
    """Return what forces at points add up to: force, and moment about the origin. (N, k, 3) in, (N, 6, 3k) out."""
    balance = np.zeros((len(place_m), 6, 3 * place_m.shape[1]))
    for index, place in enumerate(place_m.transpose(1, 0, 2)):
        balance[:, :3, 3 * index : 3 * index + 3] = np.eye(3)
        balance[:, 3:, 3 * index : 3 * index + 3] = _cross_matrix(place)
    return balance


def share_ground_force(robot: Robot, dynamics: InverseDynamics, contact: npt.NDArray[np.bool_]) -> GroundForce:
    """Return the forces that the feet on the ground carry and the torques that the joints then need.

    Args:
        robot: Gives the friction, and which foot each contact point belongs to.
        dynamics: What the movement needs in total.
        contact: Which feet are down. Shape (T, n).
    """
    if not robot.feet:
        return GroundForce(np.zeros((*contact.shape, 3)), dynamics.torque_nm)
    owner = np.array(robot.point_feet, dtype=int)
    down = contact[:, owner]
    force = np.zeros_like(dynamics.point_in_world)
    hold = grip_shares(down)
    for stance in _stances(dynamics, down):
        torque = dynamics.torque_nm[stance.block[0][:, 0]]
        if len(stance.block[1][0]) > _BALLS:
            force[stance.block] = _shared_by_soles(robot, stance, torque)
        else:
            force[stance.block] = _shared(stance, torque, hold[stance.block], _SPARE * robot.friction)
    _lean(dynamics, down, force)
    torque = dynamics.torque_nm - np.einsum("tnij,tni->tj", dynamics.contact_jacobian, force)
    per_foot = np.stack([force[:, owner == foot].sum(axis=1) for foot in range(len(robot.feet))], axis=1)
    return GroundForce(per_foot, torque)


def _lean(dynamics: InverseDynamics, down: npt.NDArray[np.bool_], force_n: Array) -> None:
    """Fill in the forces where one or two points carry, as far as they can: none tips a body about their line.

    The zero-moment point of a trot lies on that line, so that little is left over; the balance margin tells how much.
    Shapes (T, n), (T, n, 3).
    """
    for rows, points in _patterns(down):
        if 0 < len(points) < 3:
            balance, wrench = _about_middle(dynamics, rows, points)
            forces = np.linalg.pinv(balance, rcond=1e-6) @ wrench[..., None]
            force_n[np.ix_(rows, points)] = forces.reshape(len(rows), len(points), 3)


def _about_middle(dynamics: InverseDynamics, rows: Index, points: Index) -> tuple[Array, Array]:
    """Return what forces at points add up to (N, 6, 3k), and what they must (N, 6); moments about their middle."""
    place = dynamics.point_in_world[np.ix_(rows, points)]
    middle = place.mean(axis=1)
    moment = dynamics.ground_moment_nm[rows] - np.cross(middle, dynamics.ground_force_n[rows])
    wrench = np.concatenate([dynamics.ground_force_n[rows], moment], axis=1)
    return _balance_of(place - middle[:, None]), wrench


def nearest_contact_torque(
    robot: Robot, dynamics: InverseDynamics, contact: npt.NDArray[np.bool_], torque_nm: Array
) -> Array:
    """Return the joint torques that contact forces can have, in balance with the movement, nearest to given ones.

    Args:
        robot: Says which foot each contact point belongs to.
        dynamics: What the movement needs in total.
        contact: Which feet are down. Shape (T, n).
        torque_nm: Shape (T, n_joints), as what is returned.
    """
    nearest = np.zeros_like(torque_nm)
    for stance in _stances(dynamics, contact[:, np.array(robot.point_feet, dtype=int)]):
        rows = stance.block[0][:, 0]
        cost = stance.lever @ stance.lever.transpose(0, 2, 1) + _SOFT * np.eye(stance.lever.shape[1])
        force = _least(cost, np.einsum("tij,tj->ti", stance.lever, torque_nm[rows]), stance.balance, stance.wrench)
        nearest[rows] = np.einsum("tij,ti->tj", stance.lever, force.reshape(len(rows), -1))
    for rows, points in _patterns(contact[:, np.array(robot.point_feet, dtype=int)]):
        if 0 < len(points) < 3:
            nearest[rows] = _nearest_leaning(dynamics, rows, points, torque_nm[rows])
    return nearest


def _nearest_leaning(dynamics: InverseDynamics, rows: Index, points: Index, torque_nm: Array) -> Array:
    """Return the same for one or two points: what they carry, and what they do to each other. Shape (N, n_joints)."""
    block = np.ix_(rows, points)
    lever = dynamics.contact_jacobian[block].reshape(len(rows), 3 * len(points), -1).transpose(0, 2, 1)
    balance, wrench = _about_middle(dynamics, rows, points)
    inverse = np.linalg.pinv(balance, rcond=1e-6)
    carried = inverse @ wrench[..., None]
    among = lever @ (np.eye(balance.shape[2]) - inverse @ balance)
    left = torque_nm[..., None] - lever @ carried
    return np.asarray((lever @ carried + among @ (np.linalg.pinv(among, rcond=1e-6) @ left))[..., 0])


def grip_shares(contact: npt.NDArray[np.bool_]) -> Array:
    """Return how firmly each foot may hold: while all are down, the one that landed takes over from the one to lift.

    Without this the load would jump from foot to foot within a sample, and a springy robot would bounce.

    Args:
        contact: Which feet are down. Shape (T, n).

    Returns:
        1 for a foot that may carry fully, down to almost 0 at touch-down and lift-off. Shape (T, n).
    """
    hold = np.ones(contact.shape)
    for rows in runs(frozen_mask(contact.all(axis=1))):
        length = rows.stop - rows.start
        share = (np.arange(length) + 0.5) / length
        if rows.start > 0:
            hold[rows, ~contact[rows.start - 1]] *= np.maximum(share, _LOOSE)[:, None]
        if rows.stop < len(contact):
            hold[rows, ~contact[rows.stop]] *= np.maximum(1.0 - share, _LOOSE)[:, None]
    return hold


def _shared_by_soles(robot: Robot, stance: _Stance, torque: Array) -> Array:
    """Return the forces of corners of soles: the centre of pressure says who carries, weak ankles count for more."""
    strength = robot.torque_limit_nm / robot.torque_limit_nm.max()
    weighed = replace(stance, lever=stance.lever / strength)
    firm = np.ones((len(torque), stance.balance.shape[2] // 3))
    return _shared(weighed, torque / strength, firm, _SPARE * robot.friction)


def _shared(stance: _Stance, torque: Array, hold: Array, friction: float) -> Array:
    """Return the forces of the k points of a stance. Shapes (N, n_joints), (N, k) in, (N, k, 3) out."""
    lever = stance.lever
    balance = stance.balance
    wrench = stance.wrench
    even = _minimum_norm_forces(hold, balance, wrench)
    load = np.maximum(even[..., 2], 0.05 * even[..., 2].max(axis=1, keepdims=True))
    quiet = _minimum_norm_forces(load * hold, balance, wrench)
    torque_cost = lever @ lever.transpose(0, 2, 1) + _SOFT * _diagonal(hold)
    eager = _pushing(torque_cost, np.einsum("tij,tj->ti", lever, torque), balance, wrench)
    return quiet + _cone_share(quiet, eager, friction)[:, None, None] * (eager - quiet)


def _pushing(cost: Array, linear: Array, balance: Array, wrench: Array) -> Array:
    """Return the forces of least cost; corners of soles that would pull at the ground are let go, a few at a time.

    Bodies on balls keep what pulls: with three or four points there is nobody to take over. Shapes as in `_least`.
    """
    force = _least(cost, linear, balance, wrench)
    gone = np.zeros((len(cost), cost.shape[1] // 3), dtype=np.bool_)
    if gone.shape[1] <= _BALLS:
        return force
    for _ in range(_RELEASES):
        pulling = (force[..., 2] < 0.0) & ~gone
        rows = np.flatnonzero(pulling.any(axis=1) & ((~(gone | pulling)).sum(axis=1) >= 3))
        if not len(rows):
            break
        gone[rows] |= pulling[rows]
        heavy = _LET_GO * np.trace(cost[rows], axis1=1, axis2=2)[:, None] * np.repeat(gone[rows], 3, axis=1)
        dear = cost[rows] + heavy[:, :, None] * np.eye(cost.shape[1])
        force[rows] = _least(dear, linear[rows], balance[rows], wrench[rows])
    return np.asarray(np.where(gone[..., None], 0.0, force))


def _minimum_norm_forces(hold: Array, balance: Array, wrench: Array) -> Array:
    """Return the smallest forces in balance, where those of feet that hold less cost more: 1 / hold² per axis.

    `_least` with the cost of `_diagonal` alone, solved by hand. Shapes (N, k), (N, 6, 3k), (N, 6) in, (N, k, 3) out.
    """
    cheap = balance * np.repeat(hold**2.0, 3, axis=1)[:, None]
    multiplier = np.linalg.solve(cheap @ balance.transpose(0, 2, 1), wrench[..., None])
    return np.asarray((cheap.transpose(0, 2, 1) @ multiplier)[..., 0].reshape(*hold.shape, 3))


def _diagonal(hold: Array) -> Array:
    """Return a cost of forces that grows as feet hold less: 1 / hold² per foot and axis. (N, k) in, (N, 3k, 3k) out."""
    cost = np.repeat(hold**-2.0, 3, axis=1)
    return np.asarray(cost[:, :, None] * np.eye(cost.shape[1]))


def _least(quadratic: Array, linear: Array, balance: Array, wrench: Array) -> Array:
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


def _cone_share(quiet: Array, wanted: Array, friction: float) -> Array:
    """Return the largest share in [0, 1] of the way from quiet to wanted that stays in every friction cone. (N,)."""
    step = wanted - quiet
    # |h + s dh|² = μ² (z + s dz)² has one root in [0, 1] if quiet is inside the cone and wanted is not
    a = np.sum(step[..., :2] ** 2, axis=-1) - (friction * step[..., 2]) ** 2
    b = 2.0 * (np.sum(quiet[..., :2] * step[..., :2], axis=-1) - friction**2 * quiet[..., 2] * step[..., 2])
    c = np.sum(quiet[..., :2] ** 2, axis=-1) - (friction * quiet[..., 2]) ** 2
    root = np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # a foot that unloads more than it slides has a < 0: the first of two roots, in a form that also holds for a = 0
        share = np.where(a > 0.0, (-b + root) / (2.0 * a), np.where(b > 0.0, -2.0 * c / (b + root), 1.0))
    outside = np.linalg.norm(wanted[..., :2], axis=-1) > friction * wanted[..., 2]
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
