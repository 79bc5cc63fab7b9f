"""Synthesis of human gait by optimal control, without a recording. The one function that users call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from strut.human.problem.posture_targets import halfway
from strut.human.synthesis.initial_guess import GuessOptions, guessed_step
from strut.human.synthesis.warm_library import features, warm_library
from strut.human.synthesis.warm_start import warm_step
from strut.human.table import human_gait
from strut.models.catalogue import as_robot
from strut.models.subject import EVENED, with_even_sides
from strut.motion import Motion
from strut.ocp.collocation import DirectCollocation, NotSolvedError, Solution
from strut.ocp.interior_point import OFF_BOUNDS, SOLVED, OnIteration, SolverOptions
from strut.ocp.multi_start import best_of_starts, told_as
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.shooting_refinement import refined_by_shooting
from strut.ocp.soundness import require_sound, verify_trajectory
from strut.ocp.trajectory import Trajectory
from strut.receipt import Reason, ReasonKind
from strut.robot import Robot

TRIES = 4  # a blend of solved gaits, a guessed step, then by way of an easier gait, then a guessed step with noise
SAMPLED = "the motion that was given"
BLENDED = "solved gaits"
DRAWN = "a guessed step"  # kinds of starts
EASIER = "an easier gait"
NOISY = "a guessed step with noise"
COARSE = "a coarser mesh"
NEARLY_SOLVED = (BLENDED, EASIER, COARSE)
PATIENCE = 100  # iterations from solved gaits, after which a guessed step is the better start
FINER = 1.4  # how much finer the mesh gets after a result that slides or gains momentum
FASTER = 0.75
SLOWER = 0.5  # powers of the speed with which meshes get finer
NOISE_RAD = 0.03
NOISE_DURATION = 0.2
MOST_SECONDS = 1800.0


def synthesize(
    robot: Robot | str = "heiman",
    *,
    objective: str = NATURAL,
    criteria: Criteria | None = None,
    speed_m_s: float | None = 1.3,
    step_m: float | None = None,
    options: GaitOptions | None = None,
    intervals: Sequence[int] | None = None,
    guess: GuessOptions | None = None,
    begin: Motion | None = None,
    starts: int = 1,
    tries: int = TRIES,
    check_mesh: bool = False,
    most_seconds: float = MOST_SECONDS,
    on_iteration: OnIteration | None = None,
) -> Gait:
    """Return a symmetric gait that minimises a mixture of criteria, found without a recording.

    Direct collocation from a guessed step, refined by multiple shooting until an exact integrator reproduces it, and
    verified by another engine.

    Args:
        robot: A human model; both its sides get the mean of their sizes, because a step is the mirror of the next.
        objective: `natural`, or a published mixture by name.
        criteria: Other weights in its place.
        speed_m_s: Average speed; None leaves it free.
        step_m: Step length; None leaves it free.
        options: What makes it more human than its criteria alone do; the usual ones if None.
        intervals: Of the mesh, phase by phase; by speed if None, and finer if the result is refused.
        guess: Noise and posture of a first start that is a guessed step; one near solved gaits if None.
        begin: A walk of a human model, at any speed and with any feeling, to start from in the place of a guessed step.
        starts: Keep the cheapest gait of this many starts; all but the first have noise.
        tries: How many guesses may be tried in each start before giving up.
        check_mesh: Solve again on a finer mesh, and say how much the cost changes.
        most_seconds: Of processor time, for all tries of a start together.
        on_iteration: Called with every iteration; may return True to stop.

    Example:
        >>> gait = strut.synthesize(strut.load_robot("heiman"), speed_m_s=1.3)  # ten seconds
        >>> strut.save_motion(gait.motion(steps=4), "gait.npz")
    """
    human, told = _even_human(robot)
    weights = criteria or named_criteria(human, objective)
    request = SynthesisRequest(human, weights, options or named_gait_options(human, [HUMAN]), speed_m_s, step_m)
    mesh = tuple(intervals or usual_mesh(human, request.pace_m_s))
    first = guess or GuessOptions(style=request.options.style)
    blended = begin is None and guess is None and request.has_solved_gaits
    openings = [SAMPLED] if begin is not None else [BLENDED] if blended else []

    def solved(number: int, tell: OnIteration | None) -> Gait:
        noisy = GuessOptions(NOISE_RAD, NOISE_DURATION, seed=number, style=request.options.style)
        kinds = [*([] if number else openings), DRAWN, EASIER, NOISY][:tries]
        search = _Search(request, process_time() + most_seconds, tell, begin, [*told])
        return search.gait(mesh, noisy if number else first, kinds, check_mesh=check_mesh)

    if starts == 1:
        return solved(0, on_iteration)
    best, others = best_of_starts(starts, solved, on_iteration)
    return replace(best, attempts=(*best.attempts, *others))


def _even_human(robot: Robot | str) -> tuple[Robot, list[str]]:
    """Return a human model whose sides are the same, and what is to be told of that."""
    given = as_robot(robot)
    human = with_even_sides(given)
    return human, [] if human is given else [EVENED]


def best_so_far(human: Robot, best: Solution) -> Gait:
    """Return the best iterate of a synthesis that was stopped."""
    return replace(unfinished(human, best), naturalness=naturalness(human, best.trajectory))


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """Body, cost weights, options, speed and step length of a gait; None leaves speed or length free."""

    human: Robot
    weights: Criteria
    options: GaitOptions
    speed_m_s: float | None = None
    step_m: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.human, self.speed_m_s, self.step_m)

    @property
    def pace_m_s(self) -> float:
        """The speed, or where a free one is guessed to be."""
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
        """Whether solved gaits that are like it come with strut: natural criteria, in the usual manner."""
        usual = self.weights.natural and self.options.posture and self.options.arms
        return usual and warm_library().reaches(self.features)

    @property
    def features(self) -> Array:
        """What is asked as the library of solved gaits tells it."""
        return features(self.human, self.pace_m_s, self.options.style or self.human.expression.neutral_style())

    def halfway(self) -> SynthesisRequest:
        """Return a request half way to the usual speed and style: easier, and a good start for this one."""
        neutral = self.human.expression.neutral_style()
        style = halfway(self.options.style or neutral, neutral)
        middle = 0.5 * (self.pace_m_s + human_gait(self.human).speed_m_s.usual)
        return replace(self, speed_m_s=middle, step_m=None, options=replace(self.options, style=style))

    def as_dict(self) -> dict[str, Any]:
        """Return what was asked as JSON would hold it."""
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
    """A request, the time left for it, and what was tried; `begin` is a motion to start from, if there is one."""

    request: SynthesisRequest
    deadline_s: float
    on_iteration: OnIteration | None
    begin: Motion | None = None
    attempts: list[str] = field(default_factory=list)
    best: Solution | None = None  # iterate of the last start that failed

    def gait(self, mesh: tuple[int, ...], guess: GuessOptions, kinds: Sequence[str], *, check_mesh: bool) -> Gait:
        """Return a sound gait; after a failure from another kind of start, after a refusal on a finer mesh."""
        request = self.request
        coarse = None
        for number, planned in enumerate(kinds):
            kind = planned if coarse is None else COARSE
            try:
                program, on_mesh = self.solved(kind, mesh, guess, coarse)
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
                found = refined_by_shooting(program, on_mesh)
                apart = SHANKS if request.options.capsules else None
                soundness = verify_trajectory(request.human, found, mesh_change=change, capsules=apart)
                require_sound(soundness)
            except RefusedError as refusal:
                self.attempts.append(f"start {number} was refused: {'; '.join(map(str, refusal.reasons))}")
                mesh = _finer(mesh)
                coarse = on_mesh
                continue
            gait = Gait(
                request.human, found, soundness, tuple(self.attempts), request.as_dict(), options=request.options
            )
            return replace(gait, naturalness=naturalness(request.human, found.trajectory, gait.band_scores()))
        raise RefusedError(
            [Reason(ReasonKind.LIMIT, None, text) for text in self.attempts],
            "Use a finer mesh (intervals) or another speed.",
        )

    def solved(
        self, kind: str, mesh: Sequence[int], guess: GuessOptions, coarse: Solution | None = None
    ) -> tuple[DirectCollocation, Solution]:
        """Solve on a mesh from one kind of start; what is near a solution starts with a small barrier."""
        problem = self.request.problem(mesh)
        start = self._initial(kind, problem, guess, coarse)  # before the program, which takes seconds
        program = DirectCollocation(problem)
        warm = SOLVED if kind in NEARLY_SOLVED else 0.0
        left_s = max(1.0, self.deadline_s - process_time())
        exact = kind == BLENDED and warm_library().holds(self.request.features)
        options = SolverOptions(most_seconds=left_s, warm=warm, push=0.0 if exact else OFF_BOUNDS, adaptive=not warm)
        if kind == BLENDED:
            options = replace(options, most_iterations=PATIENCE)
        try:
            return program, program.solve(
                start, options=options, on_iteration=told_as(self.on_iteration, f"from {kind}")
            )
        except NotSolvedError as failure:
            self.best = failure.best
            raise

    def _initial(
        self, kind: str, problem: OptimalControlProblem, guess: GuessOptions, coarse: Solution | None
    ) -> Trajectory:
        """Return where a try starts: its kind says how."""
        request = self.request
        human = self.request.human
        if kind == BLENDED:
            return warm_library().start(human, problem, request.features)
        if kind == SAMPLED and self.begin is not None:
            return warm_step(human, problem, self.begin)
        if kind == EASIER:
            coarse = self._easier([phase.intervals for phase in problem.phases], guess)
        if coarse is not None:
            return coarse.trajectory.on_mesh(problem)
        if kind == NOISY:
            guess = replace(guess, angle_noise_rad=NOISE_RAD, duration_noise=NOISE_DURATION, seed=guess.seed + 2)
        return guessed_step(human, problem, request.pace_m_s, guess)

    def mesh_change(self, found: Solution, mesh: Sequence[int], guess: GuessOptions) -> float:
        """Return the relative change of cost on a finer mesh."""
        try:
            return self.solved(COARSE, _finer(mesh), guess, found)[1].cost / found.cost - 1.0
        except NotSolvedError as failure:  # what was solved must not be lost
            raise NotSolvedError(failure.status, f"{failure.worst} on a finer mesh", found) from failure

    def _easier(self, mesh: Sequence[int], guess: GuessOptions) -> Solution:
        """Return a gait half way to what is asked; if there is none, what is kept is still a try at what was asked."""
        search = _Search(self.request.halfway(), self.deadline_s, self.on_iteration)
        try:
            return search.solved(DRAWN, mesh, replace(guess, style=search.request.options.style))[1]
        except NotSolvedError as failure:
            raise NotSolvedError(failure.status, f"{failure.worst} half way to it", self.best) from failure


def usual_mesh(human: Robot, speed_m_s: float) -> tuple[int, ...]:
    """Return the numbers of intervals for a speed: more for slow steps, which last long, and for forceful ones."""
    gait = human_gait(human)
    ratio = speed_m_s / gait.speed_m_s.usual
    factor = ratio**FASTER if ratio > 1.0 else ratio**-SLOWER
    return tuple(int(np.ceil(factor * phase.intervals - 1e-9)) for phase in gait.phase)


def _finer(mesh: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(np.ceil(FINER * count)) for count in mesh)
