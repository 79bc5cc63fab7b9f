"""TRC: markers as tab-separated text, as OpenSim and Motion Analysis write them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.formats.c3d_reader import METRES
from strut.formats.marker_labels import unique_labels, without_prefix
from strut.formats.number_table import number, parsed_rows, refuse_unless, tab_separated
from strut.recording import Recording

HEADER_LINES = 5
MOST_MARKERS = 10_000


def recording_from_trc(content: str, name: str) -> Recording:
    """Return the recording of a TRC text; raises TableDamageError with words that fit after the file's name."""
    content, notes = tab_separated(content)
    lines = content.splitlines()
    refuse_unless(content.startswith("PathFileType"), "is not a TRC file: it does not begin with PathFileType.")
    refuse_unless(len(lines) > HEADER_LINES, "is cut short: it has no frames.")
    facts = _facts(lines)
    unit = facts.get("Units", "").lower()
    refuse_unless(unit in METRES, f"gives its markers in '{unit}', which is no known unit of length.")
    names = _names(lines[3], facts)
    table = parsed_rows(lines[HEADER_LINES:], 2 + 3 * len(names), HEADER_LINES + 1, "\t")
    promised = _fact(facts, "NumFrames")
    refuse_unless(
        not promised > len(table), f"is cut short: its header promises {promised:g} frames and {len(table)} are there."
    )
    markers = table[:, 2:].reshape(len(table), -1, 3) * METRES[unit]
    notes = (f"Lengths are in {unit}.", *notes)
    return Recording(name, _fact(facts, "DataRate"), unique_labels(names), markers, notes=notes)


def _facts(lines: Sequence[str]) -> dict[str, str]:
    keys, values = ([field.strip() for field in line.split("\t")] for line in lines[1:3])
    return dict(zip(keys, values, strict=False))


def _fact(facts: dict[str, str], key: str) -> float:
    return number(facts.get(key, ""), 3)


def _names(line: str, facts: dict[str, str]) -> list[str]:
    names = [without_prefix(field) for field in line.split("\t")[2:] if field.strip()]
    fits = 0 < len(names) < MOST_MARKERS and len(names) == _fact(facts, "NumMarkers")
    refuse_unless(fits, f"is a damaged TRC file: it names {len(names)} markers, which is not what its header promises.")
    return names


def trc_content(recording: Recording) -> bytes:
    """Return markers as a file in metres, y and z as they are: the format says nothing about axes."""
    frames, count = recording.markers_m.shape[:2]
    rate = f"{recording.rate_hz:g}"
    axes = "\t".join(f"X{index}\tY{index}\tZ{index}" for index in range(1, count + 1))
    lines = [
        f"PathFileType\t4\t(X/Y/Z)\t{recording.name}.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
        f"{rate}\t{rate}\t{frames}\t{count}\tm\t{rate}\t1\t{frames}",
        "Frame#\tTime\t" + "\t\t\t".join(recording.marker_names) + "\t\t",
        f"\t\t{axes}",
        "",
    ]
    flat = recording.markers_m.reshape(frames, -1)
    rows = [
        f"{index}\t{index / recording.rate_hz - 1.0 / recording.rate_hz:.6f}\t{fields(row, chr(9))}"
        for index, row in enumerate(flat, start=1)
    ]
    return "\n".join([*lines, *rows, ""]).encode()


def fields(row: Sequence[float] | np.ndarray, separator: str) -> str:
    """Return numbers as text; what is not known is empty."""
    return separator.join(f"{value:.6f}" for value in row).replace("nan", "")
