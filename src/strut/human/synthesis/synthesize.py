"""Synthesis of human gait by optimal control, without a recording: `synthesize`, the function that users call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import process_time
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import RefusedError
from strut.human.analysis.naturalness import naturalness
from strut.human.anatomy import SHANKS
from strut.human.gait import Gait, unfinished
from strut.human.problem.criteria import NATURAL, Criteria, named_criteria
from strut.human.problem.gait_options import HUMAN, GaitOptions, named_gait_options
from strut.human.problem.gait_problem import check_pace, gait_problem
from strut.human.problem.posture_costs import midway_style
from strut.human.synthesis.initial_guess import GuessOptions, guessed_step
from strut.human.synthesis.warm_library import features, warm_library
from strut.human.synthesis.warm_start import warm_step
from strut.human.table import human_gait
from strut.models.catalogue import as_robot
from strut.models.subject import EVEN_SIDES_NOTE, HUMAN_MODEL, with_even_sides
from strut.motion import Motion
from strut.ocp.collocation import DirectCollocation, NotSolvedError, Solution
from strut.ocp.interior_point import BOUND_PUSH, SOLVED_BARRIER, OnIteration, SolverOptions
from strut.ocp.multi_start import best_of_starts, label_iterations
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.shooting_refinement import refine_by_shooting
from strut.ocp.soundness import require_sound, verify_trajectory
from strut.ocp.trajectory import Trajectory
from strut.receipt import Reason, ReasonKind
from strut.robot import Robot

TRIES = 4  # initial guesses: a blend of solved gaits, key poses, an easier gait, key poses with noise
MAX_LIBRARY_ITERATIONS = 100  # from solved gaits; after that key poses are the better initial guess
REFINEMENT = 1.4  # factor on the mesh after a result with sliding contacts or a momentum error
FAST_MESH_POWER = 0.75  # growth of the mesh with speed above the usual one
SLOW_MESH_POWER = 0.5  # growth of the mesh with the inverse of speed below it
NOISE_RAD = 0.03  # of joint angles, standard deviation
NOISE_DURATION = 0.2  # of phase durations, largest share
MAX_SECONDS = 1800.0


class InitialGuess(StrEnum):
    """Kinds of initial guesses, as attempts name them."""

    MOTION = "the motion that was given"
    LIBRARY = "solved gaits"
    KEY_POSES = "a guessed step"
    EASIER = "an easier gait"
    NOISY = "a guessed step with noise"
    COARSE = "a coarser mesh"


NEARLY_SOLVED = (InitialGuess.LIBRARY, InitialGuess.EASIER, InitialGuess.COARSE)


def synthesize(
    robot: Robot | str = HUMAN_MODEL,
    *,
    objective: str = NATURAL,
    criteria: Criteria | None = None,
    speed_m_s: float | None = 1.3,
    step_m: float | None = None,
    options: GaitOptions | None = None,
    intervals: Sequence[int] | None = None,
    guess: GuessOptions | None = None,
    initial_motion: Motion | None = None,
    starts: int = 1,
    tries: int = TRIES,
    check_mesh: bool = False,
    max_seconds: float = MAX_SECONDS,
    on_iteration: OnIteration | None = None,
) -> Gait:
    """Return a symmetric gait that minimises a mixture of criteria, found without a recording.

    Direct collocation from an initial guess, refined by multiple shooting until an exact integrator reproduces the
    step, and verified by another engine.

    Args:
        robot: A human model; both sides get the mean of their sizes, because a step is the mirror image of the next.
        objective: `natural`, or a published mixture by name.
        criteria: Weights instead of an objective.
        speed_m_s: Average speed; None leaves it free.
        step_m: Step length; None leaves it free.
        options: Costs and constraints besides the criteria; the usual ones if None.
        intervals: Mesh intervals of each phase; by speed if None, and finer after a refused result.
        guess: Noise and style of key poses as the first initial guess; a blend of solved gaits if None.
        initial_motion: A walk of a human model, at any speed and in any style, as the first initial guess.
        starts: Solve from this many initial guesses and keep the cheapest gait; all but the first have noise.
        tries: Number of kinds of initial guesses to try in each start.
        check_mesh: Solve again on a finer mesh and report the change of the cost.
        max_seconds: Of processor time, for all tries of a start together.
        on_iteration: Called with every iteration; may return True to stop.

    Example:
        >>> gait = strut.synthesize(strut.load_robot("heiman"), speed_m_s=1.3)  # ten seconds
        >>> strut.save_motion(gait.motion(steps=4), "gait.npz")
    """
    given = as_robot(robot)
    human = with_even_sides(given)
    notes = [] if human is given else [EVEN_SIDES_NOTE]
    weights = criteria or named_criteria(human, objective)
    request = SynthesisRequest(human, weights, options or named_gait_options(human, [HUMAN]), speed_m_s, step_m)
    mesh = tuple(intervals or usual_mesh(human, request.pace_m_s))
    first_guess = guess or GuessOptions(style=request.options.style)
    first_kinds = []
    if initial_motion is not None:
        first_kinds = [InitialGuess.MOTION]
    elif guess is None and request.has_solved_gaits:
        first_kinds = [InitialGuess.LIBRARY]

    def solve(number: int, on_start_iteration: OnIteration | None) -> Gait:
        noisy = GuessOptions(NOISE_RAD, NOISE_DURATION, seed=number, style=request.options.style)
        kinds = [*([] if number else first_kinds), InitialGuess.KEY_POSES, InitialGuess.EASIER, InitialGuess.NOISY]
        search = _Search(request, process_time() + max_seconds, on_start_iteration, initial_motion, [*notes])
        return search.gait(mesh, noisy if number else first_guess, kinds[:tries], check_mesh=check_mesh)

    if starts == 1:
        return solve(0, on_iteration)
    best, others = best_of_starts(starts, solve, on_iteration)
    return replace(best, attempts=(*best.attempts, *others))


def best_so_far(human: Robot, best: Solution) -> Gait:
    """Return the best iterate of a synthesis that was stopped."""
    return replace(unfinished(human, best), naturalness=naturalness(human, best.trajectory))


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """Model, cost weights, options, speed and step length of a gait; None leaves speed or length free."""

    human: Robot
    weights: Criteria
    options: GaitOptions
    speed_m_s: float | None = None
    step_m: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.human, self.speed_m_s, self.step_m)

    @property
    def pace_m_s(self) -> float:
        """The speed; if it is free, its initial guess."""
        return self.speed_m_s if self.speed_m_s is not None else human_gait(self.human).speed_m_s.usual

    def problem(self, mesh: Sequence[int]) -> OptimalControlProblem:
        """Return the problem on a mesh."""
        return gait_problem(
            self.human,
            self.weights,
            speed_m_s=self.speed_m_s,
            step_m=self.step_m,
            intervals=mesh,
            options=self.options,
        )

    @property
    def has_solved_gaits(self) -> bool:
        """Whether the library has similar gaits: natural criteria, posture and arms."""
        usual = self.weights.natural and self.options.posture and self.options.arms
        return usual and warm_library().reaches(self.features)

    @property
    def features(self) -> Array:
        """Features of the request, by which the library of solved gaits is searched."""
        return features(self.human, self.pace_m_s, self.options.style or self.human.expression.neutral_style())

    def easier(self) -> SynthesisRequest:
        """Return the request midway to the usual speed and neutral style; its gait is a good initial guess."""
        neutral = self.human.expression.neutral_style()
        style = midway_style(self.options.style or neutral, neutral)
        middle = 0.5 * (self.pace_m_s + human_gait(self.human).speed_m_s.usual)
        return replace(self, speed_m_s=middle, step_m=None, options=replace(self.options, style=style))

    def as_dict(self) -> dict[str, Any]:
        """Return the request for JSON."""
        weights = self.weights
        return {
            "natural": weights.natural,
            "weights": [weights.effort, weights.momentum, weights.head, weights.time],
            "speed_m_s": self.speed_m_s,
            "step_m": self.step_m,
            **self.options.as_dict(),
        }


@dataclass(slots=True)
class _Search:
    """Tries one initial guess after the other, and finer meshes after a refusal.

    Args:
        request: The gait.
        deadline_s: Of processor time.
        on_iteration: Called with every iteration.
        initial_motion: For `InitialGuess.MOTION`.
        attempts: One sentence for each try.
        best: Best iterate of the last solve that failed.
    """

    request: SynthesisRequest
    deadline_s: float
    on_iteration: OnIteration | None
    initial_motion: Motion | None = None
    attempts: list[str] = field(default_factory=list)
    best: Solution | None = None

    def gait(
        self, mesh: tuple[int, ...], guess: GuessOptions, kinds: Sequence[InitialGuess], *, check_mesh: bool
    ) -> Gait:
        """Return a sound gait; try the next initial guess after a failure, a finer mesh after a refusal."""
        request = self.request
        coarse = None
        for number, planned in enumerate(kinds):
            kind = planned if coarse is None else InitialGuess.COARSE
            try:
                program, on_mesh = self.solve(kind, mesh, guess, coarse)
            except NotSolvedError as failure:
                self.attempts.append(f"start {number} from {kind}: {failure}")
                if planned == kinds[-1] or failure.stopped:
                    raise
                coarse = None
                continue
            change = self.mesh_change(on_mesh, mesh, guess) if check_mesh else None
            self.attempts.append(
                f"start {number} from {kind}: {on_mesh.iterations} iterations, cost {on_mesh.cost:.4f}"
            )
            try:
                refined = refine_by_shooting(program, on_mesh)
                capsules = SHANKS if request.options.capsules else None
                soundness = verify_trajectory(request.human, refined, mesh_change=change, capsules=capsules)
                require_sound(soundness)
            except RefusedError as refusal:
                self.attempts.append(f"start {number} was refused: {'; '.join(map(str, refusal.reasons))}")
                mesh = _finer(mesh)
                coarse = on_mesh
                continue
            gait = Gait(
                request.human, refined, soundness, tuple(self.attempts), request.as_dict(), options=request.options
            )
            return replace(gait, naturalness=naturalness(request.human, refined.trajectory, gait.band_scores()))
        raise RefusedError(
            [Reason(ReasonKind.LIMIT, None, text) for text in self.attempts],
            "Use a finer mesh (intervals) or another speed.",
        )

    def solve(
        self, kind: InitialGuess, mesh: Sequence[int], guess: GuessOptions, coarse: Solution | None = None
    ) -> tuple[DirectCollocation, Solution]:
        """Solve on a mesh from one kind of initial guess; near a solution the barrier starts small."""
        problem = self.request.problem(mesh)
        start = self._initial_guess(kind, problem, guess, coarse)  # fails fast; building the program takes seconds
        program = DirectCollocation(problem)
        warm = SOLVED_BARRIER if kind in NEARLY_SOLVED else 0.0
        left_s = max(1.0, self.deadline_s - process_time())
        exact = kind == InitialGuess.LIBRARY and warm_library().holds(self.request.features)
        options = SolverOptions(
            max_seconds=left_s, initial_barrier=warm, bound_push=0.0 if exact else BOUND_PUSH, adaptive_barrier=not warm
        )
        if kind == InitialGuess.LIBRARY:
            options = replace(options, max_iterations=MAX_LIBRARY_ITERATIONS)
        try:
            return program, program.solve(
                start, options=options, on_iteration=label_iterations(self.on_iteration, f"from {kind}")
            )
        except NotSolvedError as failure:
            self.best = failure.best
            raise

    def _initial_guess(
        self, kind: InitialGuess, problem: OptimalControlProblem, guess: GuessOptions, coarse: Solution | None
    ) -> Trajectory:
        request = self.request
        human = self.request.human
        if kind == InitialGuess.LIBRARY:
            return warm_library().initial_guess(human, problem, request.features)
        if kind == InitialGuess.MOTION and self.initial_motion is not None:
            return warm_step(human, problem, self.initial_motion)
        if kind == InitialGuess.EASIER:
            coarse = self._solve_easier([phase.intervals for phase in problem.phases], guess)
        if coarse is not None:
            return coarse.trajectory.on_mesh(problem)
        if kind == InitialGuess.NOISY:
            guess = replace(guess, angle_noise_rad=NOISE_RAD, duration_noise=NOISE_DURATION, seed=guess.seed + 2)
        return guessed_step(human, problem, request.pace_m_s, guess)

    def mesh_change(self, solution: Solution, mesh: Sequence[int], guess: GuessOptions) -> float:
        """Return the relative change of cost on a finer mesh."""
        try:
            return self.solve(InitialGuess.COARSE, _finer(mesh), guess, solution)[1].cost / solution.cost - 1.0
        except NotSolvedError as failure:  # keep the solution on the first mesh as the best iterate
            raise NotSolvedError(failure.status, f"{failure.worst} on a finer mesh", solution) from failure

    def _solve_easier(self, mesh: Sequence[int], guess: GuessOptions) -> Solution:
        """Return the gait of the easier request; a failure carries the best iterate of the request itself."""
        search = _Search(self.request.easier(), self.deadline_s, self.on_iteration)
        try:
            return search.solve(InitialGuess.KEY_POSES, mesh, replace(guess, style=search.request.options.style))[1]
        except NotSolvedError as failure:
            raise NotSolvedError(failure.status, f"{failure.worst} half way to it", self.best) from failure


def usual_mesh(human: Robot, speed_m_s: float) -> tuple[int, ...]:
    """Return the numbers of intervals for a speed: more for slow steps, which last long, and for fast ones."""
    gait = human_gait(human)
    ratio = speed_m_s / gait.speed_m_s.usual
    factor = ratio**FAST_MESH_POWER if ratio > 1.0 else ratio**-SLOW_MESH_POWER
    return tuple(int(np.ceil(factor * phase.intervals - 1e-9)) for phase in gait.phase)


def _finer(mesh: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(np.ceil(REFINEMENT * count)) for count in mesh)
