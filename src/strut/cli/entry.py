"""Entry: where `strut` starts. Light to import, so that Ctrl-C is understood from the first moment on."""

import os
import sys
import warnings

from strut.cli.streams import INTERRUPTED, INTERRUPTED_WORDS, complain, open_streams, settle_streams


def run() -> None:
    """Run the command of this process."""
    open_streams()
    warnings.filterwarnings("ignore", message=r"Glyph \d+")  # letters that a picture's font lacks become boxes
    os.environ.setdefault("MUJOCO_GL", "disable")  # nothing here draws with it, and it would start a process to look
    try:
        from strut.cli.main import main  # noqa: PLC0415  (takes a while, in which people may change their minds)

        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        complain(INTERRUPTED_WORDS)
        code = INTERRUPTED
    settle_streams()
    sys.exit(code)
