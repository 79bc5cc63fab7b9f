"""Interior point: IPOPT solves an assembled program from an initial guess, reports progress, keeps the best iterate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from time import perf_counter, process_time
from typing import Any

import casadi as ca
import numpy as np

from strut.arrays import Array
from strut.ocp.sparse_nlp import SparseNLP
from strut.plumbing.cancellation import stop_on_interrupt

NEAR_BARRIER = 1e-3  # initial barrier for a guess near a solution, such as a recorded movement
SOLVED_BARRIER = 1e-5  # initial barrier for the solution of nearly the same problem
BOUND_PUSH = 1e-3  # of solutions of other problems off their bounds; a tenth of the barrier took twice the iterations


@dataclass(frozen=True, slots=True)
class Iteration:
    """State of a solver: number of the iteration, cost, and largest violation of a row or bound (scaled).

    `solve` names the solve where there are several.
    """

    number: int
    cost: float
    violation: float
    solve: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SolverOutcome:
    """Result of a solver: variables (n,), cost and rows (m,) at them, and whether it met its tolerances.

    Multipliers of bounds (n,) and rows (m,) are of the last iterate: negative at lower limits, positive at upper ones.
    """

    x: Array
    cost: float
    rows: Array
    converged: bool
    status: str
    iterations: int
    solve_s: float
    bound_multiplier: Array
    row_multiplier: Array


@dataclass(frozen=True, slots=True)
class SolverOptions:
    """How to solve, and when to give up.

    Args:
        tolerance: Of the optimality conditions.
        row_tolerance: Of scaled rows.
        max_iterations: Limit of the iterations.
        max_seconds: Limit of this process's processor time.
        initial_barrier: For a guess that nearly is a solution, `NEAR_BARRIER` or `SOLVED_BARRIER`; with a larger one
            the solver would leave the guess. 0 for IPOPT's own.
        bound_push: How far such a guess is moved off its bounds and limits; 0 for a tenth of the barrier. More is
            better where other limits may be active than at the guess.
        adaptive_barrier: Choose the barrier anew at every iteration, which converges sooner from a poor guess.
    """

    tolerance: float = 1e-4
    row_tolerance: float = 1e-7
    max_iterations: int = 400
    max_seconds: float = 300.0
    initial_barrier: float = 0.0
    bound_push: float = 0.0
    adaptive_barrier: bool = False

    @property
    def resumes(self) -> bool:
        """Whether the guess solves nearly the same problem, so that multipliers can be computed from it."""
        return 0.0 < self.initial_barrier <= SOLVED_BARRIER


STOPPED = "stopped by the caller"
OUT_OF_TIME = "out of time"
OnIteration = Callable[[Iteration], bool | None]


class _Monitor(ca.Callback):
    """Keep the best iterate, and stop the solver on request of the caller or when time is up."""

    def __init__(
        self, program: InteriorPoint, on_iteration: OnIteration | None, deadline_s: float, interrupted: Event
    ) -> None:
        ca.Callback.__init__(self)
        self.program = program
        self.on_iteration = on_iteration
        self.deadline_s = deadline_s
        self.interrupted = interrupted
        self.number = 0
        self.best = (np.inf, np.inf)
        self.stopped = ""
        self.best_x: Array | None = None
        self.construct("monitor", {})

    def get_n_in(self) -> int:
        return int(ca.nlpsol_n_out())

    def get_n_out(self) -> int:
        return 1

    def get_name_in(self, index: int) -> str:
        return str(ca.nlpsol_out(index))

    def get_name_out(self, _index: int) -> str:
        return "stop"

    def get_sparsity_in(self, index: int) -> Any:
        name = ca.nlpsol_out(index)
        size = {"f": 1, "x": self.program.size, "lam_x": self.program.size, "lam_p": self.program.data_size}
        return ca.Sparsity.dense(size.get(name, self.program.row_count), 1)

    def eval(self, values: Any) -> list[Any]:
        iterate = dict(zip(ca.nlpsol_out(), values, strict=True))
        x = iterate["x"].full().ravel()
        cost = float(iterate["f"])
        violation = self.program.violation(x, iterate["g"].full().ravel())
        rank = (max(violation, self.program.options.row_tolerance * 10.0), cost)
        if rank < self.best:
            self.best_x = x
            self.best = rank
        requested = self.on_iteration is not None and self.on_iteration(Iteration(self.number, cost, violation))
        stop = bool(requested) or self.interrupted.is_set()
        self.stopped = STOPPED if stop else self.stopped
        if process_time() > self.deadline_s:
            stop = True
            self.stopped = OUT_OF_TIME
        self.number += 1
        return [float(stop)]


class InteriorPoint:
    """A program that can be solved repeatedly from different initial guesses."""

    def __init__(self, assembly: SparseNLP, lower: Array, upper: Array, options: SolverOptions) -> None:
        self.assembly = assembly
        self.lower = lower
        self.upper = upper
        self.options = options
        self.size = assembly.size
        self.row_count = assembly.row_count
        self.data_size = len(assembly.data)

    def violation(self, x: Array, rows: Array) -> float:
        """Return the largest violation of any row or bound."""
        return max(_excess(x, self.lower, self.upper), _excess(rows, self.assembly.lower, self.assembly.upper), 0.0)

    def solve(self, guess: Array, *, on_iteration: OnIteration | None = None) -> SolverOutcome:
        """Solve from an initial guess; `on_iteration` returning True, or Ctrl-C, stops and keeps the best iterate."""
        start_s = perf_counter()
        functions = self.assembly.functions
        with stop_on_interrupt() as interrupted:
            monitor = _Monitor(self, on_iteration, process_time() + self.options.max_seconds, interrupted)
            exact = {name: functions[name] for name in ("grad_f", "jac_g", "hess_lag")}
            settings = _settings(self.options) | exact | {"iteration_callback": monitor}
            solver = ca.nlpsol("solver", "ipopt", functions["nlp"], settings)
            result = solver(
                x0=np.clip(guess, self.lower, self.upper),
                p=self.assembly.data,
                lbx=self.lower,
                ubx=self.upper,
                lbg=self.assembly.lower,
                ubg=self.assembly.upper,
            )
        stats = solver.stats()
        x = result["x"].full().ravel()
        status = str(stats["return_status"])
        if not stats["success"] and monitor.best_x is not None:
            x = monitor.best_x
            status = STOPPED if monitor.interrupted.is_set() else monitor.stopped or status
        cost, rows = (value.full().ravel() for value in functions["nlp"](x, self.assembly.data))
        return SolverOutcome(
            x=x,
            cost=float(cost[0]),
            rows=rows,
            converged=bool(stats["success"]),
            status=status,
            iterations=int(stats["iter_count"]),
            solve_s=perf_counter() - start_s,
            bound_multiplier=result["lam_x"].full().ravel(),
            row_multiplier=result["lam_g"].full().ravel(),
        )


def _excess(values: Array, lower: Array, upper: Array) -> float:
    return float(max(np.max(lower - values, initial=0.0), np.max(values - upper, initial=0.0)))


def _settings(options: SolverOptions) -> dict[str, Any]:
    settings: dict[str, Any] = {
        "print_time": False,
        "calc_lam_p": False,
        "calc_f": False,
        "calc_g": False,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.tol": options.tolerance,
        "ipopt.constr_viol_tol": options.row_tolerance,
        "ipopt.acceptable_iter": 0,
        "ipopt.max_iter": options.max_iterations,
        "ipopt.linear_solver": "mumps",
        "ipopt.mumps_pivot_order": 5,  # METIS: the default ordering has more than twice the fill-in
        "ipopt.mu_strategy": "adaptive" if options.adaptive_barrier else "monotone",
        "ipopt.nlp_scaling_method": "none",  # everything is scaled to about 1 already
    }
    if options.initial_barrier:
        pushes = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac")
        push = options.bound_push or 0.1 * options.initial_barrier
        settings |= {"ipopt.mu_init": options.initial_barrier} | {f"ipopt.{name}": push for name in pushes}
    if options.resumes:
        settings["ipopt.bound_mult_init_method"] = "mu-based"
    return settings
