"""Interruption: what Ctrl-C means on the command line: the exit code and the words."""

INTERRUPTED = 130
INTERRUPTED_WORDS = "strut: Interrupted; nothing half-written was left behind."
