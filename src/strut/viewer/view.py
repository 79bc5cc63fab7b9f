"""View: from where and how pictures and films show motions: camera, size, text and background."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.errors import OutOfRangeError
from strut.plumbing.number_text import join_words
from strut.viewer.camera import ELEVATION_RAD
from strut.viewer.footage import SideBySide
from strut.viewer.loop import heading_rad
from strut.viewer.width import check_width

_LEVEL_RAD = float(np.deg2rad(8.0))  # from slightly above, so that the floor is visible
DIRECTIONS = {
    "side": (float(np.deg2rad(-90.0)), _LEVEL_RAD),
    "front": (0.0, _LEVEL_RAD),
    "three-quarter": (float(np.deg2rad(-45.0)), ELEVATION_RAD),
}  # azimuth from ahead of the robot and elevation; a robot seen from its right side walks to the right
MOVES = ("follow", "fixed")


@dataclass(frozen=True, slots=True)
class View:
    """How pictures and films show motions.

    Args:
        camera: Its direction (side, front or three-quarter), what it does (follow the robot, or stay fixed with the
            whole way in view), or both with a comma between; if None, chosen by the motion.
        plain: Whether titles, verdicts, legend and marks on the ground are left out.
        transparent: Whether floor and backdrop are, too; the shadow stays.
        size_px: Width and height of all that is shown; if None, as high as the width asks for.
    """

    camera: str | None = None
    plain: bool = False
    transparent: bool = False
    size_px: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        directions = [word for word in self._words if word in DIRECTIONS]
        moves = [word for word in self._words if word in MOVES]
        if len(directions) > 1 or len(moves) > 1 or len(directions) + len(moves) < len(self._words):
            known = join_words([*DIRECTIONS, *MOVES], last="or")
            raise OutOfRangeError(f"The camera is '{self.camera}'; choose {known}, or two such as side,fixed.")

    @property
    def _words(self) -> list[str]:
        return [] if self.camera is None else [word.strip() for word in self.camera.split(",")]

    @property
    def move(self) -> str | None:
        """What the camera does: follow, fixed, or None for the choice of the motion."""
        return next((word for word in self._words if word in MOVES), None)

    @property
    def direction(self) -> str | None:
        """Direction of the camera by name, or None for the choice of the motion."""
        return next((word for word in self._words if word in DIRECTIONS), None)

    @property
    def has_text(self) -> bool:
        """Whether there are titles, verdicts, legend and marks."""
        return not (self.plain or self.transparent)

    def angles_rad(self, shown: SideBySide) -> tuple[float, float]:
        """Return azimuth in world and elevation of the camera on motions."""
        if self.direction is None:
            return shown.azimuth_rad, shown.elevation_rad
        azimuth_rad, elevation_rad = DIRECTIONS[self.direction]
        return azimuth_rad + heading_rad(shown.robots[0], shown.motions[0].qpos[0]), elevation_rad

    def check(self, count: int) -> None:
        """Raise OutOfRangeError if that many robots side by side do not fit into the size."""
        if self.size_px is not None:
            check_width(self.size_px[0], count)
            check_width(self.size_px[1], 1)
