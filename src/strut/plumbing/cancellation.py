"""Cancellation: Ctrl-C stops a solver, keeping its iterate; a swallowed SIGINT is repeated.

Three things go wrong with the KeyboardInterrupt that Python raises. CasADi swallows it, and a stopped solver looks like
one that failed. A viser scene that is interrupted during a change keeps its lock and cannot be closed. A library that
is interrupted during its import swallows it or raises another exception.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from threading import Event

REPEAT_AFTER_S = 0.3  # long enough for a handler to end the process, short for a person who waits


class InterruptHandler:
    """Handles SIGINT in a process of our own: a swallowed one is repeated until the process ends.

    Attributes:
        is_installed: Whether it handles SIGINT; `import strut` leaves that to Python.
        was_pressed: Whether it has interrupted: any exception from then on is a consequence.
    """

    def __init__(self) -> None:
        self.is_installed = False
        self.was_pressed = False

    def install(self) -> None:
        """Replace Python's default handler; leave any other alone, as that of a background job of a shell."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, self._repeat)
        sys.unraisablehook = _report_unraisable
        self.is_installed = True
        signal.signal(signal.SIGINT, self.interrupt)

    def interrupt(self, number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG002 -- a signal handler
        """Raise KeyboardInterrupt now, and again if it is swallowed."""
        if self.is_installed:
            self.was_pressed = True
            _set_alarm(REPEAT_AFTER_S)
        raise KeyboardInterrupt

    def ignore(self) -> None:
        """Ignore SIGINT during interpreter shutdown."""
        if self.is_installed:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _set_alarm(0.0)
            self.is_installed = False

    def _repeat(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002 -- a signal handler
        """Call the current SIGINT handler again; wait while an exception is handled."""
        handler = signal.getsignal(signal.SIGINT)
        if sys.exception() is None and callable(handler):
            handler(signal.SIGINT, frame)
        else:
            _set_alarm(REPEAT_AFTER_S)


INTERRUPTS = InterruptHandler()  # one, as signals belong to a process


def _set_alarm(after_s: float) -> None:
    """Set the timer of the repetition, or stop it with 0; Windows has none, and users press again."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, after_s)


def _report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Print an exception that Python cannot raise, unless it is an interrupt, which is repeated."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


@contextmanager
def stop_on_interrupt(on_first: Callable[[], None] | None = None) -> Iterator[Event]:
    """Yield an event that the first Ctrl-C sets; a second one interrupts. Enclosing events are set too.

    Args:
        on_first: Called at the first Ctrl-C.
    """
    from threading import Event, current_thread, main_thread  # noqa: PLC0415 -- so that `install` comes first of all

    is_stopping = Event()
    if current_thread() is not main_thread():  # signals are handled in the main thread only
        yield is_stopping
        return
    outer = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: FrameType | None) -> None:
        if is_stopping.is_set():
            INTERRUPTS.interrupt(number, frame)
        is_stopping.set()
        if on_first is not None:
            on_first()
        if callable(outer) and outer not in (signal.default_int_handler, INTERRUPTS.interrupt):
            outer(number, frame)

    signal.signal(signal.SIGINT, stop)
    try:
        yield is_stopping
    finally:
        signal.signal(signal.SIGINT, outer)
