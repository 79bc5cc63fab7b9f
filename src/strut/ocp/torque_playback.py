"""Torque playback: integrate the torques of a movement by another engine and method, from its first state on.

MuJoCo computes mass matrix, bias and contact Jacobians with a quaternion base; LSODA, a multistep method of variable
order from ODEPACK, integrates. The state is never corrected: impacts and contact sets follow the schedule, without any
feedback control.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.integrate import solve_ivp

from strut.arrays import Array, Index
from strut.maths.rotation import angles_from_qpos, qpos_from_angles, qvel_from_angles
from strut.ocp.contact_dynamics import ContactTerms
from strut.ocp.mujoco_contact_dynamics import ModelOrMjcf, MujocoContactDynamics
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.shooting_refinement import contact_dynamics
from strut.ocp.trajectory import Trajectory

TOLERANCE = 1e-12  # a step of a walk amplifies errors by up to a million
STRAIGHT = 1e-9  # relative change of a torque rate below which the torque has no kink
RUNAWAY = 10.0  # rad; a playback with a larger error is stopped


def playback_error(model: ModelOrMjcf, trajectory: Trajectory, part_s: float = np.inf) -> float:
    """Return the largest angle [rad] at any node between a trajectory and the playback of its torques.

    Slides count in metres; those of a floating base do not count. A movement longer than `part_s` is played in parts,
    each of as many phases as fit into `part_s`, at least one.
    """
    if trajectory.time_s[-1] > part_s and len(trajectory.problem.phases) > 1:
        borders = _parts(trajectory.duration_s, part_s)
        return max(playback_error(model, trajectory.part(*part)) for part in pairwise(borders))
    played = play(model, trajectory)
    turns = slice(3, None) if _floats(model, trajectory.problem) else slice(None)
    away = np.abs(played - trajectory.q)[:, turns]
    return float(np.where(np.isfinite(away), away, np.inf).max())


def _parts(duration_s: Array, part_s: float) -> list[int]:
    """Return the phases at which parts begin, and the number of phases."""
    borders = [0]
    for number in range(1, len(duration_s)):
        if duration_s[borders[-1] : number + 1].sum() > part_s:
            borders.append(number)
    return [*borders, len(duration_s)]


def play(model: ModelOrMjcf, trajectory: Trajectory) -> Array:
    """Return the coordinates at the nodes when the torques are played; NaN after a runaway. Shape (nodes, nq)."""
    problem = trajectory.problem
    floats = _floats(model, trajectory.problem)
    passive = _passive(trajectory)
    played = np.full_like(trajectory.q, np.nan)
    qpos = trajectory.q[0]
    qvel = trajectory.v[0]
    if floats:
        qvel = qvel_from_angles(qpos, qvel)
        qpos = qpos_from_angles(qpos)
    for number, phase in enumerate(problem.phases):
        mujoco_dynamics = MujocoContactDynamics(model, phase.contact)
        nodes = trajectory.nodes_of(number)
        if phase.arrival == "impact":
            qvel = ContactTerms(*mujoco_dynamics.terms(qpos, qvel)).impact(qvel).velocity
        played[nodes[0]] = angles_from_qpos(qpos) if floats else qpos
        for now, then in pairwise(_kinks(trajectory, nodes)):
            states = _played(mujoco_dynamics, trajectory, (now, then), np.concatenate([qpos, qvel]), passive)
            if not np.isfinite(states).all():
                return played
            places = states[:, : mujoco_dynamics.nq]
            played[now + 1 : then + 1] = angles_from_qpos(places) if floats else places
            if not np.abs(played[then] - trajectory.q[then]).max() < RUNAWAY:
                return played
            qpos, qvel = np.split(states[-1], [mujoco_dynamics.nq])
    return played


def _kinks(trajectory: Trajectory, nodes: Index) -> list[int]:
    """Return the nodes of a phase at which a torque has a kink, and both ends: the integrator restarts there only."""
    rate = np.diff(trajectory.u[nodes], axis=0) / np.diff(trajectory.time_s[nodes])[:, None]
    bends = np.abs(np.diff(rate, axis=0)).max(axis=1) > STRAIGHT * np.abs(rate).max()
    return [int(nodes[0]), *nodes[1:-1][bends].tolist(), int(nodes[-1])]


def _floats(model: ModelOrMjcf, problem: OptimalControlProblem) -> bool:
    """Return whether the model has a floating base where the problem has slides and angles."""
    return bool(MujocoContactDynamics(model, problem.contact).nq == problem.tree.nq + 1)


def _passive(trajectory: Trajectory) -> Callable[[Array, Array], Array]:
    """Return the forces of springs and dampers by joint angles and velocities; those of a floating base count as 0."""
    problem = trajectory.problem
    if problem.passive is None:
        return lambda _, v: np.zeros(len(v))
    return contact_dynamics(problem, trajectory.parameter).passive


def _played(
    mujoco_dynamics: MujocoContactDynamics,
    trajectory: Trajectory,
    interval: tuple[int, int],
    state: Array,
    passive: Callable[[Array, Array], Array],
) -> Array:
    """Return coordinates and velocities at the nodes up to `then`; torques change linearly. Shape (n, nq + nv)."""
    now, then = interval
    start_s = trajectory.time_s[now]
    stop_s = trajectory.time_s[then]
    torque = trajectory.u[now]
    change = (trajectory.u[then] - trajectory.u[now]) / (stop_s - start_s)
    actuated = list(trajectory.problem.actuated)
    base = 6 if mujoco_dynamics.nq > mujoco_dynamics.nv else 0

    def rates(time_s: float, values: Array) -> Array:
        qpos = values[: mujoco_dynamics.nq]
        qvel = values[mujoco_dynamics.nq :]
        force = passive(
            np.concatenate([np.zeros(base), qpos[mujoco_dynamics.nq - mujoco_dynamics.nv + base :]]),
            np.concatenate([np.zeros(base), qvel[base:]]),
        )
        force[actuated] += torque + (time_s - start_s) * change
        a, _ = ContactTerms(*mujoco_dynamics.terms(qpos, qvel)).accelerate(force)
        return np.concatenate([mujoco_dynamics.rates(qpos, qvel), a])

    when = trajectory.time_s[now + 1 : then + 1]
    found = solve_ivp(rates, (start_s, stop_s), state, method="LSODA", t_eval=when, rtol=TOLERANCE, atol=TOLERANCE)
    return np.asarray(found.y.T) if found.success else np.full((len(when), len(state)), np.nan)
