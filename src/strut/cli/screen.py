"""Screen: text for people goes to stderr, JSON and tables for programs go to stdout."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Event
from typing import Any

from rich.console import Console
from rich.table import Table

from strut.cli.streams import complain
from strut.cli.waiting import Waiting, waiting_on
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
    with progress(words) as waiting, stopping as stop:

        def report(now: Step) -> bool:
            if now.passed and not now.instead:  # a motion will be found; check early that it can be written
                check_writable(out, force=force, ending=".npz")
            waiting(format_step(now))
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


def progress(words: str) -> AbstractContextManager[Waiting]:
    """Show how a task advances, on stderr; call what it yields with the words, and with the part done of a total."""
    return waiting_on(people, words)


def has_viewer() -> bool:
    """Return whether a person sits at a terminal and this machine can show windows."""
    has_display = sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
    return people.is_terminal and has_display


def open_in_browser(address: str) -> bool:
    """Open an address in the browser of a person at this machine; return whether one was opened."""
    import webbrowser  # noqa: PLC0415  (most commands open none)

    return has_viewer() and webbrowser.open(address)
