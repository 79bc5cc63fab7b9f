"""Cancellation: a Ctrl-C that asks a solver to stop, so that what it has found is kept.

CasADi swallows the exception that Ctrl-C usually raises, and a solver that fell over looks like one that failed. A
scene that is interrupted while it is being changed keeps its lock, and cannot be closed.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, current_thread, main_thread
from types import FrameType


@contextmanager
def asked_to_stop(on_first: Callable[[], None] | None = None) -> Iterator[Event]:
    """Give an event that the first Ctrl-C sets; a second one interrupts. Whoever listens already hears it too.

    Args:
        on_first: Called when people have pressed it once.
    """
    asked = Event()
    if current_thread() is not main_thread():  # only the main thread hears signals
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            signal.default_int_handler(number, frame)
        asked.set()
        if on_first is not None:
            on_first()
        if callable(before) and before is not signal.default_int_handler:
            before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
