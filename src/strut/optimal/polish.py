"""Polish: from a solved movement to the nearest one that an exact integrator reproduces from its torques alone.

Between nodes the mesh only approximates the equations of motion, and a body on its toes multiplies the error of every
interval on the way to the end. Here the rows of the mesh are replaced by the condition that every interval, integrated
to the last digits, ends where the next begins; all other rows and bounds of the problem stay. Newton steps of least
length lead there. Contact is pure physics, held at the level of accelerations, without a pull against drift.
"""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter

import numpy as np
from scipy.sparse import csr_matrix, vstack

from strut.optimal.layout import Layout
from strut.optimal.nearest import Bounded, nearest
from strut.optimal.shooting import Shooting, enough_steps, touching
from strut.optimal.solve import Solution, Transcribed
from strut.optimal.trajectory import Trajectory, read_trajectory
from strut.optimal.transcribe import MESH
from strut.robot import Array

MOST_ITERATIONS = 8
CLOSED = 1e-11  # largest gap between intervals, scaled; a step multiplies it by up to a million
FINER = 4  # the polished movement is kept at this many points per interval
WEIGHT = {"q": 3.0, "v": 3.0, "u": 0.3, "a": 0.02, "force": 0.02}  # of changes in scaled variables
OTHER_WEIGHT = 1e-3  # of what follows from those
UNLIMITED = 1e18


def polish(program: Transcribed, solution: Solution) -> Solution:
    """Return the nearest movement whose torques, integrated exactly, reproduce it; durations and parameters stay.

    The solution that comes back holds the movement at `FINER` times as many nodes, with accelerations and forces from
    forward dynamics; cost and violation are those of its variables on the program's mesh, with the gaps of the exact
    integration in the place of the rows of the mesh. Impulses on points that were loaded before an impact are left
    free: `soundness` judges them against the load.
    """
    start_s = perf_counter()
    layout, assembly, x = program.layout, program.assembly, solution.variables
    shooting = Shooting(layout, solution.trajectory.parameter)
    lower, upper = _bounds(layout, x)
    free, weight = np.flatnonzero(lower < upper), _weights(layout)
    kept = ~program.rows_of(MESH)
    equal, between = kept & (assembly.lower == assembly.upper), kept & (assembly.lower != assembly.upper)
    limited = free[(lower[free] > -UNLIMITED) | (upper[free] < UNLIMITED)]
    own = csr_matrix((np.ones(len(limited)), (np.arange(len(limited)), limited)), shape=(len(limited), layout.size))
    for iteration in range(MOST_ITERATIONS + 1):  # the last only looks at what the one before it has made
        rows, slope = assembly.linear(x)
        gaps = shooting.gaps(read_trajectory(layout, x))
        missing = np.concatenate([assembly.lower[equal] - rows[equal], -gaps.value])
        low = np.concatenate([(assembly.lower - rows)[between], (lower - x)[limited]])
        high = np.concatenate([(assembly.upper - rows)[between], (upper - x)[limited]])
        violation = max(float(np.abs(missing).max()), float(low.max(initial=0.0)), float(-high.min(initial=0.0)))
        if np.abs(missing).max() < CLOSED or iteration == MOST_ITERATIONS:
            break
        equations = vstack([slope[equal], gaps.slope]).tocsc()[:, free].tocsr()
        bounded = Bounded(vstack([slope[between], own]).tocsc()[:, free].tocsr(), low, high)
        x = x.copy()
        x[free] += nearest(weight[free], equations, missing, bounded)
    costs = program.costs(x)
    return replace(
        solution,
        trajectory=_integrated(shooting, read_trajectory(layout, x)),
        cost=sum(costs.values()),
        costs=costs,
        violation=violation,
        solve_s=solution.solve_s + perf_counter() - start_s,
        variables=x,
        before_polish=solution.cost,
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


def _integrated(shooting: Shooting, path: Trajectory) -> Trajectory:
    """Return the movement at `FINER` times as many nodes, integrated from every node of the mesh."""
    start, flow, problem = shooting.start, shooting.flow, path.problem
    length = (path.time_s[start + 1] - path.time_s[start]) / FINER
    state, steps = np.hstack([path.q, path.v]), enough_steps(length)
    inside, torque = [state[start]], [path.u[start]]
    for k in range(FINER - 1):
        torque.append(path.u[start] + (k + 1) / FINER * (path.u[start + 1] - path.u[start]))
        ends = flow.advance(inside[-1], (torque[-2], torque[-1]), length, shooting.touches, steps=steps, slopes=False)
        inside.append(ends.state)
    states, torques, times, phase_of = [], [], [], []
    for number in range(len(problem.phases)):
        own, last = np.flatnonzero(path.phase_of[start] == number), path.nodes_of(number)[-1]
        states += [np.stack(inside, axis=1)[own].reshape(-1, state.shape[1]), state[last : last + 1]]
        torques += [np.stack(torque, axis=1)[own].reshape(-1, path.u.shape[1]), path.u[last : last + 1]]
        times += [(path.time_s[start][own, None] + length[own, None] * np.arange(FINER)).ravel(), [path.time_s[last]]]
        phase_of += [number] * (len(own) * FINER + 1)
    moved, u, phase = np.concatenate(states), np.concatenate(torques), np.array(phase_of)
    q, v = np.split(moved, 2, axis=1)
    a, force = flow.accelerate(q, v, u, touching(problem, phase))
    finer = tuple(replace(stage, intervals=stage.intervals * FINER) for stage in problem.phases)
    return replace(
        path,
        problem=replace(problem, phases=finer),
        time_s=np.concatenate(times),
        phase_of=phase,
        q=q,
        v=v,
        a=a,
        u=u,
        force_n=force,
    )
