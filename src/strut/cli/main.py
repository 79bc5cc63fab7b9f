"""The command line: `strut VERB`. Exit 0 done, 2 the user can fix it, 3 refused, 4 it fell, 1 our bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version as package_version
from typing import Annotated

import typer

from strut.cli import (
    analyze,
    check,
    emotions,
    export,
    perform,
    reconstruct,
    reproduce,
    robots,
    show,
    simulate,
    stimuli,
    study,
    synthesize,
    walk,
)
from strut.cli.interruption import INTERRUPTED, INTERRUPTED_WORDS
from strut.errors import RefusedError, StrutError

DONE, OUR_BUG, USER_CAN_FIX, REFUSED = 0, 1, 2, 3

app = typer.Typer(
    name="strut",
    add_completion=False,
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb in (robots.robots, emotions.emotions, walk.walk, check.check, simulate.simulate, show.show):
    app.command()(verb)
app.command()(export.export)
app.command()(perform.perform)
app.command()(stimuli.stimuli)
app.command()(reproduce.reproduce)
app.add_typer(study.study)
app.command()(synthesize.synthesize)
app.command()(reconstruct.reconstruct)
app.command()(analyze.analyze)


@app.callback()
def strut(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Make robots walk with a feeling, and prove that the motion is sound."""
    if version:
        print(f"strut {package_version('strut')}")
        raise typer.Exit


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; whatever goes wrong becomes one sentence on stderr."""
    try:
        result = app(args=list(arguments) or ["--help"], standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  (nobody listens any more)
        return DONE
    except Exception as error:
        if os.environ.get("STRUT_DEBUG"):
            raise
        sentence, code = _explained(error, arguments)
        print(f"strut: {' '.join(sentence.split())}", file=sys.stderr)
        return code
    if result == INTERRUPTED:  # what the command-line library makes of Ctrl-C
        print(INTERRUPTED_WORDS, file=sys.stderr)
    return result if isinstance(result, int) else DONE


def _explained(error: BaseException, arguments: Sequence[str]) -> tuple[str, int]:
    """Return what to tell the user about an error, and the exit code: the last line of defence against tracebacks."""
    if isinstance(error, RefusedError):
        return str(error), REFUSED
    if isinstance(error, StrutError):
        return str(error), USER_CAN_FIX
    if hasattr(error, "format_message"):  # a usage error of the command-line library
        return f"{error.format_message().rstrip('.')}. See `strut {_verb(arguments)}--help`.", USER_CAN_FIX
    if isinstance(error, OSError) and error.strerror:
        return f"Writing failed: {error.strerror}.", USER_CAN_FIX
    bug = f"strut made a mistake ({type(error).__name__}: {error})"
    return f"{bug}; set STRUT_DEBUG=1, run it again and report what it prints.", OUR_BUG


def _verb(arguments: Sequence[str]) -> str:
    known = {command.callback.__name__ for command in app.registered_commands if command.callback}
    return f"{arguments[0]} " if arguments and arguments[0] in known else ""
