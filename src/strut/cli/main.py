"""The command line: `strut VERB`. Exit 0 done, 2 the user can fix it, 3 refused by the gate, 1 our bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import typer

from strut.cli import check, emotions, export, reproduce, robots, show, simulate, study, walk
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
app.command()(reproduce.reproduce)
app.add_typer(study.study)


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; whatever goes wrong becomes one sentence on stderr."""
    try:
        result = app(args=list(arguments), standalone_mode=False)
    except RefusedError as refusal:
        return _say(str(refusal), REFUSED)
    except StrutError as error:
        return _say(str(error), USER_CAN_FIX)
    except typer.Exit as leaving:
        return leaving.exit_code
    except (typer.Abort, KeyboardInterrupt):
        return _say("Interrupted; nothing half-written was left behind.", INTERRUPTED)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115  (nobody listens any more)
        return DONE
    except Exception as error:  # the last line of defence: no traceback reaches a user
        if hasattr(error, "format_message"):  # a usage error of the command-line library
            return _say(f"{error.format_message()} See `strut {_verb(arguments)}--help`.", USER_CAN_FIX)
        if os.environ.get("STRUT_DEBUG"):
            raise
        return _say(
            f"strut made a mistake ({type(error).__name__}: {error}); set STRUT_DEBUG=1, run it again and report it.",
            OUR_BUG,
        )
    return result if isinstance(result, int) else DONE


def run() -> None:
    """Run the command of this process; the entry point of `strut`."""
    sys.exit(main(sys.argv[1:]))


def _say(sentence: str, code: int) -> int:
    print(f"strut: {' '.join(sentence.split())}", file=sys.stderr)
    return code


def _verb(arguments: Sequence[str]) -> str:
    return f"{arguments[0]} " if arguments and not arguments[0].startswith("-") else ""
