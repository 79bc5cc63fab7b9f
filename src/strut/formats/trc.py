"""TRC: markers as tab-separated text, as OpenSim and Motion Analysis write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from strut.formats.length_units import METRES
from strut.formats.marker_labels import unique_labels, without_prefix
from strut.formats.motion_markers import motion_markers, omitted_beside_markers
from strut.formats.number_table import format_numbers, parse_number, parse_rows, tab_separated
from strut.formats.reader import require
from strut.motion import Motion
from strut.recording import Recording

HEADER_LINES = 5
MAX_MARKERS = 10_000
FIRST_WORD = "PathFileType"


class TrcReader:
    """Reads markers."""

    endings = (".trc",)
    returns = Recording

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins as TRC files do."""
        return head.removeprefix(b"\xef\xbb\xbf").startswith(FIRST_WORD.encode())

    def read(self, content: bytes, path: Path) -> Recording:
        """Return the markers; raises FormatError."""
        text, notes = tab_separated(content.decode("utf-8-sig", errors="replace"))
        lines = text.splitlines()
        require(text.startswith(FIRST_WORD), f"is not a TRC file: it does not begin with {FIRST_WORD}.")
        require(len(lines) > HEADER_LINES, "is cut short: it has no frames.")
        keys, values = ([field.strip() for field in line.split("\t")] for line in lines[1:3])
        header = dict(zip(keys, values, strict=False))
        unit = header.get("Units", "").lower()
        require(unit in METRES, f"gives its markers in '{unit}', which is no known unit of length.")
        names = [without_prefix(field) for field in lines[3].split("\t")[2:] if field.strip()]
        markers_promised = parse_number(header.get("NumMarkers", ""), 3)
        has_names = 0 < len(names) < MAX_MARKERS and len(names) == markers_promised
        require(
            has_names,
            f"is a damaged TRC file: it names {len(names)} markers, which is not what its header promises.",
        )
        table = parse_rows(lines[HEADER_LINES:], 2 + 3 * len(names), HEADER_LINES + 1, "\t")
        frames = parse_number(header.get("NumFrames", ""), 3)
        is_whole = not frames > len(table)  # a header may leave the number out
        require(is_whole, f"is cut short: its header promises {frames:g} frames and {len(table)} are there.")
        markers_m = table[:, 2:].reshape(len(table), -1, 3) * METRES[unit]
        rate_hz = parse_number(header.get("DataRate", ""), 3)
        notes = (f"Lengths are in {unit}.", *notes)
        return Recording(path.stem, rate_hz, unique_labels(names), markers_m, notes=notes)


class TrcWriter:
    """Writes the markers that the robot wears, or else the origins of its bodies."""

    ending = ".trc"

    def encode(self, motion: Motion) -> bytes:
        """Return the file, in metres."""
        return encode_trc(motion_markers(motion))

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return omitted_beside_markers(motion)


def encode_trc(recording: Recording) -> bytes:
    """Return the markers as a file in metres, in the axes of the recording: the format does not define any."""
    frames, count = recording.markers_m.shape[:2]
    rate = f"{recording.rate_hz:g}"
    axes = "\t".join(f"X{index}\tY{index}\tZ{index}" for index in range(1, count + 1))
    header = [
        f"{FIRST_WORD}\t4\t(X/Y/Z)\t{recording.name}.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\tm\t{rate}\t1\t{frames}",
        "Frame#\tTime\t" + "\t\t\t".join(recording.marker_names) + "\t\t",
        f"\t\t{axes}",
        "",
    ]
    rows = [
        f"{index}\t{index / recording.rate_hz - 1.0 / recording.rate_hz:.6f}\t{format_numbers(row, chr(9))}"
        for index, row in enumerate(np.reshape(recording.markers_m, (frames, -1)), start=1)
    ]
    return "\n".join([*header, *rows, ""]).encode()


READER = TrcReader()
WRITER = TrcWriter()
