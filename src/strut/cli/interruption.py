"""Interruption: what Ctrl-C means on the command line: the exit code and the words."""

from __future__ import annotations

INTERRUPTED = 130
INTERRUPTED_WORDS = "strut: Interrupted; nothing half-written was left behind."
STOPPING_WORDS = "strut: Stopping after this iteration; press Ctrl-C again to end at once."


class StoppedError(Exception):
    """A solver was stopped by Ctrl-C; says what was kept."""
