"""The command that `strut check` proposes for a plan that breaks a limit."""

from __future__ import annotations

from pathlib import Path

from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.retargeting.repair_drafts import can_be_repaired


def next_command(file: Path, motion: Motion, sound: bool) -> tuple[str, ...] | None:
    """Return `strut repair` for a plan that breaks a limit, if motions of its robot can be repaired."""
    if sound or "simulated" in motion.meta or not can_be_repaired(robot_of(motion)):
        return None
    return ("strut repair", str(file), "--out", str(file.with_name(f"{file.stem}_repaired.npz")))
