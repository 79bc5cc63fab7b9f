"""Ground force: how the feet that are down share the reaction, and which joint torques remain.

Three or more feet leave the sideways forces between them open. Equal position servos are equal springs, and springs
share a load so that their energy, here the sum of squared torques, is least (Castigliano). Where that would need more
friction than there is, as much of it is kept as the friction cone allows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.balance.support import runs
from strut.engines.inverse_dynamics import InverseDynamics
from strut.motion import frozen_mask
from strut.robot import Array, Robot

_SPARE = 0.6  # share of the friction that feet may use to help each other; the rest is for what nobody planned
_LOOSE = 0.02  # least grip
_SOFT = 1e-6  # keeps the sharing defined where a force costs no torque, a straight leg


@dataclass(frozen=True, slots=True, eq=False)
class GroundForce:
    """Forces of the ground on the feet in world (T, n, 3) and the joint torques with them (T, n_joints)."""

    force_n: Array
    torque_nm: Array


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
    point, contact = dynamics.point_in_world, contact[:, owner]
    force, hold = np.zeros_like(point), grip(contact)
    patterns, which = np.unique(contact, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        feet = np.flatnonzero(pattern)
        if len(feet) < 3:
            continue  # fewer than three points cannot hold a body still; the balance margin says so
        rows = np.flatnonzero(which.ravel() == number)
        block = np.ix_(rows, feet)
        force[block] = _shared(
            dynamics.contact_jacobian[block],
            dynamics.torque_nm[rows],
            point[block],
            np.concatenate([dynamics.ground_force_n[rows], dynamics.ground_moment_nm[rows]], axis=1),
            hold[block],
            _SPARE * robot.friction,
        )
    torque = dynamics.torque_nm - np.einsum("tnij,tni->tj", dynamics.contact_jacobian, force)
    per_foot = np.stack([force[:, owner == foot].sum(axis=1) for foot in range(len(robot.feet))], axis=1)
    return GroundForce(per_foot, torque)


def grip(contact: npt.NDArray[np.bool_]) -> Array:
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


def _shared(jacobian: Array, torque: Array, point: Array, wrench: Array, hold: Array, friction: float) -> Array:
    """Return the forces of k feet that are down.

    Shapes (N, k, 3, n_joints), (N, n_joints), (N, k, 3), (N, 6), (N, k) in, (N, k, 3) out.
    """
    samples, feet = point.shape[:2]
    lever = jacobian.reshape(samples, 3 * feet, -1)
    balance = np.zeros((samples, 6, 3 * feet))
    for foot in range(feet):
        columns = slice(3 * foot, 3 * foot + 3)
        balance[:, :3, columns] = np.eye(3)
        balance[:, 3:, columns] = _cross_matrix(point[:, foot])
    none = np.zeros((samples, 3 * feet))
    even = _least(_diagonal(hold), none, balance, wrench)
    load = np.maximum(even[..., 2], 0.05 * even[..., 2].max(axis=1, keepdims=True))
    quiet = _least(_diagonal(load * hold), none, balance, wrench)
    torque_cost = lever @ lever.transpose(0, 2, 1) + _SOFT * _diagonal(hold**2)
    eager = _least(torque_cost, np.einsum("tij,tj->ti", lever, torque), balance, wrench)
    return quiet + _cone_share(quiet, eager, friction)[:, None, None] * (eager - quiet)


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
        share = np.where(a > 0.0, (-b + root) / (2.0 * a), np.where(b > 0.0, -c / b, 1.0))
    outside = np.linalg.norm(wanted[..., :2], axis=-1) > friction * wanted[..., 2]
    return np.asarray(np.where(outside, np.clip(np.nan_to_num(share, nan=0.0), 0.0, 1.0), 1.0).min(axis=1))


def _cross_matrix(vector: Array) -> Array:
    """Return the matrix of a cross product. Shape (N, 3) in, (N, 3, 3) out."""
    matrix = np.zeros((len(vector), 3, 3))
    matrix[:, 0, 1], matrix[:, 0, 2] = -vector[:, 2], vector[:, 1]
    matrix[:, 1, 0], matrix[:, 1, 2] = vector[:, 2], -vector[:, 0]
    matrix[:, 2, 0], matrix[:, 2, 1] = -vector[:, 1], vector[:, 0]
    return matrix
