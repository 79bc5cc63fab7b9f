"""Direct collocation: transcribes an optimal control problem to a sparse NLP and solves it with IPOPT."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity, vstack

from strut.arrays import Array
from strut.errors import OutOfRangeError, StrutError
from strut.ocp.contact_dynamics import contact_jacobian, require_independent_rows
from strut.ocp.interior_point import OUT_OF_TIME, STOPPED, InteriorPoint, OnIteration, SolverOptions, SolverOutcome
from strut.ocp.layout import Layout
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.sparse_nlp import Element, SparseNLP
from strut.ocp.trajectory import Trajectory, trajectory_of, variables_of
from strut.ocp.transcription import definition_of, transcribe

TRUST_REGION = 1.0  # of the linear program of `shadow_prices` around the iterate; variables are scaled to about 1
MAX_SECONDS = 10.0  # of the linear program
MIN_SLACK = 1e-5  # with less slack the linear program counts as feasible


class NotSolvedError(StrutError):
    """The solver found no solution; names the most violated row and keeps the best iterate."""

    def __init__(self, status: str, worst: str, best: Solution | None, limit: str = "") -> None:
        super().__init__(status, worst, best, limit)
        self.status = status
        self.worst = worst
        self.best = best
        self.limit = limit

    @property
    def stopped(self) -> bool:
        """Whether the caller or the time limit stopped the solver."""
        return self.status in {STOPPED, OUT_OF_TIME}

    def __str__(self) -> str:
        blocked = f", up against the limit of {self.limit}" if self.limit else ""
        return f"No such movement was found ({self.status}); worst is {self.worst}{blocked}."


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A solved movement.

    Args:
        trajectory: At the nodes.
        cost: Total.
        costs: By term.
        violation: Largest violation of a scaled row or bound.
        worst: Name of the most violated row or bound, its place and size.
        converged: Whether the solver met its tolerances.
        status: Of the solver.
        iterations: Of the solver.
        setup_s: Time to write the program.
        solve_s: Time to solve it.
        variables: Of the program: an initial guess for others on the same mesh. Shape (n,).
        cost_before_refinement: None without shooting refinement.
    """

    trajectory: Trajectory
    cost: float
    costs: dict[str, float]
    violation: float
    worst: str
    converged: bool
    status: str
    iterations: int
    setup_s: float
    solve_s: float
    variables: Array
    cost_before_refinement: float | None = None


class DirectCollocation:
    """A problem as a sparse nonlinear program, which can be solved from several initial guesses."""

    def __init__(self, problem: OptimalControlProblem) -> None:
        start_s = perf_counter()
        problem.check_references()
        self.problem = problem
        self.layout = Layout(problem)
        self.elements = transcribe(self.layout)
        self.assembly = SparseNLP(self.elements, self.layout.size)
        self.setup_s = perf_counter() - start_s

    @property
    def size(self) -> tuple[int, int]:
        """Number of variables and of rows of the program."""
        return self.layout.size, self.assembly.row_count

    def solve(
        self,
        guess: Trajectory | Array,
        *,
        options: SolverOptions | None = None,
        on_iteration: OnIteration | None = None,
    ) -> Solution:
        """Solve from a trajectory with the same phases, or from variables; NotSolvedError keeps the best iterate."""
        options = options or SolverOptions()
        program = InteriorPoint(self.assembly, self.layout.lower, self.layout.upper, options)
        start = self.variables(guess)
        outcome = program.solve(self.with_lifts(start) if options.resumes else start, on_iteration=on_iteration)
        solution = self.solution(outcome, program)
        if solution.converged:
            return solution
        limit = "" if outcome.status in {STOPPED, OUT_OF_TIME} else self.blocking_limit(outcome.x)
        raise NotSolvedError(solution.status, solution.worst, solution, limit)

    def variables(self, guess: Trajectory | Array) -> Array:
        """Return the variables (n,) of a trajectory, resampled to the mesh; variables are returned as they are."""
        if not isinstance(guess, Trajectory):
            return guess
        if len(guess.duration_s) != len(self.problem.phases):
            raise OutOfRangeError(
                f"The guess has {len(guess.duration_s)} phases, the movement {len(self.problem.phases)}; "
                "give one with as many."
            )
        if len(guess.time_s) != self.layout.node_count:
            guess = guess.on_mesh(self.problem)
        for number, phase in enumerate(self.problem.phases):
            q = guess.q[guess.nodes_of(number)[0]]
            require_independent_rows(phase.contact, contact_jacobian(self.problem.tree, phase.contact, q))
        return variables_of(self.layout, guess)

    def with_lifts(self, x: Array) -> Array:
        """Return the variables with lifted quantities set by their linear definitions. Shape (n,)."""
        _, rows = self.assembly.functions["nlp"](x, self.assembly.data)
        moved = x.copy()
        for lift in self.problem.lifted_variables:
            moved[self.layout.lifted(lift.name)] -= rows.full().ravel()[self.rows_of(definition_of(lift))]
        return moved

    def solution(self, outcome: SolverOutcome, program: InteriorPoint) -> Solution:
        """Return the solution of a solver's outcome."""
        return Solution(
            trajectory=trajectory_of(self.layout, outcome.x),
            cost=outcome.cost,
            costs=self.costs(outcome.x),
            violation=program.violation(outcome.x, outcome.rows),
            worst=self.worst(outcome.x, outcome.rows),
            converged=outcome.converged,
            status=outcome.status.replace("_", " ").lower(),
            iterations=outcome.iterations,
            setup_s=self.setup_s,
            solve_s=outcome.solve_s,
            variables=outcome.x,
        )

    def costs(self, x: Array) -> dict[str, float]:
        """Return the cost term by term."""
        costs: dict[str, float] = {}
        for piece in self.elements:
            cost = self.assembly.cost_of(piece, x)
            if cost is not None:
                costs[piece.name] = costs.get(piece.name, 0.0) + cost  # impacts share a name
        return costs

    def rows_of(self, name: str) -> npt.NDArray[np.bool_]:
        """Return which rows of the program belong to the elements called `name`. Shape (m,)."""
        return np.concatenate([np.full(piece.lower.size, piece.name == name) for piece in self.elements])

    def worst(self, x: Array, rows: Array) -> str:
        """Return a description of the most violated row or bound: name, phase, node, and amount."""
        row_excess = np.maximum(np.maximum(self.assembly.lower - rows, rows - self.assembly.upper), 0.0)
        excess = np.maximum(np.maximum(self.layout.lower - x, x - self.layout.upper), 0.0)
        row = int(np.argmax(row_excess))
        variable = int(np.argmax(excess))
        if excess[variable] > row_excess[row]:
            return f"{self.layout.variable_name(variable)}, beyond its bound by {excess[variable]:.2g} of its scale"
        piece, inner, place = self._row(row)
        amount = f"{row_excess[row] * piece.row_sizes[inner]:.2g} {piece.row_units[inner]}".rstrip()
        return f"{piece.words(inner, place)}, off by {amount}"

    def blocking_limit(self, x: Array) -> str:
        """Return a description of the limit that blocks the most violated row; empty if none was found."""
        rows, slope = self.assembly.linear(x)
        bounds = (self.layout.lower, self.layout.upper)
        found = shadow_prices(x, bounds, rows, slope, (self.assembly.lower, self.assembly.upper))
        if found is None:
            return ""
        variable, row = (int(np.argmax(price)) for price in found)
        if max(found[0][variable], found[1][row]) <= 0.0:
            return ""
        if found[0][variable] >= found[1][row]:
            return self.layout.variable_name(variable)
        piece, inner, place = self._row(row)
        return piece.words(inner, place)

    def _row(self, row: int) -> tuple[Element, int, int]:
        """Return the element of a row of the program, which of its rows that is, and at which of its places."""
        number = int(np.searchsorted(self.assembly.row_start, row, side="right")) - 1
        piece = self.elements[number]
        place, inner = divmod(row - int(self.assembly.row_start[number]), piece.lower.shape[1])
        return piece, inner, place


def shadow_prices(
    x: Array, bounds: tuple[Array, Array], rows: Array, slope: csr_matrix, row_bounds: tuple[Array, Array]
) -> tuple[Array, Array] | None:
    """Return how much slack one unit more of each bound of a variable (n,) or row (m,) would save.

    The program is linearised at the best iterate, and the slack of its rows is minimised. The limits with the highest
    price block the violated rows. None if the linear program is feasible nearby, or takes too long. Equations have no
    price.

    Args:
        x: The best iterate. Shape (n,).
        bounds: Of the variables. Shapes (n,), (n,).
        rows: Their values there. Shape (m,).
        slope: Their derivatives. Shape (m, n).
        row_bounds: Shapes (m,), (m,).
    """
    lower, upper = row_bounds
    above = np.flatnonzero(np.isfinite(upper))
    below = np.flatnonzero(np.isfinite(lower))
    room = np.concatenate([(upper - rows)[above], (rows - lower)[below]])
    down = np.clip(bounds[0] - x, -TRUST_REGION, 0.0)
    up = np.clip(bounds[1] - x, 0.0, TRUST_REGION)
    found = linprog(
        np.concatenate([np.zeros(len(x)), np.ones(len(room))]),
        A_ub=hstack([vstack([slope[above], -slope[below]]), -identity(len(room))], format="csc"),
        b_ub=room,
        bounds=np.column_stack([np.append(down, np.zeros(len(room))), np.append(up, np.full(len(room), np.inf))]),
        method="highs-ipm",  # with a crossover to a vertex: a seventh of the time of the simplex method
        options={"time_limit": MAX_SECONDS},
    )
    if found.status != 0 or found.fun < MIN_SLACK:
        return None
    row_price = np.zeros(len(rows))
    np.add.at(row_price, np.concatenate([above, below]), -found.ineqlin.marginals)
    at_bound = [found.lower.marginals[: len(x)], -found.upper.marginals[: len(x)]]
    price = np.where(down > -TRUST_REGION, at_bound[0], 0.0) + np.where(up < TRUST_REGION, at_bound[1], 0.0)
    return np.where(bounds[0] < bounds[1], price, 0.0), np.where(lower < upper, row_price, 0.0)
