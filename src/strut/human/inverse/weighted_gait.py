"""Weighted gait: the gait problem of a person at a speed, solved for any weights of its criteria."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.human.inverse.recorded_steps import SHARES
from strut.human.problem.criteria import NATURAL, named_criteria
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.gait_problem import gait_problem
from strut.human.synthesis.initial_guess import GuessOptions, guessed_step
from strut.human.synthesis.synthesize import usual_mesh
from strut.human.synthesis.warm_library import features, warm_library
from strut.models.subject import with_even_sides
from strut.ocp.collocation import DirectCollocation, NotSolvedError
from strut.ocp.cost_weights import cost_gradients, reweighted, solution_sensitivities
from strut.ocp.interior_point import (
    OFF_BOUNDS,
    SOLVED,
    InteriorPoint,
    OnIteration,
    SolverOptions,
    SolverOutcome,
)
from strut.ocp.trajectory import trajectory_of
from strut.robot import Robot

TIME = "time"  # a criterion that usually has no weight, and may have one in a walk to be explained
NUDGE = 1e-3  # of a parameter, for differences along a direction that is known


@dataclass(frozen=True, slots=True, eq=False)
class SolvedWeights:
    """Parameters of weights (k,), and the program with these weights and its solution."""

    parameters: Array
    program: DirectCollocation
    outcome: SolverOutcome


class WeightedGait:
    """A gait problem whose weights are parameters: logarithms of factors on the usual weights, 0 for the usual gait.

    A criterion without a usual weight has its weight itself as parameter.
    """

    def __init__(
        self,
        robot: Robot,
        speed_m_s: float,
        *,
        intervals: Sequence[int] | None = None,
        on_iteration: OnIteration | None = None,
    ) -> None:
        self.robot = with_even_sides(robot)
        self.speed_m_s = speed_m_s
        self.on_iteration = on_iteration
        robot = self.robot
        usual = named_criteria(robot, NATURAL)
        options = named_gait_options(robot, [HUMAN])
        counted = replace(usual, time=usual.time or 1.0)
        mesh = intervals or usual_mesh(robot, speed_m_s)
        problem = gait_problem(robot, counted, speed_m_s=speed_m_s, intervals=mesh, options=options)
        weight = {cost.name: cost.weight for cost in problem.costs if cost.weight > 0.0}
        self.program = DirectCollocation(problem)
        self.names = tuple(weight)
        self.weight = np.array([*weight.values()])
        self.idle = np.array([name == TIME and usual.time == 0.0 for name in weight])

    @property
    def usual(self) -> Array:
        """Parameters of the usual weights. Shape (k,)."""
        return np.zeros(len(self.names))

    def factors(self, parameters: Array) -> Array:
        """Return factors on the weights of the program. Shape (k,) in and out."""
        return np.where(self.idle, parameters, np.exp(np.where(self.idle, 0.0, parameters)))

    def solved(self, parameters: Array, start: SolvedWeights | None = None) -> SolvedWeights:
        """Return the gait that weights make, from a gait like it if there is one; NotSolvedError if none is found."""
        factors = dict(zip(self.names, self.factors(parameters).tolist(), strict=True))
        program = reweighted(self.program, factors)
        x, warm = self._guess(program) if start is None else (start.outcome.x, SOLVED)
        options = SolverOptions(warm=warm, push=OFF_BOUNDS, adaptive=not warm)
        solver = InteriorPoint(program.assembly, program.layout.lower, program.layout.upper, options)
        outcome = solver.solve(x, on_iteration=self.on_iteration)
        if not outcome.converged:
            best = program.solution(outcome, solver)
            raise NotSolvedError(best.status, best.worst, best)
        return SolvedWeights(parameters, program, outcome)

    def _guess(self, program: DirectCollocation) -> tuple[Array, float]:
        """Return variables (n,) near solved gaits with their barrier, or of a guessed step where none is like it."""
        style = self.robot.expression.neutral_style()
        asked = features(self.robot, self.speed_m_s, style)
        library = warm_library()
        if library.reaches(asked):
            return program.with_lifts(program.variables(library.start(self.robot, program.problem, asked))), SOLVED
        drawn = guessed_step(self.robot, program.problem, self.speed_m_s, GuessOptions(style=style))
        return program.variables(drawn), 0.0

    def step(self, x: Array) -> tuple[Array, float]:
        """Return coordinates at shares of the step (SAMPLES, nq) and its length, of the program's variables (n,)."""
        path = trajectory_of(self.program.layout, x)
        return path.at(SHARES * path.time_s[-1])[0], float(path.q[-1, 0] - path.q[0, 0])

    def sensitivities(self, solved: SolvedWeights) -> tuple[Array, Array]:
        """Return how coordinates (SAMPLES, nq, k) and the length of the step (k,) change with the parameters."""
        x = solved.outcome.x
        chain = np.where(self.idle, 1.0, self.factors(solved.parameters))
        shifts = solution_sensitivities(
            solved.program, solved.outcome, cost_gradients(self.program, self.names, x) * chain
        )
        ahead, behind = ([self.step(x + sign * NUDGE * shift) for shift in shifts.T] for sign in (1.0, -1.0))
        pairs = list(zip(ahead, behind, strict=True))
        q = np.stack([(one[0] - other[0]) / (2.0 * NUDGE) for one, other in pairs], axis=2)
        return q, np.array([(one[1] - other[1]) / (2.0 * NUDGE) for one, other in pairs])

    def costs(self, solved: SolvedWeights) -> Array:
        """Return what each criterion costs. Shape (k,)."""
        return self.costs_per_factor(solved) * self.factors(solved.parameters)

    def costs_per_factor(self, solved: SolvedWeights) -> Array:
        """Return what each criterion would cost with the program's own weights. Shape (k,)."""
        found = self.program.costs(solved.outcome.x)
        return np.array([found[name] for name in self.names])
