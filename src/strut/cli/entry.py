"""Entry: where `strut` starts. Light to import, so that Ctrl-C is understood from the first moment on."""

import sys

from strut.cli.interruption import INTERRUPTED, INTERRUPTED_WORDS


def run() -> None:
    """Run the command of this process."""
    try:
        from strut.cli.main import main  # noqa: PLC0415  (takes a second, in which people may change their minds)

        code = main(sys.argv[1:])
    except KeyboardInterrupt:
        print(INTERRUPTED_WORDS, file=sys.stderr)
        code = INTERRUPTED
    sys.exit(code)
