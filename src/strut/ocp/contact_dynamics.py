"""Contact dynamics in numbers: H a + C = tau + Gᵀ λ and G a = γ for a tree with contact rows and closed loops.

One instant, by eliminating accelerations; or many at once, each with its own rows, as one saddle-point system, to
integrate the intervals of a movement with sensitivities. Rows are imposed on accelerations, without stabilisation.
Runge-Kutta steps are of eighth order (Dormand and Prince); derivatives come from implicit differentiation of these
equations along the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
import scipy.linalg
from scipy.integrate import DOP853

from strut.arrays import Array, Mask
from strut.errors import BadTableError
from strut.kinematics.contact_set import ContactSet
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.symbolic_dynamics import SymbolicDynamics
from strut.ocp.tree_forces import tree_forces

# Rows are dependent below this share of the largest singular value: contact sets of a human gait along x have at least
# 0.019, those of a gait along y 0.003.
DEPENDENT = 5e-3


class Impact(NamedTuple):
    """Velocity after an impact (nv,), impulses of the rows (n_rows,), and change of kinetic energy [J]."""

    velocity: Array
    impulse_n_s: Array
    energy_change_j: float


class ContactTerms(NamedTuple):
    """The equations at one instant: mass matrix (nv, nv), bias (nv,), contact Jacobian (n_rows, nv), γ (n_rows,)."""

    mass: Array
    bias: Array
    jacobian: Array
    gamma: Array

    def accelerate(self, force: Array) -> tuple[Array, Array]:
        """Return accelerations (nv,) and row forces (n_rows,) under generalised forces (nv,)."""
        return solve_constrained(self.mass, force - self.bias, self.jacobian, self.gamma)

    def impact(self, v: Array) -> Impact:
        """Return the inelastic impact that brings all rows of the set to rest at once."""
        mass = self.mass
        after, impulse = solve_constrained(mass, mass @ v, self.jacobian, np.zeros(len(self.jacobian)))
        return Impact(after, impulse, 0.5 * float(after @ mass @ after - v @ mass @ v))


class BatchedFunction:
    """A CasADi function of columns, with dense results, at many instants: arrays in and out without copies of DM."""

    def __init__(self, function: ca.Function) -> None:
        self.function = function
        self._mapped = dict[int, Any]()

    def __call__(self, *arguments: Array) -> list[Array]:
        """Return the results (n, rows, columns) for arguments (n, size)."""
        count = len(arguments[0])
        if count not in self._mapped:
            self._mapped[count] = self.function.map(count)
        buffer, evaluate = self._mapped[count].buffer()
        own = [np.ascontiguousarray(value, dtype=float) for value in arguments]
        sizes = [self.function.size_out(index) for index in range(self.function.n_out())]
        results = [np.zeros((count, columns, rows)) for rows, columns in sizes]  # CasADi's columns come one by one
        for put, arrays in ((buffer.set_arg, own), (buffer.set_res, results)):
            for index, array in enumerate(arrays):
                if array.size:
                    put(index, array.data)
        evaluate()
        return [result.transpose(0, 2, 1) for result in results]


class ContactDynamics:
    """Dynamics of a tree in contact with the ground. Coordinates must be plain numbers (nq = nv).

    The springs and dampers of the tree are part of the bias; rows of its closed loops come after those of the contacts
    and are always active.

    Args:
        tree: Of the body.
        contact: All rows that are active at any time.
        actuated: Indices of velocities with a torque. Shape (n_u,).
        passive: Generalised forces of springs and dampers (nv,), a CasADi function of q and v; None without any.
    """

    def __init__(
        self, tree: KinematicTree, contact: ContactSet, actuated: Sequence[int] = (), passive: ca.Function | None = None
    ) -> None:
        self.tree = tree
        self.contact = contact
        self._passive = passive
        inner = tree_forces(tree)
        contact_rows = len(contact.rows)
        self.row_count = contact_rows + len(inner.row_names)
        q, v, a = (ca.SX.sym(letter, tree.nv) for letter in "qva")
        load = ca.SX.sym("load", self.row_count)
        rest = ca.SX.zeros(tree.nv)
        moving = SymbolicDynamics(tree, q, v, a)
        spring = inner.passive(q, v) + (0.0 if passive is None else passive(q, v))
        free = moving.inverse_dynamics() - spring
        needed = moving.inverse_dynamics(moving.row_loads(contact, load[:contact_rows])) - spring
        needed = needed - inner.loads(q, load[contact_rows:])
        rates = ca.vertcat(moving.row_accelerations(contact), inner.accelerations(q, v, a))
        jacobian = ca.jacobian(ca.vertcat(moving.row_velocities(contact), inner.velocities(q, v)), v)
        dynamic = ca.horzcat(ca.jacobian(free, a), ca.substitute(free, a, rest))
        held = ca.horzcat(jacobian, ca.substitute(rates, a, rest))
        self._terms = ca.Function("terms", [q, v], [ca.densify(dynamic), ca.densify(held)])
        change = ca.jacobian(ca.vertcat(needed, rates), ca.vertcat(q, v))
        self._many_terms = BatchedFunction(self._terms)
        self._many_slopes = BatchedFunction(ca.Function("slopes", [q, v, a, load], [ca.densify(change)]))
        self._torque = np.eye(tree.nv)[:, list(actuated)]

    def passive(self, q: Array, v: Array) -> Array:
        """Return the generalised forces of the problem's springs and dampers. Shapes (nq,), (nv,) in, (nv,) out."""
        return np.zeros(self.tree.nv) if self._passive is None else self._passive(q, v).full().ravel()

    def terms(self, q: Array, v: Array) -> ContactTerms:
        """Return the equations at one instant. Shapes (nq,), (nv,) in."""
        nv = self.tree.nv
        dynamic, held = (part.full().reshape(-1, nv + 1) for part in self._terms(q, v))
        return ContactTerms(dynamic[:, :nv], dynamic[:, nv], held[:, :nv], -held[:, nv])

    def accelerate(self, q: Array, v: Array, force: Array) -> tuple[Array, Array]:
        """Return accelerations (nv,) and row forces (n_rows,) under generalised forces (nv,)."""
        return self._independent(q, v).accelerate(force)

    def impact(self, q: Array, v: Array) -> Impact:
        """Return the inelastic impact that brings all rows of the set to rest at once."""
        return self._independent(q, v).impact(v)

    def _independent(self, q: Array, v: Array) -> ContactTerms:
        terms = self.terms(q, v)
        require_independent_rows(self.contact, terms.jacobian[: len(self.contact.rows)])
        return terms

    def accelerations(self, q: Array, v: Array, u: Array, touches: Mask) -> tuple[Array, Array]:
        """Return accelerations (n, nv) and row forces (n, n_rows); inactive rows have no force.

        Shapes (n, nq), (n, nv), (n, n_u), (n, n_contact_rows) in.
        """
        saddle, push = self._saddle(q, v, u, self._holding(touches))
        both = np.linalg.solve(saddle, push[..., None])[..., 0]
        return np.asarray(both[:, : self.tree.nv]), -np.asarray(both[:, self.tree.nv :], dtype=float)

    def _holding(self, touches: Mask) -> Mask:
        """Return the active rows: active contacts and all closures. (n, n_contact_rows) in, (n, n_rows) out."""
        return np.pad(touches, [(0, 0), (0, self.row_count - touches.shape[1])], constant_values=True)

    def _saddle(self, q: Array, v: Array, u: Array, touches: Mask) -> tuple[Array, Array]:
        """Return matrix and right side of H a - Gᵀ λ = B u - C, G a = γ. Shapes (n, nv + n_rows, …)."""
        count = len(q)
        nv = self.tree.nv
        rows = self.row_count
        dynamic, held = self._many_terms(q, v)
        saddle = np.zeros((count, nv + rows, nv + rows))
        push = np.zeros((count, nv + rows))
        saddle[:, :nv, :nv] = dynamic[:, :, :nv]
        push[:, :nv] = u @ self._torque.T - dynamic[:, :, nv]
        if rows:
            held = held * touches[:, :, None]
            saddle[:, nv:, :nv] = held[:, :, :nv]
            saddle[:, :nv, nv:] = held[:, :, :nv].transpose(0, 2, 1)
            saddle[:, range(nv, nv + rows), range(nv, nv + rows)] = ~touches  # their force is 0
            push[:, nv:] = -held[:, :, nv]
        return saddle, push

    def _rates(self, q: Array, v: Array, u: Array, touches: Mask) -> tuple[Array, Array]:
        """Return accelerations (n, nv) and their derivatives by q, v and u. Shape (n, nv, 2 nv + n_u)."""
        nv = self.tree.nv
        touches = self._holding(touches)
        saddle, push = self._saddle(q, v, u, touches)
        inverse = np.linalg.inv(saddle)
        both = (inverse @ push[..., None])[..., 0]
        (slope,) = self._many_slopes(q, v, both[:, :nv], -both[:, nv:])
        slope[:, nv:] *= touches[:, :, None]
        by_state = -inverse[:, :nv] @ slope
        return both[:, :nv], np.concatenate([by_state, inverse[:, :nv, :nv] @ self._torque], axis=2)

    def advance(
        self, start: Array, torque: tuple[Array, Array], length_s: Array, touches: Mask, *, steps: int, slopes: bool
    ) -> tuple[Array, Array | None]:
        """Return the states at the ends of intervals with linearly changing torques.

        Args:
            start: q and v. Shape (n, 2 nv).
            torque: At the start and at the end. Shapes (n, n_u).
            length_s: Shape (n,).
            touches: Active rows. Shape (n, n_rows).
            steps: Of the integrator in every interval.
            slopes: Return derivatives too.

        Returns:
            q and v at the ends (n, 2 nv), and their derivatives by q, v and the torques at both ends (n, 2 nv,
            2 nv + 2 n_u) or None.
        """
        state = start
        slope = None
        width = start.shape[1] + 2 * torque[0].shape[1]
        if slopes:
            slope = np.broadcast_to(np.eye(start.shape[1], width), (len(start), start.shape[1], width))
        for k in range(steps):
            shares = ((k + DOP853.C) / steps).tolist()
            state, slope = self._step(state, slope, torque, shares, length_s / steps, touches)
        return state, slope

    def _step(
        self,
        state: Array,
        slope: Array | None,
        torque: tuple[Array, Array],
        shares: list[float],
        step: Array,
        touches: Mask,
    ) -> tuple[Array, Array | None]:
        """Return the state one step later, and its derivatives if those of the start are given."""
        nv = self.tree.nv
        rates = list[Array]()
        rate_slopes = list[Array]()
        for stage, share in enumerate(shares):
            at = state + step[:, None] * _mixed(DOP853.A[stage], rates, state)
            q = at[:, :nv]
            v = at[:, nv:]
            u = (1.0 - share) * torque[0] + share * torque[1]
            if slope is None:
                a, _ = self.accelerations(q, v, u, touches)
            else:
                a, by = self._rates(q, v, u, touches)
                at_slope = slope + step[:, None, None] * _mixed(DOP853.A[stage], rate_slopes, slope)
                by_torque = np.concatenate([(1.0 - share) * by[:, :, 2 * nv :], share * by[:, :, 2 * nv :]], axis=2)
                rate_slope = np.concatenate([at_slope[:, nv:], by[:, :, : 2 * nv] @ at_slope], axis=1)
                rate_slope[:, nv:, 2 * nv :] += by_torque
                rate_slopes.append(rate_slope)
            rates.append(np.concatenate([v, a], axis=1))
        state = state + step[:, None] * _mixed(DOP853.B, rates, state)
        if slope is not None:
            slope = slope + step[:, None, None] * _mixed(DOP853.B, rate_slopes, slope)
        return state, slope


def _mixed(weights: Array, parts: list[Array], like: Array) -> Array:
    """Return the weighted sum of the stages computed so far; 0 in the shape of `like` if there is none."""
    total = np.zeros(like.shape)
    for weight, part in zip(weights, parts, strict=False):
        if weight:
            total += weight * part
    return total


def solve_constrained(mass: Array, push: Array, jacobian: Array, goal: Array) -> tuple[Array, Array]:
    """Return x and λ of H x = push + Gᵀ λ, G x = goal, by eliminating x (range-space method).

    Args:
        mass: H, symmetric and positive definite. Shape (n, n).
        push: Shape (n,).
        jacobian: G, of full row rank. Shape (m, n).
        goal: Shape (m,).
    """
    factor = scipy.linalg.cho_factor(mass)
    both = scipy.linalg.cho_solve(factor, np.column_stack([jacobian.T, push]), check_finite=False)
    by_rows = both[:, :-1]
    free = both[:, -1]
    multiplier = np.linalg.solve(jacobian @ by_rows, goal - jacobian @ free)
    return free + by_rows @ multiplier, multiplier


def contact_jacobian(tree: KinematicTree, contact: ContactSet, q: Array) -> Array:
    """Return G in one configuration. Shape (nq,) in, (n_rows, nv) out."""
    v = ca.SX.sym("v", tree.nv)
    rows = SymbolicDynamics(tree, ca.DM(q), v).row_velocities(contact)
    return np.asarray(ca.evalf(ca.densify(ca.jacobian(rows, v))).full()).reshape(len(contact.rows), tree.nv)


def require_independent_rows(contact: ContactSet, jacobian: Array) -> None:
    """Raise BadTableError if the rows of a set are linearly dependent: their forces would be undetermined."""
    if not contact.rows:
        return
    sizes = np.linalg.svd(jacobian, compute_uv=False)
    rank = int(np.sum(sizes > DEPENDENT * sizes[0]))
    if rank < len(contact.rows):
        raise BadTableError(
            f"Contact set {contact.name}: its {len(contact.rows)} rows ({', '.join(contact.row_names)}) constrain "
            f"only {rank} motions in this configuration, so its forces are undetermined. Rows are along the "
            "world's axes: turn the movement so that the foot points along x, or name other rows."
        )
