"""Waiting: what a command is doing and how long it still takes, as a bar in a terminal and as lines in a log file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text

EVERY_S = 5.0  # between lines in a log file
SURE_AFTER_S = 2.0  # the first steps of a task load what the others need, so their pace says nothing about the rest
_MINUTE_S = 60.0


class Waiting:
    """One task that takes a while; calling it says what is being done, and how much of it is done.

    Args:
        words: What is done first.
        bar: Bar that shows it; None in a log file.

    Example:
        >>> with progress("draws") as waiting:
        ...     waiting("draws picture 3 of 160", 3, 160)
    """

    def __init__(self, words: str, bar: Progress | None = None) -> None:
        self.words = words
        self.share = 0.0  # done, 0 to 1; 0 as long as it is unknown
        self._bar = bar
        self._task = None if bar is None else bar.add_task(words, total=None)

    def __call__(self, words: str, done: float = 0.0, total: float = 0.0) -> None:
        """Say what is being done now, and that `done` of `total` are finished; a total of 0 is unknown."""
        self.words = words
        self.share = min(1.0, done / total) if total else 0.0
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, description=words, completed=self.share, total=1.0 if self.share else None)


class TimeColumn(ProgressColumn):
    """The time that a task has taken and still takes."""

    def render(self, task: Task) -> Text:
        """Return the text of this moment."""
        return Text(format_time(task.elapsed or 0.0, task.completed))


def format_time(spent_s: float, share: float) -> str:
    """Return how long a task has taken, and about how long the rest takes if the share done is known."""
    if not 0.0 < share < 1.0 or spent_s < SURE_AFTER_S:
        return format_wait(spent_s)
    return f"{format_wait(spent_s)}, about {format_wait(spent_s / share - spent_s)} left"


def format_wait(seconds: float) -> str:
    """Return a time to wait as people say it: `36 s`, or `2 min 05 s`."""
    minutes, rest_s = divmod(round(seconds), _MINUTE_S)
    return f"{minutes:.0f} min {rest_s:02.0f} s" if minutes else f"{rest_s:.0f} s"


class _Quiet:
    """Whether this process reports no progress, as `--quiet` asks."""

    is_on = False


@contextmanager
def without_progress() -> Iterator[None]:
    """Show no progress inside."""
    was_on = _Quiet.is_on
    _Quiet.is_on = True
    try:
        yield
    finally:
        _Quiet.is_on = was_on


@contextmanager
def waiting_on(console: Console, words: str) -> Iterator[Waiting]:
    """Show how a task advances: a bar that disappears in a terminal, elsewhere a line every few seconds."""
    if _Quiet.is_on:
        yield Waiting(words)
    elif console.is_terminal:
        columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), TimeColumn())
        with Progress(*columns, console=console, transient=True) as bar:
            yield Waiting(words, bar)
    else:
        waiting = Waiting(words)
        with _lines(console, waiting):
            yield waiting


@contextmanager
def _lines(console: Console, waiting: Waiting) -> Iterator[None]:
    """Print a line every few seconds, also while a step takes longer."""
    started_s = monotonic()
    over = Event()

    def print_now_and_then() -> None:
        while not over.wait(EVERY_S):
            line = f"{waiting.words}, {format_time(monotonic() - started_s, waiting.share)}"
            try:
                console.print(line, markup=False, soft_wrap=True)
            except OSError:  # the reader of the log is gone, which is no reason to stop working
                return

    thread = Thread(target=print_now_and_then, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
