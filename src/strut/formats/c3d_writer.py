"""C3D writer: recording → the bytes of a C3D file: floats, Intel byte order, millimetres."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strut.errors import BadRecordingError
from strut.formats.c3d_parameters import BLOCK
from strut.recording import Recording, all_seen

MOST_POINTS = 255  # in one LABELS parameter
MOST_FRAMES = 65535
_KINDS = {
    "heel_strike": "Foot Strike",
    "toe_off": "Foot Off",
    "foot_flat": "Foot Flat",
    "heel_off": "Heel Off",
}


def c3d_content(recording: Recording) -> bytes:
    """Return markers, analog channels and events as a file; of plates only the channels, where they came as such.

    Raises BadRecordingError if the format has no place for so much.
    """
    frames, points = recording.markers_m.shape[:2]
    if not 0 < frames <= MOST_FRAMES or points > 65535:
        raise BadRecordingError(f"A C3D file holds 1 to {MOST_FRAMES} frames; {recording.name} has {frames}.")
    channels, samples = _analog_layout(recording)
    parameters = _section(recording, channels, samples)
    data_block = 2 + len(parameters) // BLOCK
    header = _header(recording, channels, samples, data_block)
    section = bytearray(parameters)
    place = section.find(b"DATA_START") + len(b"DATA_START") + 4  # behind the pointer, type and rank
    section[place : place + 2] = struct.pack("<h", data_block)
    return header + bytes(section) + _data(recording, channels, samples)


def _analog_layout(recording: Recording) -> tuple[int, int]:
    """Return the number of channels and of samples per frame; channels that do not fit the frames are left out."""
    analog = recording.analog
    frames = len(recording.markers_m)
    if analog is None:
        return 0, 1
    samples = round(analog.rate_hz / recording.rate_hz)
    fits = samples >= 1 and abs(samples * recording.rate_hz - analog.rate_hz) < 1e-6 * analog.rate_hz
    return (len(analog.names), samples) if fits and len(analog.values) >= samples * frames else (0, 1)


def _header(recording: Recording, channels: int, samples: int, data_block: int) -> bytes:
    frames, points = recording.markers_m.shape[:2]
    head = struct.pack(
        "<BBHHHHhfHHf",
        2,
        0x50,
        points,
        channels * samples,
        1,
        frames,
        10,
        -0.001,
        data_block,
        samples,
        recording.rate_hz,
    )
    return head.ljust(BLOCK, b"\0")


def _section(recording: Recording, channels: int, samples: int) -> bytes:
    """Return the parameter section, whole blocks."""
    frames, points = recording.markers_m.shape[:2]
    entries = [_group(1, "POINT"), _group(2, "ANALOG"), _group(3, "FORCE_PLATFORM"), _group(4, "EVENT")]
    entries += [
        _numbers(1, "USED", [points], "h"),
        _numbers(1, "FRAMES", [frames - 65536 if frames > 32767 else frames], "h"),
        _numbers(1, "SCALE", [-0.001], "f"),
        _numbers(1, "RATE", [recording.rate_hz], "f"),
        _numbers(1, "DATA_START", [0], "h"),
        _texts(1, "UNITS", ["mm"]),
    ]
    for part, first in enumerate(range(0, max(points, 1), MOST_POINTS)):
        name = "LABELS" if part == 0 else f"LABELS{part + 1}"
        entries.append(_texts(1, name, recording.marker_names[first : first + MOST_POINTS]))
    entries += [_numbers(2, "USED", [channels], "h"), _numbers(2, "RATE", [samples * recording.rate_hz], "f")]
    if channels and recording.analog is not None:
        entries += [
            _texts(2, "LABELS", recording.analog.names),
            _texts(2, "UNITS", recording.analog.units),
            _numbers(2, "SCALE", [1.0] * channels, "f"),
            _numbers(2, "OFFSET", [0] * channels, "h"),
            _numbers(2, "GEN_SCALE", [1.0], "f"),
        ]
    entries += [_numbers(3, "USED", [0], "h"), *_events(recording)]
    content = b"".join(entries) + b"\0\0\0\0"
    blocks = -(-(len(content) + 4) // BLOCK)
    if blocks > 255:
        raise BadRecordingError(f"{recording.name} has too many names for a C3D file.")
    return (struct.pack("<BBBB", 1, 0x50, blocks, 84) + content).ljust(blocks * BLOCK, b"\0")


def _events(recording: Recording) -> list[bytes]:
    events = recording.events[:255]
    if not events:
        return [_numbers(4, "USED", [0], "h")]
    times = np.array([[0.0, event.time_s] for event in events]).ravel()
    return [
        _numbers(4, "USED", [len(events)], "h"),
        _texts(4, "CONTEXTS", [event.side for event in events]),
        _texts(4, "LABELS", [_KINDS[event.kind] for event in events]),
        _entry(4, "TIMES", 4, (2, len(events)), times.astype("<f4").tobytes()),
    ]


def _group(number: int, name: str) -> bytes:
    return struct.pack("<bb", len(name), -number) + name.encode() + struct.pack("<hB", 3, 0)


def _entry(group: int, name: str, kind: int, shape: Sequence[int], raw: bytes) -> bytes:
    body = struct.pack("<bB", kind, len(shape)) + bytes(shape) + raw + b"\0"
    return struct.pack("<bb", len(name), group) + name.encode() + struct.pack("<H", len(body) + 2) + body


def _numbers(group: int, name: str, values: Sequence[float], kind: str) -> bytes:
    raw = struct.pack(f"<{len(values)}{kind}", *values)
    return _entry(group, name, 2 if kind == "h" else 4, () if len(values) == 1 else (len(values),), raw)


def _texts(group: int, name: str, values: Sequence[str]) -> bytes:
    encoded = [value.encode("utf-8")[:127] for value in values]
    length = max([1, *map(len, encoded)])
    return _entry(group, name, -1, (length, len(encoded)), b"".join(one.ljust(length) for one in encoded))


def _data(recording: Recording, channels: int, samples: int) -> bytes:
    frames, points = recording.markers_m.shape[:2]
    seen = all_seen(recording.markers_m)
    values: npt.NDArray[np.float32] = np.zeros((frames, 4 * points + channels * samples), dtype="<f4")
    place = values[:, : 4 * points].reshape(frames, points, 4)
    place[..., :3] = np.where(seen[..., None], recording.markers_m * 1e3, 0.0)
    place[..., 3] = np.where(seen, 0.0, -1.0)
    values[:, : 4 * points] = place.reshape(frames, -1)
    if channels and recording.analog is not None:
        values[:, 4 * points :] = recording.analog.values[: frames * samples].reshape(frames, -1)
    return values.tobytes()
