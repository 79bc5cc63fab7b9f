"""Entry: where `strut` starts. Light to import, so that Ctrl-C is understood from the first moment on."""

import os
import sys
import warnings

from strut.cli.streams import INTERRUPTED, INTERRUPTED_WORDS, complain, open_streams, settle_streams
from strut.plumbing.cancellation import INTERRUPTS


def run() -> None:
    """Run the command of this process."""
    try:
        code = _code_unless_interrupted()
    except KeyboardInterrupt:
        complain(INTERRUPTED_WORDS)
        code = INTERRUPTED
        # CPython ends by the signal after an exec that was interrupted (dataclasses are made by one), else by the code
        exec("")
    settle_streams()
    sys.exit(code)


def _code_unless_interrupted() -> int:
    """Return the exit code of the command, after which nobody listens to Ctrl-C any more."""
    try:
        INTERRUPTS.install()
        open_streams()
        warnings.filterwarnings("ignore", message=r"Glyph \d+")  # letters that a picture's font lacks become boxes
        os.environ.setdefault("MUJOCO_GL", "disable")  # nothing here draws with it; it would start a process to look
        from strut.cli.main import main  # noqa: PLC0415  (takes a while, in which people may change their minds)

        return main(sys.argv[1:])
    except Exception as error:
        if INTERRUPTS.was_pressed:  # in the middle of that import
            raise KeyboardInterrupt from error
        raise
    finally:
        INTERRUPTS.ignore()
