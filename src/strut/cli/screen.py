"""Screen: text for people goes to stderr, JSON and tables for programs go to stdout."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from strut.cli.streams import complain
from strut.draft import OnProgress
from strut.draft import Progress as Step
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable
from strut.plumbing.cancellation import stop_on_interrupt
from strut.receipt import Receipt
from strut.viewer.receipt_text import headline, receipt_sentences


class _Screen(Console):
    """A console that raises BrokenPipeError when its reader is gone, instead of ending the program with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _width() -> int | None:
    """Return the width of tables: None for that of the terminal or of COLUMNS, and wide in a file or pipe."""
    return None if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else 140


EVERY_S = 5.0  # between lines of progress in a log file
people = _Screen(stderr=True, highlight=False)
programs = _Screen(highlight=False, markup=False, emoji=False, width=_width())


def print_json(table: Mapping[str, Any] | Sequence[Any]) -> None:
    """Print one JSON document to stdout."""
    programs.print(json.dumps(table, indent=2, allow_nan=False), soft_wrap=True)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table to stdout."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*row)
    programs.print(table)


def print_receipt(receipt: Receipt) -> None:
    """Print what a motion keeps and costs, for people."""
    print_lines(headline(receipt), *(f"  {sentence}" for sentence in receipt_sentences(receipt)))


@contextmanager
def report_on_screen(words: str, out: Path, *, force: bool, stoppable: bool = False) -> Iterator[OnProgress]:
    """Show the progress of a search for a motion.

    Args:
        words: What is under way.
        out: File that the motion will be written to.
        force: Whether it may replace a file.
        stoppable: Whether the first Ctrl-C asks a solver to stop, and only the second interrupts.

    Yields:
        The callback for every step of the search.
    """
    stopping = stop_on_interrupt(say_stopping) if stoppable else nullcontext(Event())
    log = throttled_log()
    with progress(words) as bar, stopping as stop:

        def report(now: Step) -> bool:
            if now.passed and not now.instead:  # a motion will be found; check early that it can be written
                check_writable(out, force=force, ending=".npz")
            text = format_step(now)
            bar.update(bar.task_ids[0], description=text)
            if now.iteration is not None or now.instead:
                log(text)
            return stop.is_set()

        yield report


def format_step(now: Step) -> str:
    """Return a step of a search as text."""
    if now.intensity is not None:
        what = now.instead or f"intensity {now.intensity:.2f}"
        return f"{what} {'keeps' if now.passed else 'does not keep'} its limits"
    which = f"{now.solve}, " if now.solve else ""
    return f"{which}iteration {now.iteration}: cost {now.cost:.4f}, violation {now.violation:.1e}"


def print_planned(motion: Motion, out: Path, *, json: bool) -> None:
    """Print what a planned motion that was written to `out` keeps and costs."""
    assert motion.receipt is not None
    if json:
        print_json(motion.receipt.as_dict())
    print_receipt(motion.receipt)
    print_lines(f"wrote {out} ({motion.duration_s:.1f} s of motion)")
    print_next("strut show", out)


def print_lines(*lines: str) -> None:
    """Print lines for people."""
    for line in lines:
        people.print(line, markup=False, soft_wrap=True)


def print_next(command: str, *words: Path | str) -> None:
    """Print the command to try next: a command and its files and names, quoted where the shell needs it."""
    print_lines(f"next: {' '.join([command, *(shlex.quote(str(word)) for word in words)])}")


def say_stopping() -> None:
    """Say what a first Ctrl-C does."""
    complain("Stopping after this iteration; press Ctrl-C again to end at once.")


def throttled_log() -> Callable[[str], None]:
    """Return a function that prints a line to a log file, which has no progress bar, at most every few seconds."""
    started_s = printed_s = monotonic()

    def log(words: str) -> None:
        nonlocal printed_s
        now_s = monotonic()
        if not people.is_terminal and now_s - printed_s >= EVERY_S:
            print_lines(f"{words}, {now_s - started_s:.0f} s")
            printed_s = now_s

    return log


@contextmanager
def heartbeat(words: str) -> Iterator[None]:
    """Log every few seconds that a task without progress of its own is still running, and since when."""
    over = Event()
    log = throttled_log()

    def beat() -> None:
        while not over.wait(EVERY_S):
            log(words)

    thread = Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def progress(words: str) -> Iterator[Progress]:
    """Show a progress bar on stderr; it disappears when done, and never appears in a log file."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=people, transient=True, disable=not people.is_terminal) as bar:
        bar.add_task(words, total=None)
        yield bar


def report_emotion(bar: Progress, words: str) -> Callable[[str], None]:
    """Return a callback that shows which emotion is being planned, in the bar or in a log file."""
    log = throttled_log()

    def report(emotion: str) -> None:
        bar.update(bar.task_ids[0], description=f"{words} {emotion}")
        log(f"{words} {emotion}")

    return report
