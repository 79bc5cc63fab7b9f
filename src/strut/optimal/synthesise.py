"""Synthesise: a human walks without having seen a recording. The one function that users call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import numpy as np

from strut.engines.nonlinear_program import OUT_OF_TIME, STOPPED, OnIteration, SolverOptions
from strut.errors import OutOfRangeError, RefusedError, UnknownNameError
from strut.optimal.cold_start import Drawing, drawn_step
from strut.optimal.gait import Gait
from strut.optimal.gait_problem import Criteria, gait_problem
from strut.optimal.polish import polish
from strut.optimal.problem import Cost, Problem
from strut.optimal.solve import NotSolvedError, Solution, Transcribed
from strut.optimal.soundness import examine
from strut.optimal.trajectory import Trajectory
from strut.robot import Robot
from strut.robots.catalogue import load_robot

STARTS = 3  # a drawn step, then drawn steps with noise
FINER = 1.4  # how much finer the mesh gets after a result that slides or gains momentum
NOISE_RAD, NOISE_DURATION = 0.03, 0.2
CostsOnMesh = Callable[[Sequence[int]], Sequence[Cost]]
MOST_SECONDS = 600.0


def named_criteria(robot: Robot, objective: str) -> Criteria:
    """Return the weights of a published mixture by name."""
    known = robot.table("gait")["objective"]
    if objective not in known:
        raise UnknownNameError("objective", objective, tuple(known), "`strut synthesize --help`")
    return weighted_criteria(robot, known[objective]["gamma"])


def weighted_criteria(robot: Robot, gamma: Sequence[float]) -> Criteria:
    """Return criteria with weights on effort, angular momentum, head rotation and duration."""
    if len(gamma) != 4:
        raise OutOfRangeError(f"{len(gamma)} weights were given; four are needed: effort, momentum, head, time.")
    smooth = robot.table("gait")["regularisation"]
    effort, momentum, head, time = (float(value) for value in gamma)
    return Criteria(effort, momentum, head, time, smooth["acceleration"], smooth["torque_rate"])


def synthesise(
    robot: Robot | str = "heiman",
    *,
    objective: str = "multi",
    criteria: Criteria | None = None,
    speed_m_s: float | None = 1.3,
    clearance_m: float = 0.0,
    springs: bool = False,
    intervals: Sequence[int] | None = None,
    extra_costs: CostsOnMesh | None = None,
    drawing: Drawing | None = None,
    starts: int = STARTS,
    check_mesh: bool = False,
    most_seconds: float = MOST_SECONDS,
    on_iteration: OnIteration | None = None,
) -> Gait:
    """Return a symmetric gait that minimises a mixture of criteria, from a cold start.

    Args:
        robot: A human model.
        objective: A published mixture by name.
        criteria: Other weights in its place.
        speed_m_s: Average speed; None leaves it free.
        clearance_m: Least height of the swinging forefoot at the end of the flat phase.
        springs: Give the legs springs and dampers that the solver may choose.
        intervals: Of the mesh, phase by phase; by speed if None, and finer if the result is refused.
        extra_costs: Soft targets besides, for the numbers of intervals they are given.
        drawing: Noise and posture of the first start.
        starts: How many starts may be tried before giving up.
        check_mesh: Solve again on a mesh with half as many intervals more, and say how much the cost changes.
        most_seconds: For all starts together.
        on_iteration: Called with every iteration; may return True to stop.
    """
    human = load_robot(robot) if isinstance(robot, str) else robot
    weights = criteria or named_criteria(human, objective)
    pace = speed_m_s if speed_m_s is not None else human.table("gait")["speed_m_s"]["usual"]
    wishes = {"speed_m_s": speed_m_s, "clearance_m": clearance_m, "springs": springs}
    deadline_s = perf_counter() + most_seconds
    mesh, program, attempts = tuple(intervals or usual_mesh(human, pace)), None, list[str]()
    refused: Trajectory | None = None
    for start in range(starts):
        if program is None:
            program = Transcribed(_problem(human, weights, wishes, mesh, extra_costs))
        own = drawing or Drawing()
        if start:
            own = replace(own, angle_noise_rad=NOISE_RAD, duration_noise=NOISE_DURATION, seed=own.seed + start)
        limit = SolverOptions(most_seconds=max(1.0, deadline_s - perf_counter()), warm=refused is not None)
        guess = drawn_step(human, program.problem, pace, own) if refused is None else refused.on_mesh(program.problem)
        try:
            solution = program.solve(guess, options=limit, on_iteration=on_iteration)
        except NotSolvedError as failure:
            attempts.append(f"start {start}: {failure}")
            if start + 1 == starts or failure.status in {STOPPED, OUT_OF_TIME}:
                raise
            refused = None
            continue
        change = None
        if check_mesh:
            finer = _problem(human, weights, wishes, _finer(mesh), extra_costs)
            change = _mesh_change(solution, finer)
        solution = polish(program, solution)
        found = examine(human, solution, mesh_change=change)
        attempts.append(f"start {start}: {solution.iterations} iterations, cost {solution.cost:.4f}")
        if not found.complaints():
            return Gait(human, solution, found, tuple(attempts), _asked(weights, wishes))
        attempts.append(f"start {start} was refused: {'; '.join(found.complaints())}")
        mesh, program, refused = _finer(mesh), None, solution.trajectory  # refined from where it is
    raise RefusedError(attempts, "Use a finer mesh (intervals) or another speed.")


def usual_mesh(human: Robot, speed_m_s: float) -> tuple[int, ...]:
    """Return the numbers of intervals for a speed: more for slow steps, which last long, and for forceful ones."""
    gait = human.table("gait")
    stretch = np.sqrt(speed_m_s / gait["speed_m_s"]["usual"])
    factor = max(stretch, 1.0 / stretch)
    return tuple(int(np.ceil(factor * entry["intervals"] - 1e-9)) for entry in gait["phase"])


def _finer(mesh: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(np.ceil(FINER * count)) for count in mesh)


def _problem(
    human: Robot, weights: Criteria, wishes: dict[str, Any], mesh: Sequence[int], extra_costs: CostsOnMesh | None
) -> Problem:
    costs = extra_costs(mesh) if extra_costs is not None else ()
    return gait_problem(human, weights, intervals=mesh, extra_costs=costs, **wishes)


def _mesh_change(coarse: Solution, finer: Problem) -> float:
    """Return the relative change of cost when a solved step is solved again on a finer mesh."""
    fine = Transcribed(finer).solve(coarse.trajectory.on_mesh(finer), options=SolverOptions(warm=True))
    return fine.cost / coarse.cost - 1.0


def _asked(weights: Criteria, wishes: dict[str, Any]) -> dict[str, Any]:
    return {"weights": [weights.effort, weights.momentum, weights.head, weights.time], **wishes}
