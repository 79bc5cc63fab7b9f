"""The first Ctrl-C sets the event of the context, the second interrupts; contexts may be nested."""

import os
import signal

import pytest

from strut.plumbing.cancellation import stop_on_interrupt


def press():
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_press_sets_the_event_and_the_second_interrupts():
    before = signal.getsignal(signal.SIGINT)
    calls = []
    with pytest.raises(KeyboardInterrupt), stop_on_interrupt(lambda: calls.append("once")) as stop:  # noqa: PT012  (both presses belong together)
        assert not stop.is_set()
        press()
        assert stop.is_set()
        press()
    assert calls == ["once"]
    assert signal.getsignal(signal.SIGINT) is before


def test_the_events_of_enclosing_contexts_are_set_too():
    calls = []
    with stop_on_interrupt(lambda: calls.append("outer")) as outer:
        with stop_on_interrupt(lambda: calls.append("inner")) as inner:
            press()
            assert inner.is_set()
        with stop_on_interrupt() as later:
            assert not later.is_set()
    assert outer.is_set()
    assert calls == ["inner", "outer"]
