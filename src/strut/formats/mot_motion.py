"""MOT and STO as motions: OpenSim's tables of joint angles, with the base as strut writes it in `mot`.

Columns are found by name; OpenSim's paths (/jointset/knee_r/knee_angle_r/value) stand for their coordinate.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from strut.formats.mot import BASE_COLUMNS, parse_mot
from strut.formats.reader import require
from strut.formats.robot_track import RobotTrack, motion_of_track
from strut.motion import Motion
from strut.robot import Robot


class MotMotionReader:
    """Reads joint angles."""

    endings = (".mot", ".sto")
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins as a table without ground forces does."""
        return b"endheader" in head.lower() and b"force_v" not in head

    def read(self, content: bytes, path: Path, *, robot: Robot | str) -> Motion:
        """Return the motion of a robot.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
        """
        table = parse_mot(content.decode("utf-8-sig", errors="replace"))
        finite = np.isfinite(table.values).all(axis=1) & np.isfinite(table.time_s)
        require(bool(finite.all()), f"has a number that is missing or not finite in row {np.argmin(finite) + 1}.")
        columns = {_coordinate(name): column for column, name in enumerate(table.names) if not _is_rate(name)}
        unit = np.pi / 180.0 if table.in_degrees else 1.0
        base_m = base_quaternion = None
        if all(name in columns for name in BASE_COLUMNS):
            base = table.values[:, [columns[name] for name in BASE_COLUMNS]]
            base_m = base[:, :3]
            base_quaternion = Rotation.from_euler("YXZ", base[:, 3:] * unit).as_quat(scalar_first=True)
        joints = {name: column for name, column in columns.items() if name not in BASE_COLUMNS}
        notes = (*table.notes, f"Angles are in {'degrees' if table.in_degrees else 'radians'}.")
        track = RobotTrack(
            time_s=table.time_s,
            joint_rad=table.values[:, list(joints.values())] * unit,
            joint_names=tuple(joints),
            base_m=base_m,
            base_quaternion=base_quaternion,
            quaternion_order="wxyz",
            notes=notes,
            meta={"source": path.name},
        )
        return motion_of_track(track, robot, quaternions="wxyz")


def _coordinate(name: str) -> str:
    """Return the coordinate of a column."""
    return name.removesuffix("/value").rpartition("/")[2]


def _is_rate(name: str) -> bool:
    """Return whether a column of OpenSim's states is a speed or belongs to a muscle."""
    return name.startswith("/") and not name.endswith("/value")


READER = MotMotionReader()
