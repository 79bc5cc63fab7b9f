"""Constrained dynamics in numbers: forward dynamics and inelastic impacts of a tree with a contact set.

Three ways to solve the same equations (direct, range space, null space); they must agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import casadi as ca
import numpy as np
import scipy.linalg

from strut.engines.contact_kinematics import (
    point_height,
    require_independent_rows,
    row_accelerations,
    row_velocities,
)
from strut.engines.kinematic_tree import KinematicTree
from strut.engines.symbolic_dynamics import SymbolicDynamics
from strut.models.contact_set import ContactSet
from strut.robot import Array

Method = Literal["direct", "range", "null"]


@dataclass(frozen=True, slots=True, eq=False)
class Impact:
    """What an impact does: velocity after it (nv,), impulses of the rows (n_rows,), and the energy it takes [J]."""

    velocity: Array
    impulse_n_s: Array
    energy_change_j: float


class ConstrainedDynamics:
    """A tree that touches the ground: H a + C = tau + Gᵀ λ and G a = γ. Coordinates must be plain numbers (nq = nv)."""

    def __init__(self, tree: KinematicTree, contact: ContactSet) -> None:
        self.tree, self.contact = tree, contact
        q, v, a = ca.SX.sym("q", tree.nq), ca.SX.sym("v", tree.nv), ca.SX.sym("a", tree.nv)
        moving = SymbolicDynamics(tree, q, v, a)
        force = moving.inverse_dynamics()
        rows, rates = row_velocities(moving, contact), row_accelerations(moving, contact)
        rest = ca.SX.zeros(tree.nv)
        heights = [point_height(moving, point) for point in contact.points]
        self._terms = ca.Function(
            "terms",
            [q, v],
            [
                ca.densify(ca.jacobian(force, a)),
                ca.substitute(force, a, rest),
                ca.densify(ca.jacobian(rows, v)),
                -ca.substitute(rates, a, rest),
                ca.vertcat(*heights) if heights else ca.SX.zeros(0),
            ],
        )

    def terms(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return mass matrix (nv, nv), bias (nv,), contact Jacobian (n_rows, nv) and γ (n_rows,)."""
        mass, bias, jacobian, gamma, _ = (term.full() for term in self._terms(q, v))
        return mass, bias.ravel(), jacobian.reshape(len(self.contact.rows), self.tree.nv), gamma.ravel()

    def heights(self, q: Array) -> Array:
        """Return the heights of the contact points over the ground. Shape (n_points,)."""
        return np.asarray(self._terms(q, np.zeros(self.tree.nv))[4].full().ravel())

    def accelerate(self, q: Array, v: Array, force: Array, *, method: Method = "direct") -> tuple[Array, Array]:
        """Return accelerations (nv,) and row forces (n_rows,) under generalised forces (nv,)."""
        mass, bias, jacobian, gamma = self.terms(q, v)
        require_independent_rows(self.contact, jacobian)
        return solve_constrained(mass, force - bias, jacobian, gamma, method=method)

    def impact(self, q: Array, v: Array, *, restitution: float = 0.0, method: Method = "direct") -> Impact:
        """Return what happens when all rows of the set are brought to rest at once."""
        mass, _, jacobian, _ = self.terms(q, v)
        require_independent_rows(self.contact, jacobian)
        after, impulse = solve_constrained(mass, mass @ v, jacobian, -restitution * (jacobian @ v), method=method)
        energy = 0.5 * float(after @ mass @ after - v @ mass @ v)
        return Impact(after, impulse, energy)


def solve_constrained(mass: Array, push: Array, jacobian: Array, goal: Array, *, method: Method) -> tuple[Array, Array]:
    """Return x and λ of H x = push + Gᵀ λ, G x = goal.

    Args:
        mass: H, symmetric and positive definite. Shape (n, n).
        push: Shape (n,).
        jacobian: G, of full row rank. Shape (m, n).
        goal: Shape (m,).
        method: `direct` solves the whole saddle-point system, `range` eliminates x, `null` eliminates λ.
    """
    rows, size = jacobian.shape
    if method == "direct":
        saddle = np.block([[mass, jacobian.T], [jacobian, np.zeros((rows, rows))]])
        both = np.linalg.solve(saddle, np.concatenate([push, goal]))
        return both[:size], -both[size:]
    if method == "range":
        factor = scipy.linalg.cho_factor(mass)
        by_rows = scipy.linalg.cho_solve(factor, jacobian.T)
        free = scipy.linalg.cho_solve(factor, push)
        multiplier = np.linalg.solve(jacobian @ by_rows, goal - jacobian @ free)
        return free + by_rows @ multiplier, multiplier
    orthogonal, triangular = np.linalg.qr(jacobian.T, mode="complete")
    across, along = orthogonal[:, :rows], orthogonal[:, rows:]
    needed = across @ np.linalg.solve(triangular[:rows].T, goal)
    rest = np.linalg.solve(along.T @ mass @ along, along.T @ (push - mass @ needed))
    found = needed + along @ rest
    multiplier = np.linalg.solve(triangular[:rows], across.T @ (mass @ found - push))
    return found, multiplier
