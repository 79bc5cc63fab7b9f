"""Ctrl-C while a solver works: the first asks it to stop, the second interrupts, and nothing stays changed."""

import os
import signal

import pytest

from strut.engines.interruption import asked_to_stop


def test_the_first_press_asks_and_the_second_interrupts():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), asked_to_stop() as stop:  # noqa: PT012  (both presses belong together)
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set()
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before
