"""The command that `strut check` proposes for a run of a robot's own controllers."""

from __future__ import annotations

from pathlib import Path

from strut.motion import Motion
from strut.pilot.piloted_rerun import can_be_run_again, is_piloted


def next_command(file: Path, motion: Motion, sound: bool) -> tuple[str, ...] | None:
    """Return `strut show` for a sound run that cannot be simulated again, because it does not hold its commands."""
    return ("strut show", str(file)) if sound and is_piloted(motion) and not can_be_run_again(motion) else None
