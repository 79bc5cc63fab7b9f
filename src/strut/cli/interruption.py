"""Interruption: what Ctrl-C means on the command line: the exit code and the words."""

from __future__ import annotations

from strut.cli.streams import complain

INTERRUPTED = 130
INTERRUPTED_WORDS = "Interrupted; nothing half-written was left behind."
SOLVED_WORDS = "It was solved already when you pressed Ctrl-C; this is the finished one."
NOTHING_YET = "Interrupted before the first iteration; nothing was written."


def say_stopping() -> None:
    """Tell people who have pressed Ctrl-C once what happens now."""
    complain("Stopping after this iteration; press Ctrl-C again to end at once.")
