"""Hand path file: a user's own path of a hand, from a table or from a motion of the same robot."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.frame_kinematics import frame_poses
from strut.errors import FileError
from strut.formats.motion_file import load_motion
from strut.gaits.hand_task.hand_path import HandPath, path_through
from strut.gaits.hand_task.named_tasks import hand_frame
from strut.plumbing.regular_file import check_regular
from strut.robot import Robot

POSITION = ("time_s", "x_m", "y_m", "z_m")
ORIENTATION = ("qw", "qx", "qy", "qz")


def is_path_file(name: str) -> bool:
    """Return whether a task is given as a file."""
    return Path(name).suffix.lower() in (".csv", ".npz")


def load_hand_path(robot: Robot, path: Path | str, hand: str) -> HandPath:
    """Return the path of a hand in a file.

    A `.csv` has a header and the columns time_s, x_m, y_m, z_m, in world, and for a path with attitudes qw, qx, qy, qz.
    An `.npz` is a motion of the same robot, whose hand is followed.
    """
    path = Path(path)
    frame = hand_frame(robot, hand)
    if not path.exists():
        raise FileError(path, "there is no such file.")
    if path.suffix.lower() == ".npz":
        motion = load_motion(path)
        if motion.robot != robot.name or motion.joint_names != robot.joint_names:
            raise FileError(path, f"is a motion of {motion.robot}; a hand path for {robot.name} must be its own.")
        position, rotation = frame_poses(robot, frame, motion.qpos)
        attitude = Rotation.from_matrix(rotation).as_quat(scalar_first=True)
        return path_through(path.name, hand, np.concatenate([motion.time_s[:, None], position, attitude], axis=1))
    table = _read_table(path)
    quaternions = table[:, len(POSITION) :]
    if quaternions.shape[1]:
        off = np.flatnonzero(np.abs(np.linalg.norm(quaternions, axis=1) - 1.0) > 1e-3)
        if len(off):
            raise FileError(path, f"the quaternion of row {int(off[0]) + 1} is not of unit length.")
    return path_through(path.name, hand, table)


def _read_table(path: Path) -> Array:
    """Return the rows of a table; raises FileError with the first row that is wrong. Shape (T, 4) or (T, 8)."""
    try:
        check_regular(path)
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}.") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise FileError(path, f"cannot be read as text: {error}.") from error
    header = tuple(name.strip() for name in lines[0]) if lines else ()
    if header not in (POSITION, POSITION + ORIENTATION):
        wanted = ",".join(POSITION)
        raise FileError(path, f"needs the columns {wanted} and, if the attitude matters, {','.join(ORIENTATION)}.")
    rows = [
        [_number(path, row, name, text) for name, text in zip(header, line, strict=False)]
        for row, line in enumerate(lines[1:], start=1)
        if _is_whole(path, row, line, len(header))
    ]
    if len(rows) < 4:
        raise FileError(path, f"has {len(rows)} rows; a path needs at least 4.")
    table = np.array(rows)
    backwards = np.flatnonzero(np.diff(table[:, 0]) <= 0.0)
    if len(backwards):
        raise FileError(path, f"time_s does not increase at row {int(backwards[0]) + 2}.")
    return table


def _is_whole(path: Path, row: int, line: list[str], columns: int) -> bool:
    if not any(text.strip() for text in line):
        return False
    if len(line) != columns:
        raise FileError(path, f"row {row} has {len(line)} columns instead of {columns}.")
    return True


def _number(path: Path, row: int, name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FileError(path, f"row {row} has '{text.strip()}' in {name}, which is not a finite number.")
    return value
