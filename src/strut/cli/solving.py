"""Solving: what people see while a solver works, and the Ctrl-C that stops it without losing what it has."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event

from rich.progress import Progress

from strut.cancellation import asked_to_stop
from strut.cli.interruption import say_stopping
from strut.cli.screen import now_and_then, progress
from strut.engines.interior_point import Iteration, OnIteration


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


@contextmanager
def solver_on_screen(words: str) -> Iterator[tuple[OnIteration, Event]]:
    """Show a solver's progress; give what tells it, and the event that the first Ctrl-C sets."""
    with progress(words) as bar, asked_to_stop(say_stopping) as stop:
        yield tells(bar, stop), stop
