"""Weighted gait: the gait problem of a subject at a speed, solved for any weights of its criteria."""

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
from strut.ocp.cost_weights import cost_gradients, reweight, solution_sensitivities
from strut.ocp.interior_point import (
    BOUND_PUSH,
    SOLVED_BARRIER,
    InteriorPoint,
    OnIteration,
    SolverOptions,
    SolverOutcome,
)
from strut.ocp.trajectory import trajectory_of
from strut.robot import Robot

TIME = "time"  # criterion whose usual weight is 0; a recorded walk may have one
PARAMETER_STEP = 1e-3  # of the central differences along the sensitivities of the solution


@dataclass(frozen=True, slots=True, eq=False)
class WeightedSolution:
    """Parameters of the weights (k,), the program with these weights, and its solution."""

    parameters: Array
    program: DirectCollocation
    outcome: SolverOutcome


class WeightedGait:
    """A gait problem with k weights as parameters: logarithms of factors on the usual weights, 0 for the usual gait.

    `is_linear` (k,) marks criteria whose usual weight is 0: their parameter is the weight itself.
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
        with_time = replace(usual, time=usual.time or 1.0)
        mesh = intervals or usual_mesh(robot, speed_m_s)
        problem = gait_problem(robot, with_time, speed_m_s=speed_m_s, intervals=mesh, options=options)
        weight = {cost.name: cost.weight for cost in problem.costs if cost.weight > 0.0}
        self.program = DirectCollocation(problem)
        self.names = tuple(weight)
        self.weight = np.array([*weight.values()])
        self.is_linear = np.array([name == TIME and usual.time == 0.0 for name in weight])

    @property
    def usual(self) -> Array:
        """Parameters of the usual weights. Shape (k,)."""
        return np.zeros(len(self.names))

    def factors(self, parameters: Array) -> Array:
        """Return factors on the weights of the program. Shape (k,) in and out."""
        return np.where(self.is_linear, parameters, np.exp(np.where(self.is_linear, 0.0, parameters)))

    def solve(self, parameters: Array, start: WeightedSolution | None = None) -> WeightedSolution:
        """Return the optimal gait of the weights; raises NotSolvedError.

        Args:
            parameters: Of the weights. Shape (k,).
            start: Solution of similar weights as the initial guess; the library of solved gaits if None.
        """
        factors = dict(zip(self.names, self.factors(parameters).tolist(), strict=True))
        program = reweight(self.program, factors)
        x, warm = self.initial_guess(program) if start is None else (start.outcome.x, SOLVED_BARRIER)
        options = SolverOptions(initial_barrier=warm, bound_push=BOUND_PUSH, adaptive_barrier=not warm)
        solver = InteriorPoint(program.assembly, program.layout.lower, program.layout.upper, options)
        outcome = solver.solve(x, on_iteration=self.on_iteration)
        if not outcome.converged:
            best = program.solution(outcome, solver)
            raise NotSolvedError(best.status, best.worst, best)
        return WeightedSolution(parameters, program, outcome)

    def initial_guess(self, program: DirectCollocation) -> tuple[Array, float]:
        """Return variables (n,) and warm-start barrier: a blend of solved gaits, or key poses if none is near."""
        style = self.robot.expression.neutral_style()
        wanted = features(self.robot, self.speed_m_s, style)
        library = warm_library()
        if library.reaches(wanted):
            blend = library.initial_guess(self.robot, program.problem, wanted)
            return program.with_lifts(program.variables(blend)), SOLVED_BARRIER
        key_poses = guessed_step(self.robot, program.problem, self.speed_m_s, GuessOptions(style=style))
        return program.variables(key_poses), 0.0

    def step(self, x: Array) -> tuple[Array, float]:
        """Return coordinates at shares of the step (SAMPLES, nq) and the step length [m], from variables (n,)."""
        path = trajectory_of(self.program.layout, x)
        return path.at(SHARES * path.time_s[-1])[0], float(path.q[-1, 0] - path.q[0, 0])

    def sensitivities(self, solved: WeightedSolution) -> tuple[Array, Array]:
        """Return the derivatives of coordinates (SAMPLES, nq, k) and step length (k,) by the parameters."""
        x = solved.outcome.x
        chain = np.where(self.is_linear, 1.0, self.factors(solved.parameters))
        shifts = solution_sensitivities(
            solved.program, solved.outcome, cost_gradients(self.program, self.names, x) * chain
        )
        q_slopes = []
        length_slopes = []
        for shift in shifts.T:
            q_ahead, length_ahead = self.step(x + PARAMETER_STEP * shift)
            q_behind, length_behind = self.step(x - PARAMETER_STEP * shift)
            q_slopes.append((q_ahead - q_behind) / (2.0 * PARAMETER_STEP))
            length_slopes.append((length_ahead - length_behind) / (2.0 * PARAMETER_STEP))
        return np.stack(q_slopes, axis=2), np.array(length_slopes)

    def costs(self, solved: WeightedSolution) -> Array:
        """Return the cost of each criterion. Shape (k,)."""
        return self.costs_per_factor(solved) * self.factors(solved.parameters)

    def costs_per_factor(self, solved: WeightedSolution) -> Array:
        """Return the cost of each criterion with the weights of the program. Shape (k,)."""
        costs = self.program.costs(solved.outcome.x)
        return np.array([costs[name] for name in self.names])
