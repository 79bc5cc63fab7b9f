"""Markers as CSV: a column `time` or `time_s`, and three columns for each marker: LASI_x, LASI_y, LASI_z."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from strut.formats.length_units import METRES
from strut.formats.marker_labels import unique_labels, without_prefix
from strut.formats.number_table import frame_rate, parse_rows
from strut.formats.reader import require
from strut.recording import Recording

_TIME = re.compile(r"^time(_s| ?\[?\(?s\)?\]?)?$", re.IGNORECASE)
_COLUMN = re.compile(r"^(?P<name>.+?)[ _.:](?P<axis>[xyzXYZ])(?:[ _.]?[\[(]?(?P<unit>mm|cm|m)[\])]?)?$")


class MarkerCsvReader:
    """Reads markers from a table."""

    endings = (".csv",)
    returns = Recording

    def recognizes(self, head: bytes) -> bool:
        """Return whether the first line names a time and a marker."""
        names = _header(head.decode("utf-8-sig", errors="replace").partition("\n")[0])
        return any(map(_TIME.match, names)) and any(map(_COLUMN.match, names))

    def read(self, content: bytes, path: Path) -> Recording:
        """Return the markers; raises FormatError.

        A unit may follow the axis (LASI_x_mm); without one, lengths are in metres.
        """
        first, *lines = content.decode("utf-8-sig", errors="replace").splitlines() or [""]
        header = _header(first)
        time_columns = [index for index, name in enumerate(header) if _TIME.match(name)]
        require(len(time_columns) > 0, "has no column 'time' or 'time_s' in its first line.")
        columns: dict[str, dict[str, tuple[int, float]]] = {}  # by marker and axis: column, and metres in its unit
        for index, name in enumerate(header):
            if match := _COLUMN.match(name):
                axes = columns.setdefault(without_prefix(match["name"]), {})
                axes[match["axis"].lower()] = (index, METRES[match["unit"] or "m"])
        complete = {label: axes for label, axes in columns.items() if set(axes) == {"x", "y", "z"}}
        require(len(complete) > 0, "has no markers: three columns such as LASI_x, LASI_y, LASI_z make one.")
        table = parse_rows(lines, len(header), 2, ",")
        paths_m = [
            np.column_stack([table[:, axes[axis][0]] * axes[axis][1] for axis in "xyz"]) for axes in complete.values()
        ]
        rate_hz = frame_rate(table[:, time_columns[0]])
        return Recording(path.stem, rate_hz, unique_labels([*complete]), np.stack(paths_m, axis=1))


def _header(line: str) -> list[str]:
    return [field.strip().strip('"') for field in line.split(",")]


READER = MarkerCsvReader()
