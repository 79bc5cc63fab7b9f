"""Ctrl-C while a solver works: the first asks it to stop, the second interrupts, and nothing stays changed."""

import os
import signal
from threading import Timer

import pytest

from strut.cli import screen, solving
from strut.cli.main import main
from strut.cli.screen import progress
from strut.engines.interruption import asked_to_stop
from strut.engines.nonlinear_program import Iteration


def test_the_first_press_asks_and_the_second_interrupts():
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), asked_to_stop() as stop:  # noqa: PT012  (both presses belong together)
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop.is_set()
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_press_while_a_human_walk_is_solved_ends_it_with_a_sentence_and_no_file(tmp_path, capsys):
    press = Timer(3.0, os.kill, (os.getpid(), signal.SIGINT))
    press.start()
    try:
        code = main(["walk", "heiman", "--emotion", "sad", "--out", str(tmp_path / "sad.npz")])
    finally:
        press.cancel()
    assert code == 130
    assert "strut: Interrupted" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_log_file_gets_a_plain_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(screen, "EVERY_S", 0.0)
    with progress("starts") as bar:
        tell = solving.tells(bar)
        assert tell(Iteration(7, 0.78, 1.2e-3)) is False
    assert "iteration 7: cost 0.7800, violation 1.2e-03, 0 s" in capsys.readouterr().err
