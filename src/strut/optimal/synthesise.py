"""Synthesise: a human walks without having seen a recording. The one function that users call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strut.engines.nonlinear_program import OnIteration, SolverOptions
from strut.errors import OutOfRangeError, RefusedError, UnknownNameError
from strut.optimal.cold_start import Drawing, drawn_step
from strut.optimal.gait import Gait
from strut.optimal.gait_problem import Criteria, gait_problem
from strut.optimal.problem import Cost
from strut.optimal.solve import NotSolvedError, Solution, Transcribed
from strut.optimal.soundness import examine
from strut.robot import Robot
from strut.robots.catalogue import load_robot

STARTS = 3  # a drawn step, then drawn steps with noise
NOISE_RAD, NOISE_DURATION = 0.03, 0.2
MOST_SECONDS = 240.0


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
    intervals: Sequence[int] | None = None,
    extra_costs: Sequence[Cost] = (),
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
        intervals: Of the mesh, phase by phase.
        extra_costs: Soft targets besides.
        drawing: Noise on the first start.
        starts: How many starts may be tried before giving up.
        check_mesh: Solve again on a mesh with half as many intervals more, and say how much the cost changes.
        most_seconds: For all starts together.
        on_iteration: Called with every iteration; may return True to stop.
    """
    human = load_robot(robot) if isinstance(robot, str) else robot
    weights = criteria or named_criteria(human, objective)
    options = {"speed_m_s": speed_m_s, "clearance_m": clearance_m, "extra_costs": extra_costs}
    problem = gait_problem(human, weights, intervals=intervals, **options)  # type: ignore[arg-type]
    program = Transcribed(problem)
    pace = speed_m_s if speed_m_s is not None else human.table("gait")["speed_m_s"]["usual"]
    attempts: list[str] = []
    for start in range(starts):
        own = drawing or Drawing()
        if start:
            own = Drawing(NOISE_RAD, NOISE_DURATION, own.seed + start)
        limit = SolverOptions(most_seconds=most_seconds / starts)
        try:
            solution = program.solve(drawn_step(human, problem, pace, own), options=limit, on_iteration=on_iteration)
        except NotSolvedError as failure:
            attempts.append(str(failure))
            if start + 1 == starts or failure.status == "stopped by the caller":
                raise
            continue
        change = _mesh_change(human, weights, solution, options) if check_mesh else None
        found = examine(human, solution, playback=False, mesh_change=change)
        attempts.append(f"start {start}: {solution.iterations} iterations, cost {solution.cost:.4f}")
        if not found.complaints():
            asked = _asked(weights, speed_m_s, clearance_m)
            return Gait(human, solution, found, tuple(attempts), asked)
        attempts.append(f"start {start} was refused: {'; '.join(found.complaints())}")
    raise RefusedError(found.complaints(), "Use a finer mesh (intervals) or another speed.")


def _asked(weights: Criteria, speed_m_s: float | None, clearance_m: float) -> dict[str, Any]:
    gamma = [weights.effort, weights.momentum, weights.head, weights.time]
    return {"weights": gamma, "speed_m_s": speed_m_s, "clearance_m": clearance_m}


def _mesh_change(human: Robot, weights: Criteria, coarse: Solution, options: dict[str, Any]) -> float:
    """Return the relative change of cost on a mesh with half as many intervals more."""
    counts = [int(np.ceil(1.5 * phase.intervals)) for phase in coarse.trajectory.problem.phases]
    problem = gait_problem(human, weights, intervals=counts, **options)
    guess = coarse.trajectory.on_mesh(problem)
    fine = Transcribed(problem).solve(guess, options=SolverOptions(warm=True))
    return fine.cost / coarse.cost - 1.0
