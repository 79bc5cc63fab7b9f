"""The command line: `strut VERB`. Exit 0 done, 2 the user can fix it, 3 refused, 4 it fell, 1 our bug."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from strut.cli.streams import INTERRUPTED, INTERRUPTED_WORDS, complain
from strut.cli.usage import is_usage_error, usage_sentence
from strut.errors import RefusedError, StoppedError, StrutError
from strut.plumbing.cancellation import INTERRUPTS
from strut.registry import VERBS, find

DONE = 0
OUR_BUG = 1
USER_CAN_FIX = 2
REFUSED = 3


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; whatever goes wrong becomes one sentence on stderr."""
    verb = arguments[0] if arguments else "--help"
    try:
        result = _run(verb, arguments[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # whoever reads our output has seen enough
        return DONE
    except Exception as error:
        if INTERRUPTS.was_pressed and not isinstance(error, StoppedError):  # whatever an interrupted import made of it
            raise KeyboardInterrupt from error
        if os.environ.get("STRUT_DEBUG"):
            raise
        if isinstance(error, RefusedError) and "--json" in arguments:
            _print_refusal(error)
        sentence, code = _explained(error, verb)
        complain(sentence)
        return code
    if result == INTERRUPTED:  # what the command-line library makes of Ctrl-C
        complain(INTERRUPTED_WORDS)
    return result if isinstance(result, int) else DONE


def _run(verb: str, arguments: Sequence[str]) -> object:
    """Run a verb, and import no other; the list of all of them takes no time."""
    if verb in ("--help", "--version"):
        print(_help() if verb == "--help" else _version())
        return DONE
    import typer  # noqa: PLC0415  (with what it needs, slower than the whole list of verbs)

    app = find("strut.verbs", verb)
    if isinstance(app, typer.Typer):
        arguments = arguments or ["--help"]
    else:
        command = app
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        app.command()(command)
    try:
        return app(args=list(arguments), prog_name=f"strut {verb}", standalone_mode=False)
    except typer.Abort:  # a question that nobody answered, or with no
        raise StoppedError("Stopped; nothing was done.") from None
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # of which the library makes an exit code of its own
            raise end.__context__ from None
        raise


def _print_refusal(refusal: RefusedError) -> None:
    """Tell programs the receipt of what was refused, or at least every reason."""
    from strut.cli.screen import print_json  # noqa: PLC0415  (whoever refuses has imported it already)

    told = refusal.receipt and refusal.receipt.as_dict()
    print_json(told or {"verdict": "refused", "reasons": [asdict(reason) for reason in refusal.reasons]})


def _explained(error: BaseException, verb: str) -> tuple[str, int]:
    """Return what to tell the user about an error, and the exit code: the last line of defence against tracebacks."""
    if isinstance(error, StoppedError):
        return str(error), INTERRUPTED
    if isinstance(error, RefusedError):
        return str(error), REFUSED
    if isinstance(error, StrutError):
        return str(error), USER_CAN_FIX
    if is_usage_error(error):
        return usage_sentence(error, verb), USER_CAN_FIX
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: " if error.filename else ""
        return f"{what}reading or writing failed: {error.strerror}.", USER_CAN_FIX
    bug = f"strut made a mistake ({type(error).__name__}: {error})"
    return f"{bug}; set STRUT_DEBUG=1, run it again and report what it prints.", OUR_BUG


def _help() -> str:
    verbs = "\n".join(f"  {name:12s} {verb.summary}" for name, verb in VERBS.items())
    return f"""Usage: strut VERB [OPTIONS]

  Make robots and human models move with a feeling, and prove that the motion is sound.
  `strut VERB --help` tells more, with an example.

Verbs:
{verbs}

Options:
  --version    Print the version.
  --help       Print this."""


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415

    return f"strut {version('strut')}"
