"""Trajectory: a movement as values at the nodes of a mesh, and as curves between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline, interp1d

from strut.arrays import Array, Index
from strut.ocp.layout import Layout
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.tree_forces import tree_forces


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """A movement at the nodes of its mesh, one phase after another; where two phases meet there are two nodes.

    Shapes: time and phase (nodes,), q (nodes, nq), v and a (nodes, nv), torques u (nodes, n_u), forces of all rows of
    `problem.contact`, 0 where they do not touch (nodes, n_rows), durations of the phases (n_phases,), forces in closed
    loops (nodes, n_closures). Free parameters are by name, impulses by the number of the phase that begins with an
    impact, row by row of its set.
    """

    problem: OptimalControlProblem
    time_s: Array
    phase_of: Index
    q: Array
    v: Array
    a: Array
    u: Array
    force_n: Array
    duration_s: Array
    parameter: dict[str, float]
    impulse_n_s: dict[int, Array]
    closure_n: Array = field(default_factory=lambda: np.zeros((0, 0)))

    def __post_init__(self) -> None:
        if not self.closure_n.size:  # without closed loops it may be left out
            object.__setattr__(
                self, "closure_n", np.zeros((len(self.time_s), len(tree_forces(self.problem.tree).row_names)))
            )

    def nodes_of(self, phase: int) -> Index:
        """Return the nodes of a phase."""
        return np.asarray(np.flatnonzero(self.phase_of == phase))

    def between(self, phase: int, per_interval: int) -> tuple[Array, Array, Array, Array, Array]:
        """Return time, q, v, u and forces of a phase sampled between its nodes: quintics, and lines for u and forces.

        Shapes (T,), (T, nq), (T, nv), (T, n_u), (T, n_rows) with T = intervals × per_interval + 1.
        """
        nodes = self.nodes_of(phase)
        first = np.append(np.repeat(nodes[:-1], per_interval), nodes[-2])
        steps = np.linspace(0.0, 1.0, per_interval, endpoint=False)
        share = np.append(np.tile(steps, len(nodes) - 1), 1.0)[:, None]
        q, v = self._curve(first, share)
        time_s = _line(self.time_s[:, None], first, share)[:, 0]
        return time_s, q, v, _line(self.u, first, share), _line(self.force_n, first, share)

    def _curve(self, now: Index, share: Array) -> tuple[Array, Array]:
        """Return q and v at shares of intervals: the quintics that meet q, v and a at both ends.

        Where accelerations are linear, as on a solved mesh, they are the mesh's own cubics. Shapes (T,), (T, 1) in.
        """
        step = (self.time_s[now + 1] - self.time_s[now])[:, None]
        rate = step * self.v[now]
        bend = step**2 * self.a[now]
        place = self.q[now + 1] - self.q[now] - rate - bend / 2.0
        speed = step * self.v[now + 1] - rate - bend
        push = step**2 * self.a[now + 1] - bend
        third = 10.0 * place - 4.0 * speed + push / 2.0
        fourth = -15.0 * place + 7.0 * speed - push
        fifth = 6.0 * place - 3.0 * speed + push / 2.0
        q = self.q[now] + share * (rate + share * (bend / 2.0 + share * (third + share * (fourth + share * fifth))))
        v = rate + share * (bend + share * (3.0 * third + share * (4.0 * fourth + share * 5.0 * fifth)))
        return q, v / step

    def on_mesh(self, problem: OptimalControlProblem) -> Trajectory:
        """Return the movement at the nodes of another mesh, phase by phase: a warm start that keeps the mesh rows."""
        parts: dict[str, list[Array]] = {name: [] for name in ("time_s", "q", "v", "u", "force_n", "closure_n")}
        for number, phase in enumerate(problem.phases):
            own = self.nodes_of(number)
            time = np.linspace(self.time_s[own[0]], self.time_s[own[-1]], phase.intervals + 1)
            after = np.clip(np.searchsorted(self.time_s[own], time, "right"), 1, len(own) - 1)
            now = own[after - 1]
            share = ((time - self.time_s[now]) / (self.time_s[now + 1] - self.time_s[now]))[:, None]
            parts["q"].append(self._curve(now, share)[0])
            parts["v"].append(self._curve(now, share)[1])
            for name in parts.keys() - {"q", "v"}:
                parts[name].append(np.asarray(interp1d(self.time_s[own], getattr(self, name)[own], axis=0)(time)))
        values: dict[str, Any] = {name: np.concatenate(part) for name, part in parts.items()}
        values["v"], values["a"] = mesh_splines(problem, values["time_s"], values["q"], values["v"])
        return replace(self, problem=problem, phase_of=problem.phase_of, **values)

    def part(self, first: int, stop: int) -> Trajectory:
        """Return the phases from `first` up to `stop` as a movement that begins at 0 s in motion."""
        nodes = np.flatnonzero((self.phase_of >= first) & (self.phase_of < stop))
        opening = replace(self.problem.phases[first], arrival="rest")
        problem = self.problem.on_phases((opening, *self.problem.phases[first + 1 : stop]))
        rows = [self.problem.contact.rows.index(row) for row in problem.contact.rows]
        values: dict[str, Any] = {name: getattr(self, name)[nodes] for name in ("q", "v", "a", "u", "closure_n")}
        return replace(
            self,
            problem=problem,
            time_s=self.time_s[nodes] - self.time_s[nodes[0]],
            phase_of=self.phase_of[nodes] - first,
            force_n=self.force_n[nodes][:, rows],
            duration_s=self.duration_s[first:stop],
            impulse_n_s={number - first: j for number, j in self.impulse_n_s.items() if first < number < stop},
            **values,
        )

    def phase_at(self, time_s: Array) -> Index:
        """Return the phase at every time; a transition belongs to the phase that begins. Shape (T,)."""
        return np.asarray(np.searchsorted(np.cumsum(self.duration_s)[:-1], time_s, side="right"))

    def at(self, time_s: Array) -> tuple[Array, Array, Array]:
        """Return q, torques and row forces at times of the movement. Shapes (T, nq), (T, n_u), (T, n_rows)."""
        phase = self.phase_at(time_s)
        nodes = np.empty(len(time_s), dtype=np.intp)
        for number in range(len(self.problem.phases)):
            inside = phase == number
            own = self.nodes_of(number)
            after = np.searchsorted(self.time_s[own], time_s[inside], "right")
            nodes[inside] = own[np.clip(after - 1, 0, len(own) - 2)]
        share = ((time_s - self.time_s[nodes]) / (self.time_s[nodes + 1] - self.time_s[nodes]))[:, None]
        q, _ = self._curve(nodes, share)
        return q, _line(self.u, nodes, share), _line(self.force_n, nodes, share)

    def sampled(self, time_s: Array, points: Sequence[str]) -> tuple[Array, Array, Array, Array]:
        """Return q (T, nq), torques (T, n_u), and forces (T, n, 3) and contact (T, n) of contact points by name."""
        q, u, rows = self.at(time_s)
        phase = self.phase_at(time_s)
        force = np.zeros((len(time_s), len(points), 3))
        contact = np.zeros((len(time_s), len(points)), dtype=bool)
        for index, row in enumerate(self.problem.contact.rows):
            force[:, points.index(row.point.name), row.axis] = rows[:, index]
        for number, stage in enumerate(self.problem.phases):
            for point in stage.contact.points:
                contact[phase == number, points.index(point.name)] = True
        return q, u, force, contact


def mesh_splines(problem: OptimalControlProblem, time_s: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """Return velocities and accelerations (nodes, nq) of the cubic splines through coordinates at the nodes of a mesh.

    Phase by phase, they are the only curves that meet the mesh rows and the given velocities at both ends of the phase;
    where two phases meet without an impact, both get the mean of these velocities.
    """
    ends = v.copy()
    parts = list[tuple[Array, Array]]()
    for number, phase in enumerate(problem.phases):
        first = int(np.searchsorted(problem.phase_of, number))
        if number and phase.arrival == "continuous":
            ends[first - 1 : first + 1] = ends[first - 1 : first + 1].mean(axis=0)
    for number in range(len(problem.phases)):
        own = np.flatnonzero(problem.phase_of == number)
        curve = CubicSpline(time_s[own], q[own], bc_type=((1, ends[own[0]]), (1, ends[own[-1]])), axis=0)
        parts.append((curve(time_s[own], 1), curve(time_s[own], 2)))
    speed, push = (np.concatenate(part) for part in zip(*parts, strict=True))
    return speed, push


def _line(values: Array, now: Index, share: Array) -> Array:
    """Return values at shares of intervals, straight from node to node. Shapes (nodes, n), (T,), (T, 1) in."""
    return np.asarray(values[now] + share * (values[now + 1] - values[now]))


def trajectory_of(layout: Layout, x: Array) -> Trajectory:
    """Return the trajectory that the program's variables describe. Shape (n,) in."""
    problem = layout.problem
    values = x * layout.scale
    duration = values[layout.duration]
    return Trajectory(
        problem=problem,
        time_s=problem.node_times(duration),
        phase_of=layout.phase_of,
        q=values[layout.q],
        v=values[layout.v],
        a=values[layout.a],
        u=values[layout.u],
        force_n=values[layout.force],
        closure_n=values[layout.closure],
        duration_s=duration,
        parameter={known.name: float(values[k]) for known, k in zip(problem.parameters, layout.parameter, strict=True)},
        impulse_n_s={number: values[index] for number, index in layout.impulse.items()},
    )


def variables_of(layout: Layout, guess: Trajectory) -> Array:
    """Return the program's variables for a trajectory on the same mesh. Shape (n,).

    Lifted quantities start at 0: they are defined by rows that are linear in them.
    """
    x = np.zeros(layout.size)
    for name in ("q", "v", "a", "u", "force", "closure"):
        x[getattr(layout, name)] = getattr(guess, {"force": "force_n", "closure": "closure_n"}.get(name, name))
    x[layout.zero_force] = 0.0
    x[layout.duration] = guess.duration_s
    for number, parameter in enumerate(layout.problem.parameters):
        x[layout.parameter[number]] = guess.parameter.get(parameter.name, parameter.guess)
    for number, index in layout.impulse.items():
        x[index] = guess.impulse_n_s.get(number, np.zeros(len(index)))
    return np.asarray(np.clip(x / layout.scale, layout.lower, layout.upper))


def standing_load(problem: OptimalControlProblem, phase_of: Index) -> Array:
    """Return a guess of the forces of all rows: the points in contact share the weight. Shape (nodes, n_rows)."""
    rows = problem.contact.rows
    weight_n = problem.tree.mass_kg * float(np.linalg.norm(problem.tree.gravity_m_s2))
    force_n = np.zeros((len(phase_of), len(rows)))
    for number, phase in enumerate(problem.phases):
        normal = [index for index, row in enumerate(rows) if row in phase.contact.rows and row.axis == 2]
        force_n[np.ix_(phase_of == number, normal)] = weight_n / max(1, len(normal))
    return force_n


def trajectory_through(
    problem: OptimalControlProblem,
    curve: Callable[[Array, int], Array],
    duration_s: Sequence[float] | Array,
    parameter: Mapping[str, float] | None = None,
) -> Trajectory:
    """Return an initial guess: coordinates along a curve, no torques, and the weight on the points in contact.

    The curve returns, for times (T,) and the order of a derivative in time, coordinates (T, nq) or their derivatives.
    Free parameters that are left out have their own guesses.
    """
    time_s = problem.node_times(duration_s)
    phase_of = problem.phase_of
    q, v, a = (np.asarray(curve(time_s, order)) for order in range(3))
    return Trajectory(
        problem=problem,
        time_s=time_s,
        phase_of=phase_of,
        q=q,
        v=v,
        a=a,
        u=np.zeros((len(time_s), len(problem.actuated))),
        force_n=standing_load(problem, phase_of),
        duration_s=np.asarray(duration_s, dtype=float),
        parameter=dict(parameter or {}),
        impulse_n_s={},
    )


def guess_between(problem: OptimalControlProblem, postures: Sequence[Sequence[float]]) -> Trajectory:
    """Return an initial guess that interpolates configurations; phases last the mean of their duration bounds.

    Configurations are those at the start and at the end of every phase. Shape (n_phases + 1, nq).
    """
    duration_s = [float(np.mean(phase.duration_s)) for phase in problem.phases]
    border_s = np.concatenate([[0.0], np.cumsum(duration_s)])
    path = interp1d(border_s, np.asarray(postures, dtype=float), axis=0)

    def curve(time_s: Array, order: int) -> Array:
        return np.asarray(path(time_s)) if order == 0 else np.zeros((len(time_s), problem.tree.nq))

    return trajectory_through(problem, curve, duration_s)
