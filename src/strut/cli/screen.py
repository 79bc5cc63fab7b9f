"""Screen: what people read goes to stderr, what programs read goes to stdout."""

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
    """A console that raises when nobody listens any more, instead of ending the program with exit code 1."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _width() -> int | None:
    """Return how wide tables are: as the terminal or COLUMNS says (None), and wide in a file or pipe."""
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
    """Tell people what a motion keeps and costs."""
    print_lines(headline(receipt), *(f"  {sentence}" for sentence in receipt_sentences(receipt)))


@contextmanager
def told_on_screen(words: str, out: Path, *, force: bool, stoppable: bool = False) -> Iterator[OnProgress]:
    """Show what is tried while a motion is planned for a file.

    Args:
        words: What is under way.
        out: Where the motion will be written.
        force: Whether it may replace a file.
        stoppable: Whether the first Ctrl-C asks to stop, which a solver needs, and only the second interrupts.

    Yields:
        What to call with every step of the search.
    """
    stopping = stop_on_interrupt(say_stopping) if stoppable else nullcontext(Event())
    log = now_and_then()
    with progress(words) as bar, stopping as stop:

        def tell(now: Step) -> bool:
            if now.passed and not now.instead:  # the options were fine, and there is still work that would be in vain
                check_writable(out, force=force, ending=".npz")
            said = _said(now)
            bar.update(bar.task_ids[0], description=said)
            if now.iteration is not None or now.instead:
                log(said)
            return stop.is_set()

        yield tell


def _said(now: Step) -> str:
    if now.intensity is not None:
        what = now.instead or f"intensity {now.intensity:.2f}"
        return f"{what} {'keeps' if now.passed else 'does not keep'} its limits"
    which = f"{now.solve}, " if now.solve else ""
    return f"{which}iteration {now.iteration}: cost {now.cost:.4f}, violation {now.violation:.1e}"


def print_planned(motion: Motion, out: Path, *, json: bool) -> None:
    """Tell people and programs what a planned motion that was written to `out` keeps and costs."""
    assert motion.receipt is not None
    if json:
        print_json(motion.receipt.as_dict())
    print_receipt(motion.receipt)
    print_lines(f"wrote {out} ({motion.duration_s:.1f} s of motion)")
    print_next("strut show", out)


def print_lines(*lines: str) -> None:
    """Tell people something, line by line."""
    for line in lines:
        people.print(line, markup=False, soft_wrap=True)


def print_next(command: str, *words: Path | str) -> None:
    """Tell people what to try next: a command and, quoted where the shell needs it, the files and names that follow."""
    print_lines(f"next: {' '.join([command, *(shlex.quote(str(word)) for word in words)])}")


def say_stopping() -> None:
    """Tell people who have pressed Ctrl-C once what happens now."""
    complain("Stopping after this iteration; press Ctrl-C again to end at once.")


def now_and_then() -> Callable[[str], None]:
    """Return what tells a line to a log file, where no bar can move, unless it told one a few seconds ago."""
    started_s = told_s = monotonic()

    def tell(words: str) -> None:
        nonlocal told_s
        now_s = monotonic()
        if not people.is_terminal and now_s - told_s >= EVERY_S:
            print_lines(f"{words}, {now_s - started_s:.0f} s")
            told_s = now_s

    return tell


@contextmanager
def heartbeat(words: str) -> Iterator[None]:
    """Tell a log file every few seconds that something without steps of its own is still under way, and since when."""
    over = Event()
    log = now_and_then()

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
    """Show a bar on stderr while something takes long; it disappears when done, and never appears in a log file."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=people, transient=True, disable=not people.is_terminal) as bar:
        bar.add_task(words, total=None)
        yield bar


def telling(bar: Progress, words: str) -> Callable[[str], None]:
    """Return what tells the bar, or a log file now and then, which feeling is being moved."""
    log = now_and_then()

    def tell(feeling: str) -> None:
        bar.update(bar.task_ids[0], description=f"{words} {feeling}")
        log(f"{words} {feeling}")

    return tell
