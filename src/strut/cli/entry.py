"""Entry: where `strut` starts. It imports little, so that Ctrl-C is handled from the first moment."""

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
    """Return the exit code of the command; afterwards SIGINT is ignored until the process ends."""
    try:
        INTERRUPTS.install()
        open_streams()
        warnings.filterwarnings("ignore", message=r"Glyph \d+")  # letters that the font of a picture lacks become boxes
        os.environ.setdefault("MUJOCO_GL", "disable")  # unused here; looking for it would start a process
        from strut.cli.main import main  # noqa: PLC0415  (takes so long that Ctrl-C may come during it)

        return main(sys.argv[1:])
    except Exception as error:
        if INTERRUPTS.was_pressed:  # Ctrl-C during that import
            raise KeyboardInterrupt from error
        raise
    finally:
        INTERRUPTS.ignore()
