"""Ctrl-C asks whoever listens to stop, and then interrupts; listeners may lie inside each other."""

import os
import signal

import pytest

from strut.plumbing.cancellation import stop_on_interrupt


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_press_asks_and_the_second_interrupts():
    before = signal.getsignal(signal.SIGINT)
    told = []
    with pytest.raises(KeyboardInterrupt), stop_on_interrupt(lambda: told.append("once")) as stop:  # noqa: PT012  (both presses belong together)
        assert not stop.is_set()
        press()
        assert stop.is_set()
        press()
    assert told == ["once"]
    assert signal.getsignal(signal.SIGINT) is before


def test_whoever_listens_already_hears_it_too():
    told = []
    with stop_on_interrupt(lambda: told.append("outer")) as outer:
        with stop_on_interrupt(lambda: told.append("inner")) as inner:
            press()
            assert inner.is_set()
        with stop_on_interrupt() as later:
            assert not later.is_set()
    assert outer.is_set()
    assert told == ["inner", "outer"]
