"""The command line: `strut VERB`. Exit 0 done, 2 the user can fix it, 3 refused, 4 it fell, 1 our bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version as package_version
from typing import Annotated

import typer

from strut.cli.interruption import INTERRUPTED, INTERRUPTED_WORDS, StoppedError
from strut.errors import RefusedError, StrutError

DONE, OUR_BUG, USER_CAN_FIX, REFUSED = 0, 1, 2, 3

VERBS = (
    "robots",
    "emotions",
    "walk",
    "perform",
    "synthesize",
    "reconstruct",
    "analyze",
    "check",
    "simulate",
    "show",
    "export",
    "reproduce",
    "stimuli",
    "study",
)  # in the order of `strut --help`; each is a function, or an app with verbs of its own, in the module of its name


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
        result = _app(_verb(arguments))(args=list(arguments) or ["--help"], standalone_mode=False)
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
    if isinstance(error, StoppedError):
        return str(error), INTERRUPTED
    if isinstance(error, RefusedError):
        return str(error), REFUSED
    if isinstance(error, StrutError):
        return str(error), USER_CAN_FIX
    if hasattr(error, "format_message"):  # a usage error of the command-line library
        verb = f"{name} " if (name := _verb(arguments)) else ""
        return f"{error.format_message().rstrip('.')}. See `strut {verb}--help`.", USER_CAN_FIX
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: " if error.filename else ""
        return f"{what}reading or writing failed: {error.strerror}.", USER_CAN_FIX
    bug = f"strut made a mistake ({type(error).__name__}: {error})"
    return f"{bug}; set STRUT_DEBUG=1, run it again and report what it prints.", OUR_BUG


def _app(verb: str | None) -> typer.Typer:
    """Return the command line with one verb alone, because all of them take a second to import, or with all."""
    app = typer.Typer(
        name="strut",
        add_completion=False,
        invoke_without_command=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(strut)
    for name in VERBS if verb is None else (verb,):
        command = getattr(import_module(f"strut.cli.{name}"), name)
        if isinstance(command, typer.Typer):
            app.add_typer(command)
        else:
            app.command()(command)
    return app


def _verb(arguments: Sequence[str]) -> str | None:
    return arguments[0] if arguments and arguments[0] in VERBS else None
