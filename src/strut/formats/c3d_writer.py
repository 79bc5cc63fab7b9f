"""C3D writer: a recording as the bytes of a C3D file, with floats in Intel byte order and millimetres."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from strut.errors import BadRecordingError
from strut.formats.c3d_parameters import BLOCK, C3D_KEY, INTEL
from strut.recording import Recording, are_seen

MAX_LABELS = 255  # of one parameter, which counts them in a byte
MAX_FRAMES = 65535  # that the header can count
SCALE = -0.001  # negative: numbers are floats
_EVENT_LABELS = {
    "heel_strike": "Foot Strike",
    "toe_off": "Foot Off",
    "foot_flat": "Foot Flat",
    "heel_off": "Heel Off",
}


def encode_c3d(recording: Recording) -> bytes:
    """Return markers, analog channels and events as a file; plates are not written, but their analog channels are.

    Raises BadRecordingError if there are more frames or names than the format can count.
    """
    frames, points = recording.markers_m.shape[:2]
    if not 0 < frames <= MAX_FRAMES or points > 65535:
        raise BadRecordingError(f"A C3D file holds 1 to {MAX_FRAMES} frames; {recording.name} has {frames}.")
    channels, samples = _analog_layout(recording)
    parameters = _section(recording, channels, samples)
    data_block = 2 + len(parameters) // BLOCK
    header = _header(recording, channels, samples, data_block)
    section = bytearray(parameters)
    at = section.find(b"DATA_START") + len(b"DATA_START") + 4  # behind the pointer, the type and the dimensions
    section[at : at + 2] = struct.pack("<h", data_block)
    return header + bytes(section) + _data(recording, channels, samples)


def _analog_layout(recording: Recording) -> tuple[int, int]:
    """Return the number of channels and of samples per frame; channels whose rate does not fit are omitted."""
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
        2,  # block of the parameter section
        C3D_KEY,
        points,
        channels * samples,
        1,  # first frame
        frames,  # last frame
        10,  # longest gap that was interpolated, by the guide's example; we fill none
        SCALE,
        data_block,
        samples,
        recording.rate_hz,
    )
    return head.ljust(BLOCK, b"\0")


def _section(recording: Recording, channels: int, samples: int) -> bytes:
    """Return the parameter section, in whole blocks."""
    frames, points = recording.markers_m.shape[:2]
    entries = [_group(1, "POINT"), _group(2, "ANALOG"), _group(3, "FORCE_PLATFORM"), _group(4, "EVENT")]
    entries += [
        _numbers(1, "USED", [points], "h"),
        _numbers(1, "FRAMES", [frames - 65536 if frames > 32767 else frames], "h"),
        _numbers(1, "SCALE", [SCALE], "f"),
        _numbers(1, "RATE", [recording.rate_hz], "f"),
        _numbers(1, "DATA_START", [0], "h"),
        _texts(1, "UNITS", ["mm"]),
    ]
    for part, first in enumerate(range(0, max(points, 1), MAX_LABELS)):
        name = "LABELS" if part == 0 else f"LABELS{part + 1}"
        entries.append(_texts(1, name, recording.marker_names[first : first + MAX_LABELS]))
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
    return (struct.pack("<BBBB", 1, C3D_KEY, blocks, INTEL) + content).ljust(blocks * BLOCK, b"\0")


def _events(recording: Recording) -> list[bytes]:
    events = recording.events[:255]
    if not events:
        return [_numbers(4, "USED", [0], "h")]
    times = np.array([[0.0, event.time_s] for event in events]).ravel()
    return [
        _numbers(4, "USED", [len(events)], "h"),
        _texts(4, "CONTEXTS", [event.side for event in events]),
        _texts(4, "LABELS", [_EVENT_LABELS[event.kind] for event in events]),
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
    return _entry(group, name, -1, (length, len(encoded)), b"".join(text.ljust(length) for text in encoded))


def _data(recording: Recording, channels: int, samples: int) -> bytes:
    frames, points = recording.markers_m.shape[:2]
    is_seen = are_seen(recording.markers_m)
    values: npt.NDArray[np.float32] = np.zeros((frames, 4 * points + channels * samples), dtype="<f4")
    markers = values[:, : 4 * points].reshape(frames, points, 4)
    markers[..., :3] = np.where(is_seen[..., None], recording.markers_m * 1e3, 0.0)
    markers[..., 3] = np.where(is_seen, 0.0, -1.0)  # mask of the cameras and residual; negative is unseen
    values[:, : 4 * points] = markers.reshape(frames, -1)
    if channels and recording.analog is not None:
        values[:, 4 * points :] = recording.analog.values[: frames * samples].reshape(frames, -1)
    return values.tobytes()
