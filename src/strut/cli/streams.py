"""Streams: stdin, stdout and stderr may be closed, a broken pipe, full, or unable to encode our letters."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

INTERRUPTED = 130  # exit code of Ctrl-C
INTERRUPTED_WORDS = "Interrupted; no incomplete file is left."


def open_streams() -> None:
    """Open streams that the shell closed (`>&-`); letters that a terminal cannot show become question marks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of their numbers
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  (open as long as the process is)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def settle_streams() -> None:
    """Flush the streams; redirect a broken one to nowhere, so that Python does not report it at shutdown."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(sentence: str) -> None:
    """Print an error in one line on stderr; if stderr is gone, only the exit code reports it."""
    try:
        print(f"strut: {' '.join(sentence.split())}", file=sys.stderr, flush=True)
    except OSError:
        settle_streams()
