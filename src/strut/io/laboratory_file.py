"""Laboratory file: a motion of any robot as the markers (C3D, TRC) or angles (MOT) that gait laboratories read."""

from __future__ import annotations

from dataclasses import dataclass

from strut.capture.mot_file import MotWriter
from strut.capture.recording_file import motion_content
from strut.models.catalogue import robot_of
from strut.motion import Motion


@dataclass(slots=True)
class LaboratoryFile:
    """Writes one of the formats: markers that the robot wears, or else the origins of its bodies; or its angles."""

    ending: str

    def content(self, motion: Motion) -> bytes:
        """Return the file: markers in mm (C3D) or m (TRC), angles in degrees and places in m (MOT)."""
        return motion_content(motion, robot_of(motion), self.ending)

    def lost(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format has no place for."""
        without = MotWriter().lost(motion)
        return without if self.ending == ".mot" else ("joint angles", *without)
