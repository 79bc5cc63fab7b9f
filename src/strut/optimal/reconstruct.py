"""Reconstruct: torques and ground forces that a recorded movement needs, consistent with the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from strut.engines.moment import Scales
from strut.engines.nonlinear_program import OnIteration, SolverOptions
from strut.engines.tree import angles_from_qpos, read_tree
from strut.errors import BadMotionError
from strut.motion import Motion
from strut.optimal.gait import Gait
from strut.optimal.gait_problem import PELVIS, PRINTED_PELVIS_HEIGHT_M, usual_torques
from strut.optimal.phase_times import PhaseTime, checked_phases, detected_phases
from strut.optimal.problem import Arrival, Bounds, Mean, Phase, Problem, Roughness, Tracking
from strut.optimal.solve import Transcribed
from strut.optimal.soundness import examine, insist
from strut.optimal.trajectory import Trajectory
from strut.robot import Array, Robot
from strut.robots.catalogue import robot_of
from strut.robots.contact_set import ContactSet, contact_set

INTERVAL_S = 0.018  # about 30 intervals in a step
FEWEST = 5
SHARPNESS = 1e4  # of all costs together: a miss of 1 mrad must weigh more than the solver's tolerance
PUBLISHED_EFFORT_WEIGHT = 0.01
EFFORT_WEIGHT = 1e-9  # far below the published one, so that the torques are those of the recording
ROUGHNESS = 1e-9  # picks one of the torque curves that fit equally well; without it they wave from node to node
CALM = 1e-9
SLACK = 0.05  # recorded coordinates may lie this far outside the published ranges before the solver is asked


def reconstruct(
    motion: Motion,
    robot: Robot | None = None,
    *,
    phases: Sequence[PhaseTime] | None = None,
    effort_weight: float = EFFORT_WEIGHT,
    most_seconds: float = 120.0,
    on_iteration: OnIteration | None = None,
) -> Gait:
    """Return the movement nearest to a recorded one that obeys the equations of motion, with its torques and forces.

    Args:
        motion: Joint angles and the pelvis' path; contacts too unless phases are given.
        robot: Whose motion; read from the motion if None.
        phases: Contact sets with their times; read from the motion's contacts if None.
        effort_weight: Of the torques against the distance from the recording, as published.
        most_seconds: Give up after this long.
        on_iteration: Called with every iteration; may return True to stop.
    """
    human = robot or robot_of(motion)
    if "contact" not in human.tables or "gait" not in human.tables:
        raise BadMotionError(f"{human.name} has no contact and gait tables; only human models can be reconstructed.")
    found = tuple(phases) if phases is not None else detected_phases(human, motion)
    found = checked_phases(human, motion, found)
    problem, guess = _problem(human, motion, found, effort_weight)
    solution = Transcribed(problem).solve(
        guess, options=SolverOptions(most_seconds=most_seconds, warm=True), on_iteration=on_iteration
    )
    soundness = examine(human, solution, playback=False)
    insist(soundness)
    asked = {
        "phases": [[phase.contact, phase.start_s, phase.stop_s] for phase in found],
        "effort_weight": effort_weight,
    }
    return Gait(human, solution, soundness, (f"{solution.iterations} iterations",), asked)


def _problem(
    robot: Robot, motion: Motion, times: tuple[PhaseTime, ...], effort_weight: float
) -> tuple[Problem, Trajectory]:
    tree, usual = read_tree(robot.mjcf, angle_base=True), usual_torques(robot)
    phases = _phases(robot, times)
    counts = [phase.intervals + 1 for phase in phases]
    node_s = np.concatenate(
        [np.linspace(time.start_s, time.stop_s, count) for time, count in zip(times, counts, strict=True)]
    )
    curve = CubicSpline(motion.time_s, angles_from_qpos(motion.qpos), axis=0)
    wanted = curve(node_s)
    problem = Problem(
        tree=tree,
        actuated=tuple(range(PELVIS, tree.nv)),
        scales=Scales(np.full(tree.nv, 5.0), np.full(tree.nv, 50.0), usual, 300.0, 10.0),
        force_scale=np.concatenate([np.full(PELVIS, 50.0), np.maximum(usual, 1.0)]),
        phases=phases,
        bounds=_bounds(robot, wanted),
        costs=(
            Tracking("recording", SHARPNESS, lambda moment: moment.q, wanted),
            Tracking(
                "effort",
                SHARPNESS * effort_weight,
                lambda m: m.u / m.scales.torque,
                np.zeros((len(wanted), len(usual))),
            ),
            Roughness("torque rate", SHARPNESS * ROUGHNESS, lambda moment: moment.u / moment.scales.torque),
            Mean("calm", SHARPNESS * CALM, lambda moment: (moment.a.T @ moment.a) / 2500.0),
        ),
    )
    return problem, _guess(robot, problem, curve, node_s, counts)


def _phases(robot: Robot, times: tuple[PhaseTime, ...]) -> tuple[Phase, ...]:
    phases: list[Phase] = []
    before: ContactSet | None = None
    for time in times:
        contact, length = contact_set(robot, time.contact), time.stop_s - time.start_s
        arrival: Arrival = "rest"
        landing = tuple(point.name for point in contact.points)
        if before is not None:
            standing = {point.name for point in before.points}
            landing = tuple(point.name for point in contact.points if point.name not in standing)
            arrival = "impact" if landing else "continuous"
        intervals = max(FEWEST, round(length / INTERVAL_S))
        phases.append(Phase(time.contact, contact, intervals, (length, length), arrival, landing))
        before = contact
    return tuple(phases)


def _bounds(robot: Robot, wanted: Array) -> Bounds:
    """Return the published ranges of recorded steps on both sides, widened where the recording itself leaves them."""
    tree = read_tree(robot.mjcf, angle_base=True)
    ranges = robot.table("gait")["reconstruction_range"]
    lower, upper = np.array([ranges[name] for name in tree.velocity_names]).T
    lower[PELVIS:] = np.minimum(lower[PELVIS:], robot.joint_lower_rad)
    upper[PELVIS:] = np.maximum(upper[PELVIS:], robot.joint_upper_rad)
    standing = robot.table("subject")["standing_pelvis_height_m"] / PRINTED_PELVIS_HEIGHT_M
    lower[2], upper[2] = lower[2] * standing, upper[2] * standing
    lower[:2], upper[:2] = -np.inf, np.inf
    lower = np.minimum(lower, wanted.min(axis=0) - SLACK)
    upper = np.maximum(upper, wanted.max(axis=0) + SLACK)
    velocity = robot.table("gait")["limits"]["velocity"]
    torque = np.array([-robot.torque_limit_nm, robot.torque_limit_nm])
    return Bounds(np.array([lower, upper]), np.array([[-velocity], [velocity]]) * np.ones(tree.nv), torque)


def _guess(robot: Robot, problem: Problem, curve: CubicSpline, node_s: Array, counts: list[int]) -> Trajectory:
    phase_of = np.repeat(np.arange(len(counts)), counts)
    rows = problem.contact.rows
    force = np.zeros((len(node_s), len(rows)))
    for number, phase in enumerate(problem.phases):
        normal = [index for index, row in enumerate(rows) if row in phase.contact.rows and row.axis == 2]
        force[np.ix_(phase_of == number, normal)] = robot.mass_kg * 9.81 / len(normal)
    return Trajectory(
        problem=problem,
        time_s=node_s - node_s[0],
        phase_of=phase_of,
        q=curve(node_s),
        v=curve(node_s, 1),
        a=curve(node_s, 2),
        u=np.zeros((len(node_s), len(problem.actuated))),
        force_n=force,
        duration_s=np.array([phase.duration_s[0] for phase in problem.phases]),
        parameter={},
        impulse_n_s={},
    )
