"""Shooting: intervals of a problem as initial-value problems, integrated to the last digits, and the gaps between."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import csr_matrix

from strut.engines.contact_forward_dynamics import ContactForwardDynamics, Mask
from strut.engines.node_symbols import Scales
from strut.engines.sparse_nlp import Index
from strut.optimal.layout import Layout
from strut.optimal.problem import OptimalControlProblem
from strut.optimal.trajectory import Trajectory
from strut.robot import Array

STEP_S = 0.003  # of the integrator, of eighth order: errs by 1e-13 in an interval


@dataclass(frozen=True, slots=True, eq=False)
class Defects:
    """How far intervals miss the start of the next, scaled, and the derivatives by the program's variables."""

    value: Array
    slope: csr_matrix


class MultipleShooting:
    """The intervals of a problem as initial-value problems, for given values of its parameters."""

    def __init__(self, layout: Layout, parameter: dict[str, float]) -> None:
        problem = layout.problem
        self.layout, self.flow = layout, contact_forward_dynamics(problem, parameter)
        last = [layout.last_node(number) for number in range(len(problem.phases))]
        self.start = np.setdiff1d(np.arange(layout.node_count), last)
        self.touches = touching(problem, layout.phase_of[self.start])

    def gaps(self, path: Trajectory) -> Defects:
        """Return what is missing between the intervals of a trajectory on the problem's mesh."""
        layout, start = self.layout, self.start
        state, torque = np.hstack([path.q, path.v]), (path.u[start], path.u[start + 1])
        length_s = path.time_s[start + 1] - path.time_s[start]
        steps = enough_steps(length_s)
        rough = self.flow.advance(state[start], torque, length_s, self.touches, steps=1, slopes=True)
        exact = self.flow.advance(state[start], torque, length_s, self.touches, steps=steps, slopes=False)
        assert rough.slope is not None
        size = np.concatenate([np.ones(layout.problem.tree.nq), layout.problem.scales.velocity])
        here = np.hstack([layout.q[start], layout.v[start], layout.u[start], layout.u[start + 1]])
        after = np.hstack([layout.q[start + 1], layout.v[start + 1]])
        rows = np.arange(after.size).reshape(after.shape)
        slope = rough.slope / size[:, None] * layout.scale[here][:, None, :]
        at = (np.repeat(rows, here.shape[1], axis=1).ravel(), np.repeat(here[:, None], len(size), axis=1).ravel())
        shape = (after.size, layout.size)
        minus = csr_matrix(((-layout.scale[after] / size).ravel(), (rows.ravel(), after.ravel())), shape=shape)
        value = (exact.state - state[start + 1]) / size
        return Defects(value.ravel(), csr_matrix((slope.ravel(), at), shape=shape) + minus)


def enough_steps(length_s: Array) -> int:
    """Return how many steps of the integrator the longest of some intervals needs."""
    return int(np.ceil(length_s.max() / STEP_S))


def contact_forward_dynamics(problem: OptimalControlProblem, parameter: dict[str, float]) -> ContactForwardDynamics:
    """Return the forward dynamics of a problem's body with its springs, for given values of its parameters."""
    ones = np.ones(problem.tree.nv)
    node = replace(problem, scales=Scales(ones, ones, np.ones(len(problem.actuated)), 1.0, 1.0)).node()
    passive = None if problem.passive is None else problem.passive(node)
    return ContactForwardDynamics(
        node, problem.actuated, passive, [parameter[known.name] for known in problem.parameters]
    )


def touching(problem: OptimalControlProblem, phase_of: Index) -> Mask:
    """Return which rows of the problem touch, phase by phase number. Shape (n,) in, (n, n_rows) out."""
    sets = np.array([[row in phase.contact.rows for row in problem.contact.rows] for phase in problem.phases])
    return np.asarray(sets.reshape(len(problem.phases), -1)[phase_of])
