"""Markers as CSV: a column `time` or `time_s`, and three columns for each marker: LASI_x, LASI_y, LASI_z."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from strut.arrays import Array
from strut.formats.marker_labels import unique_labels, without_prefix
from strut.formats.number_table import frame_rate, parsed_rows, refuse_unless
from strut.formats.trc_file import fields
from strut.recording import Recording

_TIME = re.compile(r"^time(_s| ?\[?\(?s\)?\]?)?$", re.IGNORECASE)
_COLUMN = re.compile(r"^(?P<name>.+?)[ _.:](?P<axis>[xyzXYZ])(?:[ _.]?[\[(]?(?P<unit>mm|cm|m)[\])]?)?$")
_METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, None: 1.0}

AxisColumns = Mapping[str, tuple[int, float]]  # column and unit of x, y and z


def recording_from_csv(content: str, name: str) -> Recording:
    """Return the recording of a table; raises TableDamageError with words that fit after the file's name.

    A unit may stand behind the axis (LASI_x_mm); a bare length is metres.
    """
    head, *lines = content.splitlines() or [""]
    header = [field.strip().strip('"') for field in head.split(",")]
    clock = [index for index, field in enumerate(header) if _TIME.match(field)]
    refuse_unless(len(clock) > 0, "has no column 'time' or 'time_s' in its first line.")
    columns = _columns(header)
    refuse_unless(len(columns) > 0, "has no markers: three columns such as LASI_x, LASI_y, LASI_z make one.")
    table = parsed_rows(lines, len(header), 2, ",")
    markers = np.stack([_path(table, axes) for axes in columns.values()], axis=1)
    return Recording(name, frame_rate(table[:, clock[0]]), unique_labels([*columns]), markers)


def _columns(header: Sequence[str]) -> dict[str, AxisColumns]:
    """Return the columns of each marker that has all three axes."""
    places: dict[str, dict[str, tuple[int, float]]] = {}
    for index, field in enumerate(header):
        if found := _COLUMN.match(field):
            axes = places.setdefault(without_prefix(found["name"]), {})
            axes[found["axis"].lower()] = index, _METRES[found["unit"]]
    return {label: axes for label, axes in places.items() if set(axes) == {"x", "y", "z"}}


def _path(table: Array, axes: AxisColumns) -> Array:
    return np.column_stack([table[:, axes[axis][0]] * axes[axis][1] for axis in "xyz"])


def marker_csv_content(recording: Recording) -> bytes:
    """Return markers as a table in metres."""
    names = ",".join(f"{marker}_x_m,{marker}_y_m,{marker}_z_m" for marker in recording.marker_names)
    flat = np.column_stack([recording.time_s, recording.markers_m.reshape(len(recording.markers_m), -1)])
    return "\n".join([f"time_s,{names}", *(fields(row, ",") for row in flat), ""]).encode()
