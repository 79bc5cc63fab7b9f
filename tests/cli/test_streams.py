"""Streams as shells make them: closed, cut short by `head`, full, narrow, without our letters."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

STRUT = f"'{sys.executable}' -m strut"


def shell(script: str, **environment: str) -> tuple[int, str, str]:
    """Run a line of bash in which $STRUT is strut; returns the exit code of its first command, stdout and stderr."""
    whole = f"{script.replace('$STRUT', STRUT)}; exit ${{PIPESTATUS[0]}}"
    variables = {**os.environ, "STRUT_DEBUG": "", **environment}
    done = subprocess.run(["bash", "-c", whole], capture_output=True, text=True, check=False, env=variables)
    return done.returncode, done.stdout, done.stderr


NEXT = "next: strut walk mrpete --emotion happy\n"


@pytest.mark.parametrize(
    ("script", "code", "stderr"),
    [
        ("$STRUT robots mrpete >&-", 0, NEXT),
        ("$STRUT plugins --json 2>&- >/dev/null", 0, ""),
        ("$STRUT plugins --json <&- >&- 2>&-", 0, ""),
        ("$STRUT --help >&-", 0, ""),
        ("$STRUT robots mrpete | true", 0, None),  # what is printed before and after the pipe breaks is a race
        ("$STRUT plugins --json | head -1", 0, ""),
        ("$STRUT plugins --json 2>&1 | true", 0, ""),
        ("$STRUT walk --help | true", 0, ""),
        ("$STRUT walk nobody 2>&1 | true", 2, ""),
        ("$STRUT plugins --json >/dev/full", 2, "strut: reading or writing failed: No space left on device.\n"),
    ],
)
def test_a_closed_or_broken_stream_is_no_error(script: str, code: int, stderr: str | None) -> None:
    if "/dev/full" in script and not Path("/dev/full").exists():
        pytest.skip("this system has no disk that is always full")
    got, _, said = shell(script)
    assert got == code, said
    assert stderr in (said, None) or said == NEXT
    assert "Traceback" not in said
    assert "ignored" not in said


def test_tables_are_as_wide_as_columns_says() -> None:
    _, table, _ = shell("$STRUT robots | cat", COLUMNS="60")
    assert max(map(len, table.splitlines())) == 60


def test_letters_that_a_terminal_does_not_have_are_no_mistake() -> None:
    code, table, said = shell("$STRUT robots mrpete", PYTHONIOENCODING="ascii")
    assert (code, said) == (0, "next: strut walk mrpete --emotion happy\n")
    assert "? to " in table


def test_a_question_without_an_answer_changes_nothing() -> None:
    code, _, said = shell("$STRUT study forget nowhere 1f0c35a2b7d9 </dev/null")
    assert code == 130
    assert said.endswith("strut: Stopped; nothing was done.\n")
