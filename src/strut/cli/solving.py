"""Solving: what people see while a solver works, and the Ctrl-C that stops it without losing what it has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from time import monotonic

from rich.progress import Progress

from strut.cli.interruption import STOPPING_WORDS
from strut.cli.screen import people, print_lines, progress
from strut.engines.interruption import asked_to_stop
from strut.engines.nonlinear_program import Iteration, OnIteration

EVERY_S = 5.0  # between lines in a log file, where no bar can move


def tells(bar: Progress, stop: Event | None = None) -> OnIteration:
    """Return what tells a solver's iterations to people, and tells the solver to stop once the event is set."""
    started_s = told_s = monotonic()

    def tell(iteration: Iteration) -> bool:
        nonlocal told_s
        words = f"iteration {iteration.number}: cost {iteration.cost:.4f}, violation {iteration.violation:.1e}"
        bar.update(bar.task_ids[0], description=words)
        now_s = monotonic()
        if not people.is_terminal and now_s - told_s >= EVERY_S:
            print_lines(f"{words}, {now_s - started_s:.0f} s")
            told_s = now_s
        return stop is not None and stop.is_set()

    return tell


@contextmanager
def solver_on_screen(words: str) -> Iterator[tuple[OnIteration, Event]]:
    """Show a solver's progress; give what tells it, and the event that the first Ctrl-C sets."""
    with progress(words) as bar, asked_to_stop(STOPPING_WORDS) as stop:
        yield tells(bar, stop), stop
