"""Five walks: Mr. Pete with five emotions, the stimuli of the benchmarks of studies."""

from __future__ import annotations

from pathlib import Path

from strut import walk
from strut.formats.motion_file import save_motion

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")


def five_walks(folder: Path) -> list[Path]:
    """Write a walk of each emotion into a folder; return the files."""
    paths = [folder / f"{emotion}.npz" for emotion in EMOTIONS]
    for path in paths:
        save_motion(walk("mrpete", path.stem, cycles=2, rate_hz=50.0), path)
    return paths
