"""Markers as CSV: a column `time` or `time_s`, and three columns for each marker: LASI_x, LASI_y, LASI_z."""

from __future__ import annotations

import csv
import io
import re

import numpy as np

from strut.capture.marker_labels import unique_labels, without_prefix
from strut.capture.number_table import TableDamageError, frame_rate, parsed_rows
from strut.recording import Recording

_COLUMN = re.compile(r"^(?P<name>.+?)[ _.:](?P<axis>[xyzXYZ])(?:[ _.]?[\[(]?(?P<unit>mm|cm|m)[\])]?)?$")
_METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0}


def recording_from_csv(content: str, name: str) -> Recording:
    """Return the recording of a table; raises TableDamageError with words that fit after the file's name.

    A unit may stand behind the axis (LASI_x_mm); a bare length is metres.
    """
    lines = content.splitlines()
    header = [field.strip() for field in next(csv.reader(io.StringIO(lines[0] if lines else "")), [])]
    clock = [index for index, field in enumerate(header) if re.fullmatch(r"time(_s| ?\[?\(?s\)?\]?)?", field.lower())]
    if not clock:
        raise TableDamageError("has no column 'time' or 'time_s' in its first line.")
    places: dict[str, dict[str, tuple[int, float]]] = {}
    for index, field in enumerate(header):
        if found := _COLUMN.match(field):
            axes = places.setdefault(without_prefix(found["name"]), {})
            axes[found["axis"].lower()] = index, _METRES[found["unit"] or "m"]
    whole = {label: axes for label, axes in places.items() if set(axes) == {"x", "y", "z"}}
    if not whole:
        raise TableDamageError("has no markers: three columns such as LASI_x, LASI_y, LASI_z make one.")
    table = parsed_rows(lines[1:], len(header), 2, ",")
    markers = np.stack(
        [np.column_stack([table[:, axes[axis][0]] * axes[axis][1] for axis in "xyz"]) for axes in whole.values()],
        axis=1,
    )
    return Recording(name, frame_rate(table[:, clock[0]]), unique_labels([*whole]), markers)


class MarkerCsvWriter:
    """Writes markers in metres."""

    ending = ".csv"

    def content(self, recording: Recording) -> bytes:
        """Return the table in UTF-8."""
        names = [f"{marker}_{axis}_m" for marker in recording.marker_names for axis in "xyz"]
        rows = [",".join(["time_s", *names])]
        flat = recording.markers_m.reshape(len(recording.markers_m), -1)
        for time_s, row in zip(recording.time_s, flat, strict=True):
            rows.append(",".join([f"{time_s:.6f}", *("" if np.isnan(value) else f"{value:.6f}" for value in row)]))
        return "\n".join([*rows, ""]).encode()

    def lost(self, recording: Recording) -> tuple[str, ...]:
        """Return what the recording has and the file does not."""
        has = {"analog": recording.analog is not None, "plates": recording.plates, "events": recording.events}
        return tuple(name for name, there in has.items() if there)
