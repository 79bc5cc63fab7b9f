"""`python -m strut` is `strut`."""

from strut.cli.main import run

run()
