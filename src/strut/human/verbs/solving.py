"""Solving: what people see while a solver works, and the Ctrl-C that stops it without losing what it has."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

from rich.progress import Progress

from strut.cli.screen import now_and_then, print_lines, progress, say_stopping
from strut.errors import StoppedError
from strut.human.gait import Gait
from strut.human.transitions.composed_walk import ComposedWalk
from strut.ocp.collocation import NotSolvedError, Solution
from strut.ocp.interior_point import Iteration, OnIteration
from strut.plumbing.cancellation import stop_on_interrupt

SOLVED_WORDS = "It was solved already when you pressed Ctrl-C; this is the finished one."
NOTHING_YET = "Interrupted before the first iteration; nothing was written."
NOTHING_WRITTEN = "Interrupted; a walk whose pieces are not all solved does not join, so nothing was written."


def tells(bar: Progress, stop: Event | None = None) -> OnIteration:
    """Return what tells a solver's iterations to people, and tells the solver to stop once the event is set."""
    log = now_and_then()

    def tell(iteration: Iteration) -> bool:
        which = f"{iteration.solve}, " if iteration.solve else ""
        words = f"{which}iteration {iteration.number}: cost {iteration.cost:.4f}, violation {iteration.violation:.1e}"
        bar.update(bar.task_ids[0], description=words)
        log(words)
        return stop is not None and stop.is_set()

    return tell


def watched(solve: Callable[[OnIteration], ComposedWalk]) -> ComposedWalk:
    """Return what a solver finds while people watch; Ctrl-C stops it, and then there is nothing."""
    with progress("writes the problem down") as bar, stop_on_interrupt(say_stopping) as stop:
        try:
            return solve(tells(bar, stop))
        except NotSolvedError as failure:
            if stop.is_set():
                raise StoppedError(NOTHING_WRITTEN) from failure
            raise


def solved_or_best(
    solve: Callable[[OnIteration], Gait], unfinished: Callable[[Solution], Gait], *, keep_best: bool = False
) -> tuple[Gait, bool]:
    """Return what a solver finds while people watch, or its best iterate after Ctrl-C; and whether it was stopped.

    With `keep_best`, the best iterate too of a solver that found nothing or ran out of time.
    """
    with progress("writes the problem down") as bar, stop_on_interrupt(say_stopping) as stop:
        try:
            found = solve(tells(bar, stop))
        except NotSolvedError as failure:
            if failure.best is None and stop.is_set():
                raise StoppedError(NOTHING_YET) from failure
            if failure.best is None or not (stop.is_set() or keep_best):
                raise
            return unfinished(failure.best), stop.is_set()
    if stop.is_set():
        print_lines(SOLVED_WORDS)
    return found, False
