"""Layout: index, scale, bounds and name of every variable of the program, by quantity and node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strut.arrays import Array, Index
from strut.kinematics.contact_set import ContactSet
from strut.ocp.problem import Bounds, OptimalControlProblem
from strut.ocp.sparse_nlp import Element, element
from strut.ocp.tree_forces import tree_forces

_LARGE = 1e19  # IPOPT takes it for infinity


class Layout:
    """Index tables of a problem.

    Two nodes share the time at which one phase ends and the next begins. They share coordinates, torques (unless the
    phase lets them jump) and velocities (unless there is an impact); accelerations and forces may jump.
    """

    def __init__(self, problem: OptimalControlProblem) -> None:
        self.problem = problem
        self.contact: ContactSet = problem.contact
        self.closure_names = tree_forces(problem.tree).row_names
        self.phase_of = problem.phase_of
        self.node_count = len(self.phase_of)
        self.first_node = np.searchsorted(self.phase_of, np.arange(len(problem.phases)))
        self.last_node = np.searchsorted(self.phase_of, np.arange(len(problem.phases)), side="right") - 1
        self.starts = np.setdiff1d(np.arange(self.node_count), self.last_node)  # of all intervals
        self._scale: list[Array] = []
        self._lower: list[Array] = []
        self._upper: list[Array] = []
        self._size = 0
        self._add_nodes()
        self._add_globals()
        self.size = self._size
        self.scale, self.lower, self.upper = (
            np.concatenate(parts) for parts in (self._scale, self._lower, self._upper)
        )
        self._bound(np.arange(self.node_count), problem.bounds)
        for number, phase in enumerate(problem.phases):
            if phase.bounds is not None:
                self._bound(self.nodes_of(number), phase.bounds)

    def _bound(self, nodes: Index, bounds: Bounds) -> None:
        """Tighten the bounds of some nodes; variables that two phases share obey both."""
        first = (self.q[nodes[:1]], bounds.first_q)
        for index, limit in ((self.q[nodes], bounds.q), (self.v[nodes], bounds.v), (self.u[nodes], bounds.u), first):
            if limit is not None:
                lower, upper = limit[:, None, :] / self.scale[index]
                np.maximum.at(self.lower, index, lower)
                np.minimum.at(self.upper, index, upper)

    def _take(self, lower: Array, upper: Array, scale: Array) -> Index:
        """Add variables with bounds in SI units; return their indices."""
        start = self._size
        self._size = self._size + len(scale)
        self._scale.append(scale)
        self._lower.append(np.maximum(lower / scale, -_LARGE))
        self._upper.append(np.minimum(upper / scale, _LARGE))
        return np.arange(start, self._size)

    def _free(self, scale: Array) -> Index:
        return self._take(np.full(len(scale), -np.inf), np.full(len(scale), np.inf), scale)

    def _add_nodes(self) -> None:
        problem = self.problem
        scales = self.problem.scales
        rows = self.contact.rows
        self.zero_force = self._take(np.zeros(len(rows)), np.zeros(len(rows)), np.full(len(rows), scales.force_n))
        columns: dict[str, list[Index]] = {name: [] for name in ("q", "v", "a", "u", "force", "closure")}
        closing = np.full(len(self.closure_names), scales.force_n)
        sizes = {"q": np.ones(problem.tree.nq), "v": scales.velocity, "u": scales.torque}
        self._lifts: dict[str, list[Index]] = {lift.name: [] for lift in problem.lifted_variables}
        for node in range(self.node_count):
            number = int(self.phase_of[node])
            border = node > 0 and node == self.first_node[number]
            phase = problem.phases[number]
            shared = {
                "q": border,
                "u": border and not phase.torque_jumps,
                "v": border and phase.arrival == "continuous",
            }
            for name, scale in sizes.items():
                columns[name].append(columns[name][-1] if shared[name] else self._free(scale))
            columns["a"].append(self._free(scales.acceleration))
            columns["force"].append(self._forces(number, node))
            columns["closure"].append(self._free(closing))
            for lift in problem.lifted_variables:
                self._lifts[lift.name].append(self._free(np.full(lift.size, lift.scale)))
        self.q, self.v, self.a, self.u, self.force, self.closure = (np.array(columns[name]) for name in columns)

    def _forces(self, number: int, node: int) -> Index:
        """Return the force variables of a node: free ones for active rows, fixed zeros for the others."""
        phase = self.problem.phases[number]
        scale = self.problem.scales.force_n
        last = node == self.last_node[number]
        least_n = 0.0 if last or node == self.first_node[number] else phase.min_load_n
        index = self.zero_force.copy()
        for position, row in enumerate(self.contact.rows):
            if row not in phase.contact.rows:
                continue
            gone = last and row.name in phase.unloaded
            lower = least_n if gone or (row.axis == 2 and row.name not in phase.may_pull) else -np.inf
            upper = 0.0 if gone else np.inf
            index[position] = self._take(np.array([lower]), np.array([upper]), np.array([scale]))[0]
        return index

    def _add_globals(self) -> None:
        problem = self.problem
        shortest, longest = np.array([phase.duration_s for phase in problem.phases]).T
        self.duration = self._take(shortest, longest, np.ones(len(shortest)))
        lower = np.array([parameter.lower for parameter in problem.parameters])
        upper = np.array([parameter.upper for parameter in problem.parameters])
        self.parameter = self._take(lower, upper, np.ones(len(lower)))
        self.impulse: dict[int, Index] = {}
        self.closure_impulse: dict[int, Index] = {}
        for number, phase in enumerate(problem.phases):
            if phase.arrival == "impact":
                normal = np.array([row.axis == 2 for row in phase.contact.rows])
                scale = np.full(len(normal), problem.scales.impulse_n_s)
                self.impulse[number] = self._take(np.where(normal, 0.0, -np.inf), np.full(len(normal), np.inf), scale)
                self.closure_impulse[number] = self._free(np.full(len(self.closure_names), problem.scales.impulse_n_s))

    def lifted(self, name: str) -> Index:
        """Return the variables of a lifted quantity, node after node. Shape (nodes × size,)."""
        return np.concatenate(self._lifts[name])

    def nodes_of(self, number: int) -> Index:
        """Return the nodes of a phase."""
        return np.asarray(np.flatnonzero(self.phase_of == number))

    def node_names(self, nodes: Sequence[int] | Index) -> list[str]:
        """Return names of nodes for messages: phase and node within it."""
        phase_of = self.phase_of[list(nodes)]
        phases = self.problem.phases
        inside = np.asarray(nodes) - self.first_node[phase_of]
        return [f"in phase {phases[number].name}, node {node}" for number, node in zip(phase_of, inside, strict=True)]

    def element(
        self, name: str, nodes: Sequence[int] | Index, *, place: str = "", impact: int | None = None, **options: Any
    ) -> Element:
        """Return an element at nodes (or from each to the next, or at a named place).

        The kind of a symbol names its node: this one, the next, the one before, the first, the last. `impact` is the
        phase of the impulses in the rows. Options are those of `sparse_nlp.element`.
        """
        here = np.asarray(nodes, dtype=np.intp)
        first = np.zeros_like(here)
        last = np.full_like(here, self.node_count - 1)
        at = {"": here, "next": here + 1, "before": here - 1, "first": first, "last": last}

        def index_of(kind: str, number: int) -> Index:
            where, _, quantity = kind.rpartition(":")
            return self._index_of(quantity, number, at[where], impact)

        return element(name, [place] if place else self.node_names(here), index_of, **options)

    def _index_of(self, quantity: str, number: int, nodes: Index, impact: int | None) -> Index:
        """Return the variable of a symbol at nodes. Shape (n,) in and out."""
        shared = {"parameter": self.parameter, "durations": self.duration}
        if impact is not None:
            shared |= {"impulse": self.impulse[impact], "closing impulse": self.closure_impulse[impact]}
        if quantity in shared:
            return np.full(len(nodes), shared[quantity][number])
        if quantity == "duration":
            return np.asarray(self.duration[self.phase_of[nodes]])
        if quantity.startswith("lift "):
            return np.array([self._lifts[quantity[5:]][node][number] for node in nodes])
        table: Index = getattr(self, quantity)
        return np.asarray(table[nodes, number])

    def variable_name(self, index: int) -> str:
        """Return the name of a variable for messages: quantity, phase and node."""
        names = self.problem.tree.velocity_names
        problem = self.problem
        by_node = {
            "the angle of": (self.q, names),
            "the velocity of": (self.v, names),
            "the acceleration of": (self.a, names),
            "the torque of": (self.u, [names[i] for i in problem.actuated]),
            "the force on": (self.force, self.contact.row_names),
            "the force in": (self.closure, self.closure_names),
        }
        for words, (table, labels) in by_node.items():
            for node, entry in np.argwhere(table == index)[:1]:
                return f"{words} {labels[entry]} {self.node_names([node])[0]}"
        for entry in np.flatnonzero(self.duration == index):
            return f"the duration of phase {problem.phases[entry].name}"
        for entry in np.flatnonzero(self.parameter == index):
            return f"the parameter {problem.parameters[entry].name}"
        return "an impulse"
