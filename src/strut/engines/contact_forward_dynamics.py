"""Contact forward dynamics: integrates intervals of a constrained body, with sensitivities to start state and torques.

Forward dynamics with contact rows held at the level of accelerations, nothing added; Runge-Kutta steps of eighth order
(Dormand and Prince); derivatives by implicit differentiation of the equations of motion, carried along the steps. All
intervals of a movement are computed at once, each with its own contact rows and length.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
import numpy.typing as npt
from scipy.integrate import DOP853

from strut.engines.contact_kinematics import row_accelerations, row_velocities
from strut.engines.node_symbols import NodeSymbols
from strut.engines.symbolic_dynamics import Expression
from strut.robot import Array

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class IntervalEnd:
    """Where intervals end.

    Args:
        state: q and v at the end. Shape (n, 2 nv).
        slope: Their derivatives with respect to q, v, and the torques at both ends; None if not asked for.
            Shape (n, 2 nv, 2 nv + 2 n_u).
    """

    state: Array
    slope: Array | None


class ContactForwardDynamics:
    """Forward dynamics of many instants at once. Coordinates must be plain numbers (nq = nv).

    Args:
        node: An instant in symbols whose scales are all 1, with all rows that touch at any time.
        actuated: Which velocities have a torque. Shape (n_u,).
        passive: Generalised forces of springs and dampers in the symbols of the node, if there are any.
        parameter: Values of the node's parameters, in order. Shape (n_parameters,).
    """

    def __init__(
        self,
        node: NodeSymbols,
        actuated: Sequence[int],
        passive: Expression | None = None,
        parameter: Sequence[float] = (),
    ) -> None:
        tree, contact, moving = node.tree, node.contact, node.movement
        q, v, a, load = node.q, node.v, node.a, node.force_n
        self.tree, self.contact = tree, contact
        spring = ca.SX.zeros(tree.nv) if passive is None else passive
        if node.parameter:
            spring = ca.substitute(spring, ca.vertcat(*node.parameter.values()), ca.SX(ca.DM(list(parameter))))
        self._spring = ca.Function("spring", [q, v], [spring])
        free, needed = moving.inverse_dynamics() - spring, node.inverse_dynamics() - spring
        rates, rest = row_accelerations(moving, contact), ca.SX.zeros(tree.nv)
        jacobian = ca.jacobian(row_velocities(moving, contact), v)
        dynamic = ca.horzcat(ca.jacobian(free, a), ca.substitute(free, a, rest))
        held = ca.horzcat(jacobian, ca.substitute(rates, a, rest))
        self._terms = ca.Function("terms", [q, v], [ca.densify(dynamic), ca.densify(held)])
        change = ca.jacobian(ca.vertcat(needed, rates), ca.vertcat(q, v))
        self._slopes = ca.Function("slopes", [q, v, a, load], [ca.densify(change)])
        self._torque = np.zeros((tree.nv, len(actuated)))
        self._torque[list(actuated), np.arange(len(actuated))] = 1.0

    def passive(self, q: Array, v: Array) -> Array:
        """Return the generalised forces of springs and dampers at one instant. Shapes (nq,), (nv,) in, (nv,) out."""
        return np.asarray(self._spring(q, v).full().ravel())

    def accelerate(self, q: Array, v: Array, u: Array, touches: Mask) -> tuple[Array, Array]:
        """Return accelerations (n, nv) and row forces (n, n_rows); rows that do not touch carry none.

        Shapes (n, nq), (n, nv), (n, n_u), (n, n_rows) in.
        """
        saddle, push = self._saddle(q, v, u, touches)
        both = np.linalg.solve(saddle, push[..., None])[..., 0]
        return np.asarray(both[:, : self.tree.nv]), -np.asarray(both[:, self.tree.nv :], dtype=float)

    def _saddle(self, q: Array, v: Array, u: Array, touches: Mask) -> tuple[Array, Array]:
        """Return matrix and right side of H a - Gᵀ λ = B u - C, G a = γ. Shapes (n, nv + n_rows, …)."""
        count, nv, rows = len(q), self.tree.nv, len(self.contact.rows)
        dynamic, held = (part.full() for part in self._terms.map(count)(q.T, v.T))
        dynamic = dynamic.reshape(nv, count, nv + 1).transpose(1, 0, 2)
        saddle, push = np.zeros((count, nv + rows, nv + rows)), np.zeros((count, nv + rows))
        saddle[:, :nv, :nv], push[:, :nv] = dynamic[:, :, :nv], u @ self._torque.T - dynamic[:, :, nv]
        if rows:
            held = held.reshape(rows, count, nv + 1).transpose(1, 0, 2) * touches[:, :, None]
            saddle[:, nv:, :nv], saddle[:, :nv, nv:] = held[:, :, :nv], held[:, :, :nv].transpose(0, 2, 1)
            saddle[:, range(nv, nv + rows), range(nv, nv + rows)] = ~touches  # their force is 0
            push[:, nv:] = -held[:, :, nv]
        return saddle, push

    def _rates(self, q: Array, v: Array, u: Array, touches: Mask) -> tuple[Array, Array]:
        """Return accelerations (n, nv) and their derivatives by q, v and u. Shape (n, nv, 2 nv + n_u)."""
        count, nv, rows = len(q), self.tree.nv, len(self.contact.rows)
        saddle, push = self._saddle(q, v, u, touches)
        inverse = np.linalg.inv(saddle)
        both = (inverse @ push[..., None])[..., 0]
        slope = self._slopes.map(count)(q.T, v.T, both[:, :nv].T, -both[:, nv:].T).full()
        slope = slope.reshape(nv + rows, count, 2 * nv).transpose(1, 0, 2)
        slope[:, nv:] *= touches[:, :, None]
        by_state = -inverse[:, :nv] @ slope
        return both[:, :nv], np.concatenate([by_state, inverse[:, :nv, :nv] @ self._torque], axis=2)

    def advance(
        self, start: Array, torque: tuple[Array, Array], length_s: Array, touches: Mask, *, steps: int, slopes: bool
    ) -> IntervalEnd:
        """Return where intervals end under torques that change linearly.

        Args:
            start: q and v. Shape (n, 2 nv).
            torque: At the start and at the end. Shapes (n, n_u).
            length_s: Shape (n,).
            touches: Rows that touch. Shape (n, n_rows).
            steps: Of the integrator in every interval.
            slopes: Return derivatives too.
        """
        state, step = start.copy(), length_s / steps
        slope = None
        if slopes:
            width = start.shape[1] + 2 * torque[0].shape[1]
            slope = np.broadcast_to(np.eye(start.shape[1], width), (len(start), start.shape[1], width))
        for k in range(steps):
            shares = ((k + DOP853.C) / steps).tolist()
            u = [(1.0 - share) * torque[0] + share * torque[1] for share in shares]
            state, slope = self._step(state, slope, u, shares, step, touches)
        return IntervalEnd(state, slope)

    def _step(
        self, state: Array, slope: Array | None, u: list[Array], shares: list[float], step: Array, touches: Mask
    ) -> tuple[Array, Array | None]:
        """Return the state one step later, and its derivatives if those of the start are given."""
        nv, rates, rate_slopes = self.tree.nv, list[Array](), list[Array]()
        for stage, share in enumerate(shares):
            at = state + step[:, None] * _mixed(DOP853.A[stage], rates, state)
            q, v = at[:, :nv], at[:, nv:]
            if slope is None:
                a, _ = self.accelerate(q, v, u[stage], touches)
            else:
                a, by = self._rates(q, v, u[stage], touches)
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
    """Return the weighted sum of the parts that exist already; 0 in the shape of `like` if there is none."""
    total = np.zeros(like.shape)
    for weight, part in zip(weights, parts, strict=False):
        if weight:
            total += weight * part
    return total
