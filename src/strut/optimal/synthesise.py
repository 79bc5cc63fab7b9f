"""Synthesise: a human walks without having seen a recording. The one function that users call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, field, replace
from time import perf_counter
from typing import Any

import numpy as np

from strut.engines.nonlinear_program import OUT_OF_TIME, STOPPED, OnIteration, SolverOptions
from strut.errors import OutOfRangeError, RefusedError, UnknownNameError
from strut.motion import Motion
from strut.optimal.cold_start import Drawing, drawn_step
from strut.optimal.gait import Gait
from strut.optimal.gait_problem import Criteria, check_pace, gait_problem
from strut.optimal.manner import HUMAN, Manner, named_manner
from strut.optimal.naturalness import naturalness
from strut.optimal.polish import polish
from strut.optimal.problem import Problem
from strut.optimal.soft_target import Bearing, usual_bearing
from strut.optimal.solve import NotSolvedError, Solution, Transcribed
from strut.optimal.soundness import examine
from strut.optimal.trajectory import Trajectory
from strut.optimal.warm_start import warm_step
from strut.robot import Robot
from strut.robots.catalogue import load_robot

STARTS = 3  # a drawn step, then by way of an easier gait, then a drawn step with noise
FINER = 1.4  # how much finer the mesh gets after a result that slides or gains momentum
FASTER, SLOWER = 0.75, 0.5  # powers of the speed with which meshes get finer
NOISE_RAD, NOISE_DURATION = 0.03, 0.2
MOST_SECONDS = 1800.0


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
    if not any(gamma):
        raise OutOfRangeError("All weights are 0, so any gait would do; give at least one of them a number above 0.")
    return Criteria(effort, momentum, head, time, smooth["acceleration"], smooth["torque_rate"])


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a gait: who walks, what is cheap, in which manner, how fast and how far; None leaves it free."""

    human: Robot
    weights: Criteria
    manner: Manner
    speed_m_s: float | None = None
    step_m: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.human, self.speed_m_s, self.step_m)

    @property
    def pace_m_s(self) -> float:
        """The speed, or where a free one is guessed to be."""
        return self.speed_m_s if self.speed_m_s is not None else self.human.table("gait")["speed_m_s"]["usual"]

    def problem(self, mesh: Sequence[int]) -> Problem:
        """Return the problem on a mesh."""
        return gait_problem(
            self.human,
            self.weights,
            speed_m_s=self.speed_m_s,
            step_m=self.step_m,
            intervals=mesh,
            manner=self.manner,
        )

    def halfway(self) -> Wish:
        """Return a wish half way to the usual speed and bearing: easier, and a good start for this one."""
        usual, asked = usual_bearing(self.human), self.manner.bearing or usual_bearing(self.human)
        bearing = Bearing(*(0.5 * (one + other) for one, other in zip(astuple(usual), astuple(asked), strict=True)))
        middle = 0.5 * (self.pace_m_s + self.human.table("gait")["speed_m_s"]["usual"])
        return replace(self, speed_m_s=middle, step_m=None, manner=replace(self.manner, bearing=bearing))

    def as_dict(self) -> dict[str, Any]:
        """Return what was asked as JSON would hold it."""
        weights = self.weights
        return {
            "weights": [weights.effort, weights.momentum, weights.head, weights.time],
            "speed_m_s": self.speed_m_s,
            "step_m": self.step_m,
            **self.manner.as_dict(),
        }


def synthesise(
    robot: Robot | str = "heiman",
    *,
    objective: str = "multi",
    criteria: Criteria | None = None,
    speed_m_s: float | None = 1.3,
    step_m: float | None = None,
    manner: Manner | None = None,
    intervals: Sequence[int] | None = None,
    drawing: Drawing | None = None,
    begin: Motion | None = None,
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
        step_m: Step length; None leaves it free.
        manner: What makes it more human than its criteria alone do; the usual one if None.
        intervals: Of the mesh, phase by phase; by speed if None, and finer if the result is refused.
        drawing: Noise and posture of the first start.
        begin: A walk of a human model, at any speed and with any feeling, to start from in the place of a drawn step.
        starts: How many starts may be tried before giving up.
        check_mesh: Solve again on a finer mesh, and say how much the cost changes.
        most_seconds: For all starts together.
        on_iteration: Called with every iteration; may return True to stop.
    """
    human = load_robot(robot) if isinstance(robot, str) else robot
    weights = criteria or named_criteria(human, objective)
    wish = Wish(human, weights, manner or named_manner(human, [HUMAN]), speed_m_s, step_m)
    search = _Search(wish, perf_counter() + most_seconds, on_iteration)
    mesh, guess = tuple(intervals or usual_mesh(human, wish.pace_m_s)), drawing or Drawing(bearing=wish.manner.bearing)
    found: Solution | None = None
    for start in range(starts):
        try:
            if found is None and begin is not None and start == 0:
                found = search.warm(begin, mesh)
            else:
                found = search.again(found, mesh) if found is not None else search.start(start, mesh, guess)
        except NotSolvedError as failure:
            search.attempts.append(f"start {start}: {failure}")
            if start + 1 == starts or failure.status in {STOPPED, OUT_OF_TIME}:
                raise
            found = None
            continue
        program, on_mesh = search.program, found
        assert program is not None
        change = search.mesh_change(on_mesh, mesh) if check_mesh else None
        found = polish(program, on_mesh)
        soundness = examine(human, found, mesh_change=change)
        search.attempts.append(f"start {start}: {found.iterations} iterations, cost {found.cost:.4f}")
        if not soundness.complaints():
            looks = naturalness(human, found.trajectory)
            return Gait(human, found, soundness, tuple(search.attempts), wish.as_dict(), looks)
        search.attempts.append(f"start {start} was refused: {'; '.join(soundness.complaints())}")
        mesh, found = _finer(mesh), on_mesh  # refined from where it is
    raise RefusedError(search.attempts, "Use a finer mesh (intervals) or another speed.")


def best_so_far(human: Robot, best: Solution) -> Gait:
    """Return the best iterate of a solver that was stopped, as a gait whose complaints say what it lacks."""
    attempts = (f"stopped after {best.iterations} iterations, cost {best.cost:.4f}",)
    found = replace(examine(human, best, playback=False), finished=False)
    return Gait(human, best, found, attempts, {}, naturalness(human, best.trajectory))


@dataclass(slots=True)
class _Search:
    """A wish, the time left for it, and what was tried."""

    wish: Wish
    deadline_s: float
    on_iteration: OnIteration | None
    attempts: list[str] = field(default_factory=list)
    program: Transcribed | None = None  # the last that was solved
    best: Solution | None = None  # iterate of the last start that failed

    def start(self, number: int, mesh: Sequence[int], drawing: Drawing) -> Solution:
        """Solve from a drawn step (0), by way of an easier gait (1), or from a drawn step with noise (2 and more)."""
        if number == 1:
            return self.again(self._easier(mesh, drawing), mesh)
        if number:
            drawing = replace(
                drawing, angle_noise_rad=NOISE_RAD, duration_noise=NOISE_DURATION, seed=drawing.seed + number
            )
        program = Transcribed(self.wish.problem(mesh))
        return self._solve(program, drawn_step(self.wish.human, program.problem, self.wish.pace_m_s, drawing))

    def warm(self, begin: Motion, mesh: Sequence[int]) -> Solution:
        """Solve on a mesh from a motion."""
        problem = self.wish.problem(mesh)
        guess = warm_step(self.wish.human, problem, begin)  # before the program, which takes seconds
        return self._solve(Transcribed(problem), guess)

    def again(self, found: Solution, mesh: Sequence[int]) -> Solution:
        """Solve on a mesh from a solution of something similar."""
        program = Transcribed(self.wish.problem(mesh))
        return self._solve(program, found.trajectory.on_mesh(program.problem), warm=True)

    def mesh_change(self, found: Solution, mesh: Sequence[int]) -> float:
        """Return the relative change of cost on a finer mesh."""
        try:
            return self.again(found, _finer(mesh)).cost / found.cost - 1.0
        except NotSolvedError as failure:  # what was solved must not be lost
            raise NotSolvedError(failure.status, f"{failure.worst} on a finer mesh", found) from failure

    def _easier(self, mesh: Sequence[int], drawing: Drawing) -> Solution:
        """Return a gait half way to what is asked; if there is none, what is kept is still a try at what was asked."""
        search = _Search(self.wish.halfway(), self.deadline_s, self.on_iteration)
        try:
            return search.start(0, mesh, replace(drawing, bearing=search.wish.manner.bearing))
        except NotSolvedError as failure:
            raise NotSolvedError(failure.status, f"{failure.worst} half way to it", self.best) from failure

    def _solve(self, program: Transcribed, guess: Trajectory, *, warm: bool = False) -> Solution:
        self.program = program
        left_s = max(1.0, self.deadline_s - perf_counter())
        options = SolverOptions(most_seconds=left_s, warm=warm, adaptive=not warm)
        try:
            return program.solve(guess, options=options, on_iteration=self.on_iteration)
        except NotSolvedError as failure:
            self.best = failure.best
            raise


def usual_mesh(human: Robot, speed_m_s: float) -> tuple[int, ...]:
    """Return the numbers of intervals for a speed: more for slow steps, which last long, and for forceful ones."""
    gait = human.table("gait")
    ratio = speed_m_s / gait["speed_m_s"]["usual"]
    factor = ratio**FASTER if ratio > 1.0 else ratio**-SLOWER
    return tuple(int(np.ceil(factor * entry["intervals"] - 1e-9)) for entry in gait["phase"])


def _finer(mesh: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(np.ceil(FINER * count)) for count in mesh)
