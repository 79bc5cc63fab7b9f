"""Streams: stdout and stderr as they really are: closed, read by nobody, full, or without our letters."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper

INTERRUPTED = 130  # exit code of Ctrl-C
INTERRUPTED_WORDS = "Interrupted; nothing half-written was left behind."


def open_streams() -> None:
    """Open what the shell closed (`>&-`), and let letters that a terminal does not have become question marks."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):  # in the order of their numbers
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: PTH123, SIM115  (open as long as the process is)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def settle_streams() -> None:
    """Write out what is left; what nobody reads any more goes nowhere, or Python would complain about it at the end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def complain(sentence: str) -> None:
    """Tell people what went wrong, in one line; if nobody listens, the exit code alone has to say it."""
    try:
        print(f"strut: {' '.join(sentence.split())}", file=sys.stderr, flush=True)
    except OSError:
        settle_streams()
