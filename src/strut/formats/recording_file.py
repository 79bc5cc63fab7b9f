"""Recording file: a file of a gait laboratory, in any of the formats that are read."""

from __future__ import annotations

from pathlib import Path

from strut.formats.reader import find_readers, read_file
from strut.recording import Recording


def read_recording(path: Path | str, *, unit_m: float | None = None) -> Recording:
    """Return the recording in a file, in the axes of its laboratory; raises RecordingFileError with the reason.

    Args:
        path: A C3D, TRC, MOT, STO, BVH or CSV file; its ending names the format.
        unit_m: Metres in one unit of a BVH file; files of other formats name their unit.

    Example:
        >>> strut.read_recording("walk.c3d").marker_names
    """
    path = Path(path)
    if unit_m is None or not any(find_readers(Recording, path.suffix, {"unit_m"})):
        return read_file(Recording, path)
    return read_file(Recording, path, unit_m=unit_m)
