"""Solving: progress of a solver on the screen, and Ctrl-C, which stops it and keeps its best iterate."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from strut.cli.screen import print_lines, progress, say_stopping
from strut.cli.waiting import Waiting
from strut.errors import StoppedError
from strut.human.gait import Gait
from strut.human.transitions.composed_walk import ComposedWalk
from strut.ocp.collocation import NotSolvedError, Solution
from strut.ocp.interior_point import Iteration, OnIteration
from strut.plumbing.cancellation import stop_on_interrupt

ALREADY_SOLVED = "The solver had finished before Ctrl-C; this is the finished result."
NOTHING_YET = "Interrupted before the first iteration; nothing was written."
NOTHING_WRITTEN = "Interrupted; not all pieces of the walk were solved, so nothing was written."


def iteration_display(waiting: Waiting, stop: Event | None = None) -> OnIteration:
    """Return a solver callback that shows each iteration, and stops the solver once the event is set."""

    def show(iteration: Iteration) -> bool:
        label = f"{iteration.solve}, " if iteration.solve else ""
        waiting(f"{label}iteration {iteration.number}: cost {iteration.cost:.4f}, violation {iteration.violation:.1e}")
        return stop is not None and stop.is_set()

    return show


def solve_with_progress(solve: Callable[[OnIteration], ComposedWalk]) -> ComposedWalk:
    """Return the result of a solver with its progress on the screen; raises StoppedError after Ctrl-C."""
    with progress("builds the problem") as waiting, stop_on_interrupt(say_stopping) as stop:
        try:
            return solve(iteration_display(waiting, stop))
        except NotSolvedError as failure:
            if stop.is_set():
                raise StoppedError(NOTHING_WRITTEN) from failure
            raise


def solved_or_best(
    solve: Callable[[OnIteration], Gait], unfinished: Callable[[Solution], Gait], *, keep_best: bool = False
) -> tuple[Gait, bool]:
    """Return the result of a solver, or its best iterate after Ctrl-C; and whether it was stopped.

    With `keep_best` also the best iterate of a solver that failed or ran out of time.
    """
    with progress("builds the problem") as waiting, stop_on_interrupt(say_stopping) as stop:
        try:
            gait = solve(iteration_display(waiting, stop))
        except NotSolvedError as failure:
            if failure.best is None and stop.is_set():
                raise StoppedError(NOTHING_YET) from failure
            if failure.best is None or not (stop.is_set() or keep_best):
                raise
            return unfinished(failure.best), stop.is_set()
    if stop.is_set():
        print_lines(ALREADY_SOLVED)
    return gait, False
