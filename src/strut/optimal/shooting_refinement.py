"""Polish: from a solved movement to the nearest one that an exact integrator reproduces from its torques alone.

Between nodes the mesh only approximates the equations of motion, and a body on its toes multiplies the error of every
interval on the way to the end. Here the rows of the mesh are replaced by the condition that every interval, integrated
to the last digits, ends where the next begins; all other rows and bounds of the problem stay. Newton steps of least
length lead there. Contact is pure physics, held at the level of accelerations, without a pull against drift.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np
from scipy.sparse import csr_matrix, vstack

from strut.errors import RefusedError
from strut.optimal.collocation import DirectCollocation, Solution
from strut.optimal.constrained_least_squares import BoundedRows, constrained_least_squares
from strut.optimal.layout import Layout
from strut.optimal.multiple_shooting import MultipleShooting, enough_steps, touching
from strut.optimal.trajectory import Trajectory, trajectory_of
from strut.optimal.transcription import MESH
from strut.robot import Array

MOST_STEPS = 8
CLOSED = 1e-11  # largest gap between intervals, scaled; a step multiplies it by up to a million
KEPT = 1e-8  # largest miss of a bound, scaled: ten times what a step of least length may miss by
FINER = 4  # the polished movement is kept at this many points per interval
WEIGHT = {"q": 3.0, "v": 3.0, "u": 0.3, "a": 0.02, "force": 0.02}  # of changes in scaled variables
OTHER_WEIGHT = 1e-3  # of what follows from those
UNLIMITED = 1e18


def refined_by_shooting(program: DirectCollocation, solution: Solution, *, most_steps: int = MOST_STEPS) -> Solution:
    """Return the nearest movement whose torques, integrated exactly, reproduce it; durations and parameters stay.

    The solution that comes back holds the movement at `FINER` times as many nodes, with accelerations and forces from
    forward dynamics; cost and violation are those of its variables on the program's mesh, with the gaps of the exact
    integration in the place of the rows of the mesh. Raises RefusedError with how far it got.
    """
    start_s = perf_counter()
    layout, x = program.layout, solution.variables
    shooting = MultipleShooting(layout, solution.trajectory.parameter)
    lower, upper = _bounds(layout, x)
    goal, weight, settled = _Goal(program, shooting, lower, upper), _weights(layout), True
    for _ in range(most_steps):
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
            steps = f"{most_steps} step{'s' if most_steps > 1 else ''}"
            words = f"torques alone miss the movement by {missing.largest:.1e} (scaled) after {steps} of polishing"
            raise RefusedError(
                [words + held], "Nothing near the solution keeps all that is asked; relax it, or use a finer mesh."
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
class _Missing:
    """What variables lack of an exact movement, linear around them: equations (m, n), their goals (m,), and bounds."""

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
        return float(np.abs(self.wanted).max()) < CLOSED and self._beyond < KEPT

    @property
    def _beyond(self) -> float:
        return max(float(self.bounded.lower.max(initial=0.0)), float(-self.bounded.upper.min(initial=0.0)))


class _Goal:
    """The rows of a program with the exact integration in the place of the mesh, and its bounds."""

    def __init__(self, program: DirectCollocation, shooting: MultipleShooting, lower: Array, upper: Array) -> None:
        assembly, kept = program.assembly, ~program.rows_of(MESH)
        self.program, self.shooting, self.lower, self.upper = program, shooting, lower, upper
        self.free = np.flatnonzero(lower < upper)
        self.equal = kept & (assembly.lower == assembly.upper)
        self.between = kept & (assembly.lower != assembly.upper)
        limited = self.free[(lower[self.free] > -UNLIMITED) | (upper[self.free] < UNLIMITED)]
        shape = (len(limited), program.layout.size)
        self.limited, self.own = limited, csr_matrix((np.ones(len(limited)), (np.arange(len(limited)), limited)), shape)

    def missing(self, x: Array) -> _Missing:
        """Return what the variables lack. Shape (n,) in."""
        assembly, equal, between, limited = self.program.assembly, self.equal, self.between, self.limited
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
    """Return the bounds of the variables: durations and parameters stay, impulses under a load are free."""
    lower, upper = layout.lower.copy(), layout.upper.copy()
    for index in (layout.duration, layout.parameter):
        lower[index] = upper[index] = x[index]
    for number, impulse in layout.impulse.items():
        phase = layout.problem.phases[number]
        loaded = [k for k, row in enumerate(phase.contact.rows) if row.point.name not in phase.landing]
        lower[impulse[loaded]] = -UNLIMITED
    return lower, upper


def _weights(layout: Layout) -> Array:
    weight = np.full(layout.size, OTHER_WEIGHT)
    for name, value in WEIGHT.items():
        weight[getattr(layout, name)] = value
    return weight


def _integrated(shooting: MultipleShooting, path: Trajectory) -> Trajectory:
    """Return the movement at `FINER` times as many nodes, integrated from every node of the mesh."""
    start, flow, problem = shooting.start, shooting.flow, path.problem
    length_s = (path.time_s[start + 1] - path.time_s[start]) / FINER
    state, steps = np.hstack([path.q, path.v]), enough_steps(length_s)
    inside, torque = [state[start]], [path.u[start]]
    for k in range(FINER - 1):
        torque.append(path.u[start] + (k + 1) / FINER * (path.u[start + 1] - path.u[start]))
        ends = flow.advance(inside[-1], (torque[-2], torque[-1]), length_s, shooting.touches, steps=steps, slopes=False)
        inside.append(ends.state)
    states, torques, times, phase_of = [], [], [], []
    for number in range(len(problem.phases)):
        own, last = np.flatnonzero(path.phase_of[start] == number), path.nodes_of(number)[-1]
        states += [np.stack(inside, axis=1)[own].reshape(-1, state.shape[1]), state[last : last + 1]]
        torques += [np.stack(torque, axis=1)[own].reshape(-1, path.u.shape[1]), path.u[last : last + 1]]
        times += [(path.time_s[start][own, None] + length_s[own, None] * np.arange(FINER)).ravel(), [path.time_s[last]]]
        phase_of += [number] * (len(own) * FINER + 1)
    moved, u, phase = np.concatenate(states), np.concatenate(torques), np.array(phase_of)
    q, v = np.split(moved, 2, axis=1)
    a, force = flow.accelerate(q, v, u, touching(problem, phase))
    finer = tuple(replace(stage, intervals=stage.intervals * FINER) for stage in problem.phases)
    return replace(
        path,
        problem=problem.on_phases(finer),
        time_s=np.concatenate(times),
        phase_of=phase,
        q=q,
        v=v,
        a=a,
        u=u,
        force_n=force,
    )
