"""`python -m strut` is `strut`."""

from strut.cli.entry import run

run()
