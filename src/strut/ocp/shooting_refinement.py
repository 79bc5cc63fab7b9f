"""Shooting refinement: the movement nearest to a solution that an integrator reproduces from its torques alone.

Between nodes the mesh only approximates the equations of motion, and an unstable body amplifies the error of every
interval. Multiple shooting replaces the collocation defects by the condition that every interval, integrated to the
last digits, ends where the next begins; all other rows and bounds of the problem stay. The problem is solved by Newton
steps of minimum length. Contacts are imposed on accelerations, without stabilisation against drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter

import casadi as ca
import numpy as np
from scipy.sparse import csr_matrix, vstack

from strut.arrays import Array, Index, Mask
from strut.errors import RefusedError
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.constrained_least_squares import BoundedRows, constrained_least_squares
from strut.ocp.contact_dynamics import ContactDynamics
from strut.ocp.layout import Layout
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.sparse_nlp import column
from strut.ocp.trajectory import Trajectory, trajectory_of
from strut.ocp.transcription import MESH
from strut.receipt import Reason, ReasonKind

STEP_S = 0.005  # of the integrator of eighth order: its error is 1e-13 in an interval
MAX_STEPS = 8  # Newton steps
# Gap, scaled, above which one integrator step per interval is accurate enough: its error is 3e-8 in an interval of a
# synthesized gait and 5e-5 in the longer ones of a published reconstruction. Near it, Newton steps would alternate.
COARSE_GAP = 1e-3
MAX_GAP = 1e-11  # between intervals, scaled; a step of a walk amplifies it by up to a million
MAX_BOUND_ERROR = 1e-8  # scaled: ten times the tolerance of a step of minimum length
POINTS_PER_INTERVAL = 4  # of the refined trajectory
WEIGHT = {"q": 3.0, "v": 3.0, "u": 0.3, "a": 0.02, "force": 0.02}  # of changes in scaled variables; no benchmark
OTHER_WEIGHT = 1e-3  # of variables that follow from those
UNLIMITED = 1e18  # larger bounds count as infinite
IMPACT_S = 0.001  # duration of an impact, in which a point may give up its load; `soundness` judges it; no benchmark
MAX_LOAD_SHARE = 0.5  # of that load, because loads change during the refinement


def refine_by_shooting(program: DirectCollocation, solution: Solution, *, max_steps: int = MAX_STEPS) -> Solution:
    """Return the nearest movement that its torques reproduce when integrated exactly; durations and parameters stay.

    The returned solution has `POINTS_PER_INTERVAL` times as many nodes, with accelerations and forces from
    forward dynamics; cost and violation are those of its variables on the program's mesh, with the gaps of the exact
    integration in the place of the rows of the mesh. Raises RefusedError with how far it got.
    """
    start_s = perf_counter()
    layout = program.layout
    x = solution.variables
    shooting = MultipleShooting(layout, solution.trajectory.parameter)
    lower, upper = _bounds(layout, x)
    goal = _Goal(program, shooting, lower, upper)
    weight = _weights(layout)
    settled = True
    for _ in range(max_steps):
        missing = goal.missing(x)
        if missing.closed:
            break
        change, settled = constrained_least_squares(
            weight[goal.free], missing.equations, missing.wanted, missing.bounded
        )
        x = x.copy()
        x[goal.free] += change
    else:
        missing = goal.missing(x)
        if not missing.closed:
            held = "" if settled else ", and which bounds hold was not settled"
            steps = f"{max_steps} step{'s' if max_steps > 1 else ''}"
            missed = f"torques alone miss the movement by {missing.largest:.1e} (scaled)"
            raise RefusedError(
                [Reason(ReasonKind.LIMIT, None, f"{missed} after {steps} of shooting refinement{held}")],
                "Nothing near the solution keeps all that is asked; relax it, or use a finer mesh.",
            )
    costs = program.costs(x)
    return replace(
        solution,
        trajectory=_integrated(shooting, trajectory_of(layout, x)),
        cost=sum(costs.values()),
        costs=costs,
        violation=missing.largest,
        solve_s=solution.solve_s + perf_counter() - start_s,
        variables=x,
        cost_before_refinement=solution.cost,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Defects:
    """Gaps between the ends of intervals and the start of the next, scaled, and derivatives by the variables."""

    value: Array
    slope: csr_matrix


class MultipleShooting:
    """The intervals of a problem as initial-value problems, for given values of its parameters."""

    def __init__(self, layout: Layout, parameter: dict[str, float]) -> None:
        problem = layout.problem
        self.layout = layout
        self.dynamics = contact_dynamics(problem, parameter)
        self.start = layout.starts
        self.touches = active_rows(problem, layout.phase_of[self.start])

    def gaps(self, path: Trajectory) -> Defects:
        """Return the gaps between the intervals of a trajectory on the mesh of the problem."""
        layout = self.layout
        start = self.start
        state = np.hstack([path.q, path.v])
        torque = (path.u[start], path.u[start + 1])
        length_s = path.time_s[start + 1] - path.time_s[start]
        steps = enough_steps(length_s)
        size = np.concatenate([np.ones(layout.problem.tree.nq), layout.problem.scales.velocity])
        ends, rough = self.dynamics.advance(state[start], torque, length_s, self.touches, steps=1, slopes=True)
        assert rough is not None
        if np.abs((ends - state[start + 1]) / size).max() < COARSE_GAP:
            ends, _ = self.dynamics.advance(state[start], torque, length_s, self.touches, steps=steps, slopes=False)
        here = np.hstack([layout.q[start], layout.v[start], layout.u[start], layout.u[start + 1]])
        after = np.hstack([layout.q[start + 1], layout.v[start + 1]])
        rows = np.arange(after.size).reshape(after.shape)
        slope = rough / size[:, None] * layout.scale[here][:, None, :]
        at = (np.repeat(rows, here.shape[1], axis=1).ravel(), np.repeat(here[:, None], len(size), axis=1).ravel())
        shape = (after.size, layout.size)
        minus = csr_matrix(((-layout.scale[after] / size).ravel(), (rows.ravel(), after.ravel())), shape=shape)
        value = (ends - state[start + 1]) / size
        return Defects(value.ravel(), csr_matrix((slope.ravel(), at), shape=shape) + minus)


def enough_steps(length_s: Array) -> int:
    """Return the number of integrator steps for the longest of some intervals."""
    return int(np.ceil(length_s.max() / STEP_S))


def contact_dynamics(problem: OptimalControlProblem, parameter: Mapping[str, float]) -> ContactDynamics:
    """Return the dynamics of a problem's body with its springs, for given values of its parameters."""
    passive = None
    if problem.passive is not None:
        ones = np.ones(problem.tree.nv)
        node = replace(problem, scales=Scales(ones, ones, np.ones(len(problem.actuated)), 1.0, 1.0)).node()
        force = problem.passive(node)
        if node.parameter:
            values = ca.SX(ca.DM([parameter[name] for name in node.parameter]))
            force = ca.substitute(force, column(*node.parameter.values()), values)
        passive = ca.Function("passive", [node.q, node.v], [force])
    return ContactDynamics(problem.tree, problem.contact, problem.actuated, passive)


def active_rows(problem: OptimalControlProblem, phase_of: Index) -> Mask:
    """Return which contact rows of the problem are active, by phase number. Shape (n,) in, (n, n_rows) out."""
    sets = np.array([[row in phase.contact.rows for row in problem.contact.rows] for phase in problem.phases], bool)
    return np.asarray(sets.reshape(len(problem.phases), -1)[phase_of])


@dataclass(frozen=True, slots=True, eq=False)
class _Missing:
    """The exact movement linearised around variables: equations (m, n), their right side (m,), and bounds."""

    equations: csr_matrix
    wanted: Array
    bounded: BoundedRows

    @property
    def largest(self) -> float:
        """The largest miss of an equation or a bound, scaled."""
        return max(float(np.abs(self.wanted).max()), self._beyond)

    @property
    def closed(self) -> bool:
        """Whether it is exact."""
        return float(np.abs(self.wanted).max()) < MAX_GAP and self._beyond < MAX_BOUND_ERROR

    @property
    def _beyond(self) -> float:
        return max(float(self.bounded.lower.max(initial=0.0)), float(-self.bounded.upper.min(initial=0.0)))


class _Goal:
    """The rows of a program with exact integration in place of collocation defects, and its bounds."""

    def __init__(self, program: DirectCollocation, shooting: MultipleShooting, lower: Array, upper: Array) -> None:
        assembly = program.assembly
        kept = ~program.rows_of(MESH)
        self.program = program
        self.shooting = shooting
        self.lower = lower
        self.upper = upper
        self.free = np.flatnonzero(lower < upper)
        self.equal = kept & (assembly.lower == assembly.upper)
        self.between = kept & (assembly.lower != assembly.upper)
        limited = self.free[(lower[self.free] > -UNLIMITED) | (upper[self.free] < UNLIMITED)]
        shape = (len(limited), program.layout.size)
        self.limited = limited
        self.own = csr_matrix((np.ones(len(limited)), (np.arange(len(limited)), limited)), shape)

    def missing(self, x: Array) -> _Missing:
        """Return the linearisation at variables. Shape (n,) in."""
        assembly = self.program.assembly
        equal = self.equal
        between = self.between
        limited = self.limited
        rows, slope = assembly.linear(x)
        gaps = self.shooting.gaps(trajectory_of(self.program.layout, x))
        low = np.concatenate([(assembly.lower - rows)[between], (self.lower - x)[limited]])
        high = np.concatenate([(assembly.upper - rows)[between], (self.upper - x)[limited]])
        return _Missing(
            vstack([slope[equal], gaps.slope]).tocsc()[:, self.free].tocsr(),
            np.concatenate([assembly.lower[equal] - rows[equal], -gaps.value]),
            BoundedRows(vstack([slope[between], self.own]).tocsc()[:, self.free].tocsr(), low, high),
        )


def _bounds(layout: Layout, x: Array) -> tuple[Array, Array]:
    """Return the bounds of the variables: durations and parameters are fixed, and a point may give up some load.

    Upward impulses of points that carried load before an impact may be negative by `IMPACT_S` times that load.
    """
    lower = layout.lower.copy()
    upper = layout.upper.copy()
    for index in (layout.duration, layout.parameter):
        lower[index] = upper[index] = x[index]
    for number, impulse in layout.impulse.items():
        phase = layout.problem.phases[number]
        before = layout.force[layout.first_node[number] - 1]
        load_n = dict(zip(layout.contact.rows, (x * layout.scale)[before], strict=True))
        for index, row in zip(impulse, phase.contact.rows, strict=True):
            if row.point.name not in phase.landing:
                given_up = UNLIMITED if row.axis != 2 else MAX_LOAD_SHARE * IMPACT_S * load_n[row] / layout.scale[index]
                lower[index] = -given_up
    return lower, upper


def _weights(layout: Layout) -> Array:
    weight = np.full(layout.size, OTHER_WEIGHT)
    for name, value in WEIGHT.items():
        weight[getattr(layout, name)] = value
    return weight


def _integrated(shooting: MultipleShooting, path: Trajectory) -> Trajectory:
    """Return the movement at `POINTS_PER_INTERVAL` times as many nodes, integrated from every node of the mesh."""
    start = shooting.start
    dynamics = shooting.dynamics
    problem = path.problem
    length_s = (path.time_s[start + 1] - path.time_s[start]) / POINTS_PER_INTERVAL
    state = np.hstack([path.q, path.v])
    steps = enough_steps(length_s)
    inside = [state[start]]
    torque = [path.u[start]]
    for k in range(POINTS_PER_INTERVAL - 1):
        torque.append(path.u[start] + (k + 1) / POINTS_PER_INTERVAL * (path.u[start + 1] - path.u[start]))
        between = (torque[-2], torque[-1])
        inside.append(dynamics.advance(inside[-1], between, length_s, shooting.touches, steps=steps, slopes=False)[0])
    borders = POINTS_PER_INTERVAL * np.cumsum([phase.intervals for phase in problem.phases])
    last = shooting.layout.last_node
    moved, u = (
        np.insert(np.stack(within, axis=1).reshape(-1, ends.shape[1]), borders, ends, axis=0)
        for within, ends in ((inside, state[last]), (torque, path.u[last]))
    )
    q, v = np.split(moved, 2, axis=1)
    phases = (replace(phase, intervals=phase.intervals * POINTS_PER_INTERVAL) for phase in problem.phases)
    finer = problem.on_phases(tuple(phases))
    a, force = dynamics.accelerations(q, v, u, active_rows(problem, finer.phase_of))
    return replace(
        path,
        problem=finer,
        time_s=finer.node_times(path.duration_s),
        phase_of=finer.phase_of,
        q=q,
        v=v,
        a=a,
        u=u,
        force_n=force[:, : len(problem.contact.rows)],
        closure_n=force[:, len(problem.contact.rows) :],
    )
