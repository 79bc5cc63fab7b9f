"""Recording file: a file of any known kind → recording; recordings and motions → files of other laboratories."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from strut.engines.rigid_body import body_poses, point_positions
from strut.errors import BadRecordingError, RecordingFileError, UnknownNameError
from strut.formats.bvh_file import recording_from_bvh
from strut.formats.c3d_parameters import C3dDamageError
from strut.formats.c3d_reader import recording_from_c3d
from strut.formats.c3d_writer import c3d_content
from strut.formats.marker_csv import marker_csv_content, recording_from_csv
from strut.formats.mot_file import mot_content, recording_from_mot
from strut.formats.number_table import TableDamageError
from strut.formats.trc_file import recording_from_trc, trc_content
from strut.motion import Motion
from strut.recording import Recording
from strut.robot import Robot

LARGEST_BYTES = 2_000_000_000
ENDINGS = (".c3d", ".trc", ".mot", ".sto", ".bvh", ".csv")


MARKER_WRITERS: dict[str, Callable[[Recording], bytes]] = {
    ".c3d": c3d_content,
    ".trc": trc_content,
    ".csv": marker_csv_content,
}


def read_recording(path: Path | str, *, unit_m: float | None = None) -> Recording:
    """Return the recording of a file, in the axes of its laboratory; raises RecordingFileError with the reason.

    Args:
        path: A C3D, TRC, MOT, STO, BVH or CSV file, told by its ending.
        unit_m: What one unit of a BVH file is in metres; other formats tell it themselves.

    Example:
        >>> strut.read_recording("walk.c3d").marker_names
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise RecordingFileError(path, f"is none of the kinds that are read ({', '.join(ENDINGS)}).")
    try:
        if path.stat().st_size > LARGEST_BYTES:
            raise RecordingFileError(path, f"is larger than {LARGEST_BYTES / 1e9:g} GB.")
        content = path.read_bytes()
    except OSError as error:
        raise RecordingFileError(path, f"cannot be read: {error.strerror}.") from error
    try:
        return recording_from(content, ending, path.stem, unit_m=unit_m)
    except (C3dDamageError, TableDamageError) as error:
        raise RecordingFileError(path, str(error)) from error
    except BadRecordingError as error:
        raise RecordingFileError(path, f"holds no recording: {error}") from error


def recording_from(content: bytes, ending: str, name: str, *, unit_m: float | None = None) -> Recording:
    """Return the recording of a file's bytes; raises C3dDamageError, TableDamageError or BadRecordingError."""
    with np.errstate(all="ignore"):  # damaged files hold any number
        if ending == ".c3d":
            return recording_from_c3d(content, name)
        text = content.decode("utf-8-sig", errors="replace")
        if ending == ".bvh":
            return recording_from_bvh(text, name, unit_m)
        if ending == ".trc":
            return recording_from_trc(text, name)
        return recording_from_csv(text, name) if ending == ".csv" else recording_from_mot(text, name)


def recording_of(motion: Motion, robot: Robot) -> Recording:
    """Return a motion as markers: those that the robot wears, or else the origins of its bodies."""
    motion.check_even()
    rate_hz = (len(motion.time_s) - 1) / float(motion.time_s[-1] - motion.time_s[0])
    if robot.tables.markers is not None:
        worn = [(segment, name, at) for segment, own in robot.markers.segment.items() for name, at in own.items()]
        places = point_positions(robot.model, [(segment, at) for segment, _, at in worn], motion.qpos)
        return Recording(motion.robot, rate_hz, tuple(name for _, name, _ in worn), places)
    names = tuple(robot.model.body(index).name for index in range(1, robot.model.nbody))
    return Recording(motion.robot, rate_hz, names, body_poses(robot.model, names, motion.qpos)[0])


def motion_content(motion: Motion, robot: Robot, ending: str) -> bytes:
    """Return a motion as the bytes of a file: .c3d, .trc or .csv with its markers, .mot with its angles."""
    if ending == ".mot":
        return mot_content(motion)
    if ending not in MARKER_WRITERS:
        raise UnknownNameError("file format", ending, (*MARKER_WRITERS, ".mot"), "docs/recordings.md")
    return MARKER_WRITERS[ending](recording_of(motion, robot))
