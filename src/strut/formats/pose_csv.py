"""Pose CSV: rows of a base's position and quaternion (xyzw), then joint angles, without a header.

Unitree publishes the LAFAN1 walks of its humanoids that way, 30 rows a second; many tools read it.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from strut.errors import BadMotionError
from strut.formats.number_table import parse_rows
from strut.formats.reader import require
from strut.formats.robot_track import MAX_RATE_HZ, RobotTrack, motion_of_track, omitted_beside_poses
from strut.models.catalogue import robot_of
from strut.models.joint_order import joint_order, known_order
from strut.motion import Motion
from strut.robot import FLOATING, Robot

RATE_HZ = 30.0  # of Unitree's files; the file itself does not say it


class PoseCsvReader:
    """Reads motions from such tables."""

    endings = (".csv",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether the first line holds nothing but numbers: a base and at least one joint."""
        line = head.decode("utf-8-sig", errors="replace").partition("\n")[0]
        fields = line.strip().split(",")
        return len(fields) > FLOATING and all(map(_is_number, fields))

    def read(
        self,
        content: bytes,
        path: Path,
        *,
        robot: Robot | str,
        rate_hz: float = RATE_HZ,
        joints: str | None = None,
        quaternions: str | None = None,
        floor_m: float = 0.0,
    ) -> Motion:
        """Return the motion of a robot.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
            rate_hz: Rows per second.
            joints: Order of joints (`depth-first` or `breadth-first`) if it is known.
            quaternions: Order of their numbers (`xyzw` or `wxyz`) if it is known.
            floor_m: Height of the floor in the file.
        """
        require(0.0 < rate_hz <= MAX_RATE_HZ, f"cannot have {rate_hz:g} rows per second.")
        lines = content.decode("utf-8-sig", errors="replace").splitlines()
        require(bool(lines) and self.recognizes(content[:100_000]), "is no table of numbers without a header.")
        table = parse_rows(lines, lines[0].count(",") + 1, 1, ",")
        finite = np.isfinite(table).all(axis=1)
        require(bool(finite.all()), f"has a number that is missing or not finite in line {np.argmin(finite) + 1}.")
        track = RobotTrack(
            time_s=np.arange(len(table)) / rate_hz,
            joint_rad=table[:, FLOATING:],
            base_m=table[:, :3],
            base_quaternion=table[:, 3:FLOATING],
            joint_order="depth-first",
            quaternion_order="xyzw",
            notes=(f"The file does not say its rate; {rate_hz:g} rows per second are taken.",),
            meta={"source": path.name},
        )
        return motion_of_track(track, robot, joints=joints, quaternions=quaternions, floor_m=floor_m)


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


class PoseCsvWriter:
    """Writes a motion as such a table, with the rate of the motion."""

    ending = ".csv"

    def encode(self, motion: Motion, *, order: str | None = None) -> bytes:
        """Return the table; `order` lists joints differently (`breadth-first`)."""
        robot = robot_of(motion, needs_feet=False)
        if not robot.floats:
            raise BadMotionError(f"{robot.name} has no floating base, which this format needs.")
        rank = joint_order(robot, known_order(order or "depth-first"))
        base = motion.qpos[:, [0, 1, 2, 4, 5, 6, 3]]
        buffer = io.StringIO()
        np.savetxt(buffer, np.column_stack([base, motion.joint_angles_rad[:, rank]]), fmt="%.9g", delimiter=",")
        return buffer.getvalue().encode()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return ("the rate", "names of joints", *omitted_beside_poses(motion))


READER = PoseCsvReader()
WRITER = PoseCsvWriter()
