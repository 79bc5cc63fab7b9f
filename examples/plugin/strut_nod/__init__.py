"""Adds to strut a robot that nods, its gait, a file format and a limit. CONTRIBUTING.md explains each."""

from pathlib import Path

NODDER = Path(__file__).parent / "robots" / "nodder"
