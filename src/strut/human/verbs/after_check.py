"""The command that `strut check` proposes for a human walk."""

from __future__ import annotations

from pathlib import Path

from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.verify.landing_audit import lands_with_impacts


def next_command(file: Path, motion: Motion, sound: bool) -> tuple[str, ...] | None:
    """Return the command to propose for a human walk; None for a robot."""
    if not lands_with_impacts(robot_of(motion)):
        return None
    return ("strut analyze" if sound else "strut show", str(file))
