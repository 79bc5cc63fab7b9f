"""Progress: words and an estimate in a terminal, a line every few seconds in a log, nothing with --quiet."""

import re
from io import StringIO
from time import monotonic, sleep

import pytest
from rich.console import Console

from strut.cli import waiting
from strut.cli.main import main
from strut.cli.waiting import format_time, waiting_on, without_progress


def wait_for(pattern, stream, longest_s=20.0):
    """Wait until a pattern was written to a stream; a busy machine takes its time."""
    until_s = monotonic() + longest_s
    while not re.search(pattern, stream.getvalue(), re.MULTILINE | re.DOTALL):
        assert monotonic() < until_s, stream.getvalue()
        sleep(0.01)


@pytest.mark.parametrize(
    ("spent_s", "share", "words"),
    [
        (12.0, 0.25, "12 s, about 36 s left"),
        (30.0, 0.2, "30 s, about 2 min 00 s left"),
        (125.0, 0.0, "2 min 05 s"),  # nothing is known of the rest
        (125.0, 1.0, "2 min 05 s"),
        (0.5, 0.5, "0 s"),  # too early to know
    ],
)
def test_the_rest_takes_as_long_per_share_as_what_is_done(spent_s, share, words):
    assert format_time(spent_s, share) == words


def test_a_log_gets_lines_with_an_estimate_even_while_a_step_takes_long(monkeypatch):
    monkeypatch.setattr(waiting, "EVERY_S", 0.02)
    monkeypatch.setattr(waiting, "SURE_AFTER_S", 0.0)
    log = StringIO()
    with waiting_on(Console(file=log), "draws") as show:
        wait_for(r"^draws, \d+ s$", log)
        show("draws picture 3 of 4", 3, 4)
        wait_for(r"^draws picture 3 of 4, \d+ s, about \d+ s left$", log)


def test_a_terminal_gets_a_bar_that_disappears(monkeypatch):
    monkeypatch.setattr(waiting, "SURE_AFTER_S", 0.0)
    screen = StringIO()
    with waiting_on(Console(file=screen, force_terminal=True, width=100), "draws") as show:
        show("draws picture [3] of 4", 3, 4)
        wait_for(r"draws picture \[3\] of 4.* about \d+ s left", screen)
    assert screen.getvalue().rstrip().endswith("\x1b[2K")  # the line is empty again


@pytest.mark.parametrize("quiet", [[], ["--quiet"]])
def test_quiet_silences_progress_and_nothing_else(quiet, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(waiting, "EVERY_S", 0.02)
    assert main(["walk", "mrpete", *quiet, "--cycles", "2", "--out", str(tmp_path / "walk.npz")]) == 0
    said = capsys.readouterr().err.splitlines()
    assert any(re.search(r", \d+ s$", line) for line in said) is not bool(quiet)
    assert said[-1].startswith("next: strut show")


def test_a_quiet_block_inside_another_one_does_not_end_the_quiet(monkeypatch):
    monkeypatch.setattr(waiting, "EVERY_S", 0.01)
    stream = StringIO()
    with without_progress():
        with without_progress():
            pass
        with waiting_on(Console(file=stream), "draws"):
            sleep(0.05)
    assert not stream.getvalue()
