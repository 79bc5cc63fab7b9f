"""`strut export --to rig`: the rig of a robot for the Blender add-on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from strut.animation.rig_file import export_rig
from strut.motion import Motion
from strut.plumbing.number_text import format_count
from strut.robot import Robot


def write_rig(source: Motion | Robot, name: Path, out: Path | None, *, force: bool) -> tuple[dict[str, Any], str]:
    """Write the rig of a robot, or of a motion's robot in its first pose; return JSON values and a line for people."""
    path = out or Path(f"{name.with_suffix('').name}_rig.json")
    rig = export_rig(source, path, force=force)
    numbers = {"file": str(path), "format": "rig", "robot": rig.robot, "bones": len(rig.names)}
    bones = format_count(len(rig.names), "[bone|bones]")
    return (
        numbers,
        f"wrote {path} ({bones}); next: in Blender, File > Import > strut rig (docs/how_to/work_with_blender.md)",
    )
