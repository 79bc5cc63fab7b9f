"""The command line: `strut VERB`. Exit 0 done, 2 the user can fix it, 3 refused by the gate, 1 our bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from strut.cli import check, emotions, export, perform, reproduce, robots, show, simulate, stimuli, walk
from strut.errors import RefusedError, StrutError

DONE, OUR_BUG, USER_CAN_FIX, REFUSED, INTERRUPTED = 0, 1, 2, 3, 130

app = typer.Typer(
    name="strut",
    help="Make robots walk with a feeling, and prove that the motion is sound.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb in (robots.robots, emotions.emotions, walk.walk, check.check, simulate.simulate, show.show):
    app.command()(verb)
app.command()(export.export)
app.command()(perform.perform)
app.command()(stimuli.stimuli)
app.command()(reproduce.reproduce)


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; whatever goes wrong becomes one sentence on stderr."""
    try:
        result = app(args=list(arguments), standalone_mode=False)
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
        print("strut: Interrupted; nothing half-written was left behind.", file=sys.stderr)
    return result if isinstance(result, int) else DONE


def _explained(error: BaseException, arguments: Sequence[str]) -> tuple[str, int]:
    """Return what to tell the user about an error, and the exit code: the last line of defence against tracebacks."""
    if isinstance(error, RefusedError):
        return str(error), REFUSED
    if isinstance(error, StrutError):
        return str(error), USER_CAN_FIX
    if hasattr(error, "format_message"):  # a usage error of the command-line library
        return f"{error.format_message().rstrip('.')}. See `strut {_verb(arguments)}--help`.", USER_CAN_FIX
    bug = f"strut made a mistake ({type(error).__name__}: {error})"
    return f"{bug}; set STRUT_DEBUG=1, run it again and report what it prints.", OUR_BUG


def run() -> None:
    """Run the command of this process; the entry point of `strut`."""
    sys.exit(main(sys.argv[1:]))


def _verb(arguments: Sequence[str]) -> str:
    known = {command.callback.__name__ for command in app.registered_commands if command.callback}
    return f"{arguments[0]} " if arguments and arguments[0] in known else ""
