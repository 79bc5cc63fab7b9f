"""Interruption: the exit code and the words after Ctrl-C."""

INTERRUPTED = 130
INTERRUPTED_WORDS = "strut: Interrupted; nothing half-written was left behind."
