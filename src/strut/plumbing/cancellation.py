"""Cancellation: a Ctrl-C that asks a solver to stop, so that what it has found is kept, and one that is never lost.

CasADi swallows the exception that Ctrl-C usually raises, and a solver that fell over looks like one that failed. A
scene that is interrupted while it is being changed keeps its lock, and cannot be closed. A library that is interrupted
while it is imported swallows the exception too, or makes another of it.
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

AGAIN_S = 0.3  # after which a press that nobody answered is repeated


class CtrlC:
    """Ctrl-C in a process that is all ours: a press that is swallowed is repeated until somebody answers it.

    Attributes:
        listening: Whether it is heard here; importing strut leaves it to Python.
        pressed: Whether it was, and meant as an end at once: whatever goes wrong from then on is the interruption.
    """

    def __init__(self) -> None:
        self.listening = False
        self.pressed = False

    def listen(self) -> None:
        """Hear it from now on in Python's place, unless nobody should (a shell's job in the background)."""
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        if sys.platform != "win32":
            signal.signal(signal.SIGALRM, self._repeat)
        sys.unraisablehook = _tell_lost
        self.listening = True
        signal.signal(signal.SIGINT, self.interrupt)

    def interrupt(self, number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG002  (as signals are heard)
        """End at once."""
        if self.listening:
            self.pressed = True
            _ring(AGAIN_S)
        raise KeyboardInterrupt

    def answer(self) -> None:
        """Stop listening: all is done, and a press while Python ends changes nothing."""
        if self.listening:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            _ring(0.0)
            self.listening = False

    def _repeat(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Tell whoever listens by now of a press again, but disturb nobody who cleans up after an exception."""
        listener = signal.getsignal(signal.SIGINT)
        if sys.exception() is None and callable(listener):
            listener(signal.SIGINT, frame)
        else:
            _ring(AGAIN_S)


CTRL_C = CtrlC()  # one, as signals belong to a process


def _ring(after_s: float) -> None:
    """Set the alarm clock, or stop it with 0; Windows has none, and people press again there."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, after_s)


def _tell_lost(lost: sys.UnraisableHookArgs) -> None:
    """Tell of an exception that Python cannot raise, but not of a press, which is repeated."""
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)


@contextmanager
def asked_to_stop(on_first: Callable[[], None] | None = None) -> Iterator[Event]:
    """Give an event that the first Ctrl-C sets; a second one interrupts. Whoever listens already hears it too.

    Args:
        on_first: Called when people have pressed it once.
    """
    from threading import Event, current_thread, main_thread  # noqa: PLC0415  (or presses meanwhile were not heard)

    asked = Event()
    if current_thread() is not main_thread():  # only the main thread hears signals
        yield asked
        return
    before = signal.getsignal(signal.SIGINT)

    def hear(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            CTRL_C.interrupt(number, frame)
        asked.set()
        if on_first is not None:
            on_first()
        if callable(before) and before not in (signal.default_int_handler, CTRL_C.interrupt):
            before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, before)
