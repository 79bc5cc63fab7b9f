"""Ctrl-C while a solver works: one sentence, exit code 130, and no file that could be taken for a finished one."""

import os
import signal
from dataclasses import replace
from types import SimpleNamespace

import pytest

from strut.analysis.gait_cycle import published_step
from strut.cli import reconstruct as reconstruct_verb
from strut.cli import screen, solving
from strut.cli.main import main
from strut.cli.screen import progress
from strut.cli.solving import SOLVED_WORDS
from strut.io.motion_file import load_motion, save_motion
from strut.models.catalogue import robot_of
from strut.optimal.collocation import NotSolvedError
from strut.optimal.interior_point import STOPPED, Iteration


def press():
    os.kill(os.getpid(), signal.SIGINT)


def pressing(bar, stop, tells=solving.tells):
    """What tells iterations to people who press Ctrl-C at the first."""
    tell = tells(bar, stop)

    def press_and_tell(iteration):
        if iteration.number == 0:
            press()
        return tell(iteration)

    return press_and_tell


@pytest.fixture
def recording(happy_human, tmp_path):
    """One step of a human walk."""
    walk = load_motion(happy_human)
    save_motion(published_step(robot_of(walk), walk).motion, tmp_path / "step.npz")
    return tmp_path / "step.npz"


def test_a_press_while_a_human_walk_is_solved_ends_it_with_a_sentence_and_no_file(tmp_path, capsys, monkeypatch):
    said = screen._said

    def press_and_say(now):
        if now.iteration == 0:
            press()
        return said(now)

    monkeypatch.setattr(screen, "_said", press_and_say)
    assert main(["walk", "heiman", "--emotion", "sad", "--out", str(tmp_path / "sad.npz")]) == 130
    said = capsys.readouterr().err
    assert "press Ctrl-C again to end at once" in said
    assert "shows no feeling, so nothing was written" in said
    assert list(tmp_path.iterdir()) == []


def test_a_press_while_forces_are_found_keeps_what_is_not_finished_and_says_so(recording, capsys, monkeypatch):
    monkeypatch.setattr(solving, "tells", pressing)
    out = recording.with_name("forces.npz")
    assert main(["reconstruct", str(recording), "--out", str(out)]) == 130
    assert "not a finished reconstruction" in capsys.readouterr().err
    assert load_motion(out).receipt.verdict == "refused"


def test_a_press_before_the_first_iteration_writes_nothing(recording, capsys, monkeypatch):
    def stopped(*_arguments, **_options):
        press()
        raise NotSolvedError(STOPPED, "nothing", None)

    monkeypatch.setattr(reconstruct_verb, "find_forces", stopped)
    out = recording.with_name("forces.npz")
    assert main(["reconstruct", str(recording), "--out", str(out)]) == 130
    assert "before the first iteration; nothing was written" in capsys.readouterr().err
    assert not out.exists()


def test_a_press_that_comes_too_late_changes_nothing(recording, capsys, monkeypatch):
    motion = load_motion(recording)
    found = replace(motion, meta={**motion.meta, "asked": {"phases": [["RightFlat", 0.0, 0.3]]}})

    def finished(*_arguments, **_options):
        press()
        return SimpleNamespace(motion=lambda steps: found)

    monkeypatch.setattr(reconstruct_verb, "find_forces", finished)
    assert main(["reconstruct", str(recording), "--out", str(recording.with_name("forces.npz"))]) == 0
    said = capsys.readouterr().err
    assert "not a finished" not in said
    assert SOLVED_WORDS in said


def test_a_log_file_gets_a_plain_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(screen, "EVERY_S", 0.0)
    with progress("starts") as bar:
        tell = solving.tells(bar)
        assert tell(Iteration(7, 0.78, 1.2e-3)) is False
        assert capsys.readouterr().err == "iteration 7: cost 0.7800, violation 1.2e-03, 0 s\n"
        tell(Iteration(8, 0.78, 1.2e-3, "start 2 of 3"))
    assert capsys.readouterr().err.startswith("start 2 of 3, iteration 8: ")
