"""IPOPT as a solver for assembled programs: bounds and a guess in, the best iterate out, progress on the way."""

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

NEAR = 1e-3
SOLVED = 1e-5  # barriers: for a movement that is followed, for the solution of nearly the same problem
OFF_BOUNDS = 1e-3  # push for solutions of other problems: with that of the barrier they took twice the iterations


@dataclass(frozen=True, slots=True)
class Iteration:
    """Where a solver stands: which iteration, the cost, and the largest violation of a row or bound (scaled).

    `solve` says which one it is, in words, where there are several.
    """

    number: int
    cost: float
    violation: float
    solve: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class SolverOutcome:
    """What a solver returned: variables (n,), cost and rows (m,) there, and whether it met its tolerances.

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
    """How to solve: tolerances of the optimality conditions and of scaled rows, and when to give up.

    Only processor time of this program counts. `warm`: the barrier to start with where the guess nearly is a solution,
    `NEAR` or `SOLVED`; with a larger one the solver would leave it; 0 for the solver's own. `push`: how far such a
    guess is moved off bounds and limits; a tenth of the barrier if 0, more where other limits may bind than in the
    guess. `adaptive`: choose the barrier anew at every iteration, which finds feet on the ground sooner from a poor
    guess.
    """

    tolerance: float = 1e-4
    row_tolerance: float = 1e-7
    most_iterations: int = 400
    most_seconds: float = 300.0
    warm: float = 0.0
    push: float = 0.0
    adaptive: bool = False

    @property
    def resumes(self) -> bool:
        """Whether the guess solves nearly the same problem, so that multipliers follow from it."""
        return 0.0 < self.warm <= SOLVED


STOPPED = "stopped by the caller"
OUT_OF_TIME = "out of time"
OnIteration = Callable[[Iteration], bool | None]


class _Watch(ca.Callback):
    """Sees every iterate, keeps the best, and stops the solver when it is told to or when time is up."""

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
        self.construct("watch", {})

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
        found = dict(zip(ca.nlpsol_out(), values, strict=True))
        x = found["x"].full().ravel()
        cost = float(found["f"])
        violation = self.program.violation(x, found["g"].full().ravel())
        rank = (max(violation, self.program.options.row_tolerance * 10.0), cost)
        if rank < self.best:
            self.best_x = x
            self.best = rank
        told = self.on_iteration is not None and self.on_iteration(Iteration(self.number, cost, violation))
        stop = bool(told) or self.interrupted.is_set()
        self.stopped = STOPPED if stop else self.stopped
        if process_time() > self.deadline_s:
            stop = True
            self.stopped = OUT_OF_TIME
        self.number += 1
        return [float(stop)]


class InteriorPoint:
    """A program ready to be solved, again and again from different guesses."""

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
        return max(_beyond(x, self.lower, self.upper), _beyond(rows, self.assembly.lower, self.assembly.upper), 0.0)

    def solve(self, guess: Array, *, on_iteration: OnIteration | None = None) -> SolverOutcome:
        """Solve from a guess. `on_iteration` may return True to stop, and so may Ctrl-C; the best iterate is kept."""
        start_s = perf_counter()
        functions = self.assembly.functions
        with stop_on_interrupt() as interrupted:
            watch = _Watch(self, on_iteration, process_time() + self.options.most_seconds, interrupted)
            exact = {name: functions[name] for name in ("grad_f", "jac_g", "hess_lag")}
            settings = _settings(self.options) | exact | {"iteration_callback": watch}
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
        if not stats["success"] and watch.best_x is not None:
            x = watch.best_x
            status = STOPPED if watch.interrupted.is_set() else watch.stopped or status
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


def _beyond(values: Array, lower: Array, upper: Array) -> float:
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
        "ipopt.max_iter": options.most_iterations,
        "ipopt.linear_solver": "mumps",
        "ipopt.mumps_pivot_order": 5,  # METIS: the default ordering fills in more than twice as much
        "ipopt.mu_strategy": "adaptive" if options.adaptive else "monotone",
        "ipopt.nlp_scaling_method": "none",  # everything is scaled to about 1 already
    }
    if options.warm:
        pushes = ("bound_push", "bound_frac", "slack_bound_push", "slack_bound_frac")
        push = options.push or 0.1 * options.warm
        settings |= {"ipopt.mu_init": options.warm} | {f"ipopt.{name}": push for name in pushes}
    if options.resumes:
        settings["ipopt.bound_mult_init_method"] = "mu-based"
    return settings
