"""Ctrl-C while a solver works: one sentence, exit code 130, and no file that could be taken for a finished one."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from time import sleep
from types import SimpleNamespace

import pytest

from strut.cli import screen, waiting
from strut.cli.main import main
from strut.cli.screen import progress
from strut.cli.streams import INTERRUPTED_WORDS
from strut.formats.motion_file import load_motion, save_motion
from strut.human.analysis.gait_cycle import published_step
from strut.human.verbs import reconstruct as reconstruct_verb
from strut.human.verbs import solving
from strut.human.verbs.solving import ALREADY_SOLVED
from strut.models.catalogue import robot_of
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import STOPPED, Iteration


def press():
    os.kill(os.getpid(), signal.SIGINT)


def pressing(waiting, stop, iteration_display=solving.iteration_display):
    """Show iterations as usual, and press Ctrl-C at the first one."""
    show = iteration_display(waiting, stop)

    def press_and_show(iteration):
        if iteration.number == 0:
            press()
        return show(iteration)

    return press_and_show


@pytest.fixture
def recording(happy_human, tmp_path):
    """One step of a human walk."""
    walk = load_motion(happy_human)
    save_motion(published_step(robot_of(walk), walk).motion, tmp_path / "step.npz")
    return tmp_path / "step.npz"


def test_a_press_while_a_human_walk_is_solved_ends_it_with_a_sentence_and_no_file(tmp_path, capsys, monkeypatch):
    said = screen.format_step

    def press_and_say(now):
        if now.iteration == 0:
            press()
        return said(now)

    monkeypatch.setattr(screen, "format_step", press_and_say)
    assert main(["walk", "heiman", "--emotion", "sad", "--out", str(tmp_path / "sad.npz")]) == 130
    said = capsys.readouterr().err
    assert "press Ctrl-C again to end at once" in said
    assert "the walk was not solved, so nothing was written" in said
    assert list(tmp_path.iterdir()) == []


def test_a_press_while_forces_are_found_keeps_what_is_not_finished_and_says_so(recording, capsys, monkeypatch):
    monkeypatch.setattr(solving, "iteration_display", pressing)
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
    assert ALREADY_SOLVED in said


def test_a_log_file_gets_a_plain_line_now_and_then(monkeypatch, capsys):
    monkeypatch.setattr(waiting, "EVERY_S", 0.02)
    with progress("starts") as show:
        tell = solving.iteration_display(show)
        assert tell(Iteration(7, 0.78, 1.2e-3)) is False
        sleep(0.5)
        assert capsys.readouterr().err.startswith("iteration 7: cost 0.7800, violation 1.2e-03, ")
        tell(Iteration(8, 0.78, 1.2e-3, "start 2 of 3"))
        sleep(0.5)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("start 2 of 3, iteration 8: cost 0.7800, violation 1.2e-03, ")


EARLY_S = (0.0, 0.03, 0.07, 0.12, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8)
_PRESSED_WALK = """
import os, signal, sys, threading
from strut.cli import entry
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job inherits that it is ignored
after_s, out = sys.argv[1:]
install = entry.INTERRUPTS.install

def install_and_wait():
    install()
    timer = threading.Timer(float(after_s), lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()

entry.INTERRUPTS.install = install_and_wait
sys.argv = ["strut", "walk", "mrpete", "--cycles", "2", "--out", out]
entry.run()
"""


@pytest.mark.parametrize("after_s", EARLY_S)
def test_a_press_at_any_moment_is_an_interruption_whatever_a_library_makes_of_it(after_s, tmp_path):
    command = [sys.executable, "-c", _PRESSED_WALK, str(after_s), str(tmp_path / "walk.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 130), done.stderr
    assert "Traceback" not in done.stderr
    if done.returncode == 130:
        assert done.stderr == f"strut: {INTERRUPTED_WORDS}\n"
    assert [path.name for path in tmp_path.iterdir()] == (["walk.npz"] if done.returncode == 0 else [])


_SWALLOWED = """
import signal, sys, time
from strut.plumbing.cancellation import INTERRUPTS, REPEAT_AFTER_S, stop_on_interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
INTERRUPTS.install()
try:
    signal.raise_signal(signal.SIGINT)
except KeyboardInterrupt:
    time.sleep(2 * REPEAT_AFTER_S)  # the repetition waits for the handler of the exception
    print("cleaned")
{afterwards}
"""


@pytest.mark.parametrize(
    ("afterwards", "said"),
    [
        ("try:\n    time.sleep(5)\nexcept KeyboardInterrupt:\n    print('again')", "cleaned\nagain\n"),
        ("with stop_on_interrupt() as asked:\n    print(asked.wait(5))", "cleaned\nTrue\n"),  # a solver or a server
        ("INTERRUPTS.ignore()\ntime.sleep(2 * REPEAT_AFTER_S)\nprint('answered')", "cleaned\nanswered\n"),
    ],
    ids=["at work", "listening", "at the end"],
)
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarm clock")
def test_an_interrupt_that_is_swallowed_is_repeated(afterwards, said):
    done = subprocess.run(
        [sys.executable, "-c", _SWALLOWED.format(afterwards=afterwards)], capture_output=True, text=True, check=False
    )
    assert done.stdout == said, done.stderr


def test_importing_strut_leaves_ctrl_c_to_python():
    heard = "signal.getsignal(signal.SIGINT) is signal.default_int_handler"
    before = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{before}; import strut; strut.load_motion; print({heard})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"
