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
from strut.registry import VERBS

DONE = 0
OUR_BUG = 1
USER_CAN_FIX = 2
REFUSED = 3
COMPLETION = ("--install-completion", "--show-completion")
ASKED_BY_SHELL = "_STRUT_COMPLETE"  # environment variable that a shell sets when Tab is pressed
QUIET = "--quiet"


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; every error becomes one sentence on stderr."""
    if QUIET in arguments:  # every verb has it
        from strut.cli.waiting import without_progress  # noqa: PLC0415  (the list of verbs needs none)

        with without_progress():
            return main([word for word in arguments if word != QUIET])
    verb = arguments[0] if arguments else "--help"
    try:
        result = _run(verb, arguments[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has closed it
        return DONE
    except Exception as error:
        if INTERRUPTS.was_pressed and not isinstance(error, StoppedError):  # an interrupted import may raise any error
            raise KeyboardInterrupt from error
        if os.environ.get("STRUT_DEBUG"):
            raise
        if isinstance(error, RefusedError) and "--json" in arguments:
            _print_refusal(error)
        sentence, code = _explained(error, verb)
        complain(sentence)
        return code
    if result == INTERRUPTED:  # the exit code that the command-line library returns for Ctrl-C
        complain(INTERRUPTED_WORDS)
    return result if isinstance(result, int) else DONE


def _run(verb: str, arguments: Sequence[str]) -> object:
    """Run a verb and import no other; the list of verbs imports none."""
    if verb in COMPLETION or ASKED_BY_SHELL in os.environ:
        from strut.cli.completion import complete  # noqa: PLC0415  (it loads the command-line library)

        return complete()
    if verb in ("--help", "--version"):
        print(_help() if verb == "--help" else _version())
        return DONE
    import typer  # noqa: PLC0415  (slower than the list of verbs)

    from strut.cli.completion import app_of  # noqa: PLC0415

    app = app_of(verb)
    if app.registered_groups or len(app.registered_commands) > 1:
        arguments = arguments or ["--help"]
    try:
        return app(args=list(arguments), prog_name=f"strut {verb}", standalone_mode=False)
    except typer.Abort:  # a question that was answered with no, or not at all
        raise StoppedError("Stopped; nothing was done.") from None
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # which the library turns into an exit code
            raise end.__context__ from None
        raise


def _print_refusal(refusal: RefusedError) -> None:
    """Print the receipt of a refused motion as JSON, or at least every reason."""
    from strut.cli.screen import print_json  # noqa: PLC0415  (already imported when a motion is refused)

    receipt = refusal.receipt and refusal.receipt.as_dict()
    print_json(receipt or {"verdict": "refused", "reasons": [asdict(reason) for reason in refusal.reasons]})


def _explained(error: BaseException, verb: str) -> tuple[str, int]:
    """Return the sentence about an error and the exit code; no traceback reaches a user."""
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

  Make robots and human models move with an emotion, and check that the motion is physically feasible.
  `strut VERB --help` lists its options, with an example.

Verbs:
{verbs}

Options:
  --quiet      Show no progress; with every verb.
  --install-completion
               Let the Tab key complete verbs, options, robots and emotions in this shell.
  --show-completion
               Print what that adds to the shell.
  --version    Print the version.
  --help       Print this."""


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415

    return f"strut {version('strut')}"
