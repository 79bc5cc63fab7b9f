"""TRC: markers as tab-separated text, as OpenSim and Motion Analysis write them."""

from __future__ import annotations

import numpy as np

from strut.capture.c3d_reader import METRES
from strut.capture.marker_labels import unique_labels, without_prefix
from strut.capture.number_table import TableDamageError, parsed_rows
from strut.recording import Recording

HEADER_LINES = 5


def recording_from_trc(content: str, name: str) -> Recording:
    """Return the recording of a TRC text; raises TableDamageError with words that fit after the file's name."""
    lines = content.splitlines()
    if len(lines) < HEADER_LINES + 1 or not lines[0].startswith("PathFileType"):
        raise TableDamageError("is not a TRC file: it does not begin with PathFileType.")
    facts = dict(zip(lines[1].split("\t"), lines[2].split("\t"), strict=False))
    facts = {key.strip(): value.strip() for key, value in facts.items()}
    try:
        rate_hz, count = float(facts["DataRate"]), int(facts["NumMarkers"])
    except (KeyError, ValueError) as error:
        raise TableDamageError(
            f"is a damaged TRC file: its header lacks a rate or a number of markers ({error})."
        ) from error
    unit = facts.get("Units", "").lower()
    if unit not in METRES:
        raise TableDamageError(f"gives its markers in '{unit}', which is no known unit of length.")
    names = [without_prefix(field) for field in lines[3].split("\t")[2:] if field.strip()]
    if len(names) != count or not 0 < count < 10_000:
        raise TableDamageError(f"is a damaged TRC file: its header promises {count} markers and names {len(names)}.")
    table = parsed_rows(lines[HEADER_LINES:], 2 + 3 * count, HEADER_LINES + 1, "\t")
    promised = facts.get("NumFrames", "")
    if promised.isdigit() and int(promised) > len(table):
        raise TableDamageError(f"is cut short: its header promises {promised} frames and {len(table)} are there.")
    markers = table[:, 2:].reshape(len(table), count, 3) * METRES[unit]
    notes = (f"Lengths are in {unit}.",)
    return Recording(name, rate_hz, unique_labels(names), markers, notes=notes)


class TrcWriter:
    """Writes markers in metres, y and z as they are: the file says nothing about axes."""

    ending = ".trc"

    def content(self, recording: Recording) -> bytes:
        """Return the text in UTF-8."""
        frames, count = recording.markers_m.shape[:2]
        rate = f"{recording.rate_hz:g}"
        lines = [
            f"PathFileType\t4\t(X/Y/Z)\t{recording.name}.trc",
            "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames",
            f"{rate}\t{rate}\t{frames}\t{count}\tm\t{rate}\t1\t{frames}",
            "Frame#\tTime\t" + "\t\t\t".join(recording.marker_names) + "\t\t",
            "\t\t" + "\t".join(f"{axis}{index + 1}" for index in range(count) for axis in "XYZ"),
            "",
        ]
        flat = recording.markers_m.reshape(frames, -1)
        for index, (time_s, row) in enumerate(zip(recording.time_s, flat, strict=True)):
            values = "\t".join("" if np.isnan(value) else f"{value:.6f}" for value in row)
            lines.append(f"{index + 1}\t{time_s:.6f}\t{values}")
        return "\n".join([*lines, ""]).encode()

    def lost(self, recording: Recording) -> tuple[str, ...]:
        """Return what the recording has and the file does not."""
        has = {"analog": recording.analog is not None, "plates": recording.plates, "events": recording.events}
        return tuple(name for name, there in has.items() if there)
