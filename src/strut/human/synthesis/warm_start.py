"""Warm start: a step of an existing motion as the initial guess for another speed, emotion or body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline, interp1d

from strut.arrays import Array, Index
from strut.errors import BadMotionError
from strut.human.anatomy import walking_cycle
from strut.maths.rotation import angles_from_qpos
from strut.motion import Motion
from strut.ocp.contact_detection import check_samples, detect_phases
from strut.ocp.contact_schedule import PhaseTime
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.trajectory import Trajectory, standing_load, trajectory_through
from strut.robot import Robot

MIN_SAMPLES = 4  # in a phase; with fewer its spline uses all samples of the motion


def warm_step(robot: Robot, problem: OptimalControlProblem, motion: Motion) -> Trajectory:
    """Return the first step of a motion with the phases of the problem, at the nodes of the problem.

    Angles, torques and forces are interpolated phase by phase, because velocities jump at a heel strike. If the motion
    has no torques they are 0; if it has no forces the points in contact share the weight.
    """
    if motion.joint_names != robot.joint_names:
        raise BadMotionError(f"A motion of {motion.robot} is no start for {robot.name}; give a walk of a human model.")
    check_samples(motion)
    phases = _matching_phases(robot, problem, motion)
    start_s = phases[0].start_s
    curves = [_curve(motion, phase) for phase in phases]
    start_x = float(curves[0](start_s)[0])

    def path(time_s: Array, order: int) -> Array:
        parts = [curve(start_s + time_s[problem.phase_of == number], order) for number, curve in enumerate(curves)]
        return np.concatenate(parts) - (start_x * np.eye(1, problem.tree.nq) if order == 0 else 0.0)

    duration_s = [phase.stop_s - phase.start_s for phase in phases]
    guess = trajectory_through(problem, path, duration_s)
    step_m = float(guess.q[-1, 0])
    node_s = np.minimum(start_s + guess.time_s, motion.time_s[-1])
    return replace(
        guess,
        u=_torques(problem, motion, node_s),
        force_n=_forces(problem, motion, node_s, guess.phase_of),
        parameter={"step_length_m": step_m, "speed_m_s": step_m / sum(duration_s)},
    )


def _matching_phases(robot: Robot, problem: OptimalControlProblem, motion: Motion) -> tuple[PhaseTime, ...]:
    """Return the first consecutive phases of a motion that have the contact sets of the problem."""
    phases = detect_phases(robot, motion, walking_cycle(robot))
    contacts = [phase.contact.name for phase in problem.phases]
    for first in range(len(phases) - len(contacts) + 1):
        part = phases[first : first + len(contacts)]
        if [phase.contact for phase in part] == contacts:
            return part
    raise BadMotionError("The motion to start from holds no step from the left foot's toe-off to the right foot's.")


def _curve(motion: Motion, phase: PhaseTime) -> CubicSpline:
    """Return the coordinates over time, from the samples of the phase alone if there are enough of them."""
    inside = (motion.time_s >= phase.start_s) & (motion.time_s <= phase.stop_s)
    if inside.sum() < MIN_SAMPLES:
        inside = np.ones(len(motion.time_s), dtype=bool)
    return CubicSpline(motion.time_s[inside], angles_from_qpos(motion.qpos)[inside], axis=0)


def _torques(problem: OptimalControlProblem, motion: Motion, node_s: Array) -> Array:
    if motion.torque_nm is None:
        return np.zeros((len(node_s), len(problem.actuated)))
    return np.asarray(interp1d(motion.time_s, motion.torque_nm, axis=0)(node_s))


def _forces(problem: OptimalControlProblem, motion: Motion, node_s: Array, phase_of: Index) -> Array:
    """Return the forces of all contact rows; 0 for a point in the air. Shape (nodes, n_rows)."""
    if motion.ground_force_n is None:
        return standing_load(problem, phase_of)
    at_nodes = interp1d(motion.time_s, motion.ground_force_n, axis=0)(node_s)
    rows = problem.contact.rows
    feet = [motion.foot_names.index(row.point.name) for row in rows]
    force = np.stack([at_nodes[:, foot, row.axis] for foot, row in zip(feet, rows, strict=True)], axis=1)
    for number, phase in enumerate(problem.phases):
        in_air = [index for index, row in enumerate(rows) if row not in phase.contact.rows]
        force[np.ix_(phase_of == number, in_air)] = 0.0
    return np.asarray(force)
