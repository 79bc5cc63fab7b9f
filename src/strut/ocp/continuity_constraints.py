"""Continuity constraints: boundary constraints that join a trajectory to others, or to itself after a turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space

from strut.arrays import Array
from strut.ocp.contact_dynamics import ContactDynamics
from strut.ocp.problem import BoundaryConstraint, BoundarySymbols, OptimalControlProblem
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression
from strut.ocp.trajectory import Trajectory
from strut.robot import BASE

ANYWHERE = (0, 1)  # horizontal coordinates of the base, which a terminal state leaves free


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryState:
    """Coordinates, velocities and torques at an instant. Shapes (nq,), (nv,), (n_u,)."""

    q: Array
    v: Array
    u: Array


def state_at(path: Trajectory, node: int) -> BoundaryState:
    """Return the state of a movement at a node."""
    return BoundaryState(path.q[node], path.v[node], path.u[node])


def initial_state_constraints(problem: OptimalControlProblem, state: BoundaryState) -> tuple[BoundaryConstraint, ...]:
    """Return constraints that make a trajectory begin in a state: all coordinates, velocities and torques."""
    return _meets(problem, "first", state, *(np.eye(size) for size in (problem.tree.nq, problem.tree.nv, len(state.u))))


def terminal_state_constraints(problem: OptimalControlProblem, state: BoundaryState) -> tuple[BoundaryConstraint, ...]:
    """Return constraints that make a movement end in a state, anywhere on the ground (coordinates 0 and 1 are free).

    Other constraints already fix height and velocity of points in contact and the force of points that lift off. Along
    those directions nothing is constrained again, because redundant equations have no unique multipliers.
    """
    phase = problem.phases[-1]
    tree = problem.tree
    terms = ContactDynamics(tree, phase.contact).terms(state.q, state.v)
    upright = [index for index, row in enumerate(phase.contact.rows) if row.axis == 2]
    leaving = [phase.contact.row_names.index(name) for name in phase.unloaded]
    powered = np.eye(tree.nv)[:, list(problem.actuated)]
    soft = np.linalg.solve(terms.mass, np.hstack([terms.jacobian.T, powered]))  # accelerations by row and by torque
    by_row, by_torque = np.split(terms.jacobian @ soft, [len(phase.contact.rows)], axis=1)
    load = np.linalg.solve(by_row, by_torque)  # of every row, by torque, but for its sign
    place = null_space(np.vstack([terms.jacobian[upright], np.eye(tree.nq)[list(ANYWHERE)]]))
    pushes = null_space(load[leaving]) if leaving else np.eye(len(problem.actuated))
    return _meets(problem, "last", state, place, null_space(terms.jacobian), pushes)


def _meets(
    problem: OptimalControlProblem, where: str, state: BoundaryState, place: Array, speed: Array, push: Array
) -> tuple[BoundaryConstraint, ...]:
    """Return constraints that make one end equal to a state along directions. Shapes (nq, n), (nv, m), (n_u, k)."""
    scales = problem.scales

    def coordinates(ends: BoundarySymbols) -> Expression:
        return place.T @ (getattr(ends, where).q - state.q)

    def velocities(ends: BoundarySymbols) -> Expression:
        return speed.T @ ((getattr(ends, where).v - state.v) / scales.velocity)

    def torques(ends: BoundarySymbols) -> Expression:
        return push.T @ ((getattr(ends, where).u - state.u) / scales.torque)

    return (
        BoundaryConstraint(f"coordinates of the {where} node", coordinates),
        BoundaryConstraint(f"velocities of the {where} node", velocities),
        BoundaryConstraint(f"torques of the {where} node", torques),
    )


def turned_periodicity_constraints(
    problem: OptimalControlProblem, base: str, turn_rad: float
) -> tuple[BoundaryConstraint, ...]:
    """Return constraints that make a movement periodic up to a turn about the vertical and a displacement.

    The first six coordinates are those of a floating base, the body called `base`: three positions, three angles.
    """
    c = np.cos(turn_rad)
    s = np.sin(turn_rad)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    scales = problem.scales

    def coordinates(ends: BoundarySymbols) -> Expression:
        first, last = (node.positions.rotation(base) for node in (ends.first, ends.last))
        away = (turn @ first).T @ last
        turned = [away[2, 1] - away[1, 2], away[0, 2] - away[2, 0], away[1, 0] - away[0, 1]]
        return column(ends.last.q[2] - ends.first.q[2], *turned, ends.last.q[BASE:] - ends.first.q[BASE:])

    def velocities(ends: BoundarySymbols) -> Expression:
        first = ends.first
        last = ends.last
        spin = last.velocities.angular_velocity_in_body(base) - first.velocities.angular_velocity_in_body(base)
        return column(last.v[:3] - turn @ first.v[:3], spin, last.v[BASE:] - first.v[BASE:]) / scales.velocity

    def torques(ends: BoundarySymbols) -> Expression:
        return (ends.last.u - ends.first.u) / scales.torque

    return (
        BoundaryConstraint("turned coordinate", coordinates),
        BoundaryConstraint("turned velocity", velocities),
        BoundaryConstraint("turned torque", torques),
    )
