"""Interruption: what Ctrl-C means: the exit code and the words, and a solver that stops and keeps what it has."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from types import FrameType

INTERRUPTED = 130
INTERRUPTED_WORDS = "strut: Interrupted; nothing half-written was left behind."
STOPPING_WORDS = "strut: Stopping after this iteration; press Ctrl-C again to end at once."


class StoppedError(Exception):
    """A solver was stopped by Ctrl-C; says what was kept."""


@contextmanager
def asked_to_stop() -> Iterator[Event]:
    """Give an event that the first Ctrl-C sets; a second one interrupts as usual."""
    asked = Event()
    if current_thread() is not main_thread():  # only the main thread hears signals
        yield asked
        return

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            signal.default_int_handler(number, frame)
        asked.set()
        print(STOPPING_WORDS, file=sys.stderr)

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
