"""Files that take long to make: the first worker that needs one makes it, the others wait and read it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """Return a file of this test run; `make` writes it to the path it is given, in one worker alone."""
    folder = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # which all workers share
    path = folder / name
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # until it is closed
        if not path.exists():
            unfinished = path.with_name(f"unfinished_{name}")
            make(unfinished)
            unfinished.rename(path)
    return path
