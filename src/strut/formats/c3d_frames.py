"""C3D frames: points, residuals and analog samples of a C3D file as arrays, from whole numbers or floats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.formats.c3d_parameters import (
    BLOCK,
    C3dHeader,
    Parameters,
    Raw,
    number_of,
    numbers,
    numbers_of,
    refuse_c3d_unless,
    texts_of,
)

MOST_FRAMES = 10_000_000


@dataclass(frozen=True, slots=True, eq=False)
class C3dFrames:
    """The data section in the file's own units.

    Args:
        points: NaN where a point was not seen. Shape (T, n, 3).
        residual: Shape (T, n).
        analog: Scaled by the file's own factors. Shape (S, m).
        rate_hz: Of the points.
        analog_rate_hz: Of the analog samples; 0 without any.
        first_frame: Number of the first frame, counted from 1.
    """

    points: Array
    residual: Array
    analog: Array
    rate_hz: float
    analog_rate_hz: float
    first_frame: int


def read_frames(content: bytes, header: C3dHeader, parameters: Parameters) -> C3dFrames:
    """Return the data section; raises C3dDamageError if it is not all there."""
    scale = number_of(parameters, "POINT", "SCALE", header.scale) or header.scale
    points = header.points
    as_floats = scale < 0.0
    values = _values(content, header, parameters, as_floats)
    where, residual = _points(values[:, : 4 * points].reshape(len(values), points, 4), scale, as_floats)
    rate_hz = number_of(parameters, "POINT", "RATE", header.rate_hz) or header.rate_hz
    samples = max(header.samples_per_frame, 1)
    return C3dFrames(
        points=where,
        residual=residual,
        analog=_analog(values[:, 4 * points :], samples, parameters),
        rate_hz=rate_hz,
        analog_rate_hz=rate_hz * samples,
        first_frame=_long(parameters, "ACTUAL_START_FIELD") or header.first_frame,
    )


def _values(content: bytes, header: C3dHeader, parameters: Parameters, as_floats: bool) -> Raw:
    """Return the numbers of all frames. Shape (T, n)."""
    told = int(number_of(parameters, "POINT", "DATA_START", 0.0))
    start = (told - 1) * BLOCK if told > 1 else header.data_start
    width = 4 if as_floats else 2
    room = max(len(content) - start, 0) // width
    per_frame = 4 * header.points + _analog_per_frame(header, parameters, room, width)
    whole = room // max(per_frame, 1)
    frames = _frame_count(header, parameters, whole)
    refuse_c3d_unless(start >= BLOCK, "is a damaged C3D file: its data would begin in its header.")
    refuse_c3d_unless(
        start + frames * per_frame * width <= len(content),
        f"is cut short: its header promises {frames} frames and {min(whole, frames)} are there; copy it again.",
    )
    kind = "float" if as_floats else "int"
    return numbers(content, kind, header.processor, frames * per_frame, start).reshape(frames, per_frame)


def _analog_per_frame(header: C3dHeader, parameters: Parameters, room: int, width: int) -> int:
    """Return how many analog numbers a frame has; headers that count channels are found out by a fitting file."""
    used = int(number_of(parameters, "ANALOG", "USED", 0.0))
    meant = used * header.samples_per_frame
    frames = header.last_frame - header.first_frame + 1
    fits = header.analog_per_frame == used and 0 <= (room - frames * (4 * header.points + meant)) * width < BLOCK
    return meant if fits else header.analog_per_frame


def _frame_count(header: C3dHeader, parameters: Parameters, whole: int) -> int:
    """Return how many frames there are; files with more than a header can count tell it elsewhere.

    Where header and parameters differ and exactly as many frames are there as the header says, the header is right.
    """
    own = header.last_frame - header.first_frame + 1
    told = int(number_of(parameters, "POINT", "FRAMES", 0.0)) % 65536
    told = max(told, int(number_of(parameters, "POINT", "LONG_FRAMES", 0.0)))
    first, last = (_long(parameters, f"ACTUAL_{end}_FIELD") for end in ("START", "END"))
    count = last - first + 1 if 0 < first <= last else own if own == whole else max(own, told)
    counts = f"its header counts from {header.first_frame} to {header.last_frame}"
    refuse_c3d_unless(0 < count <= MOST_FRAMES, f"holds no frames ({counts}).")
    return count


def _long(parameters: Parameters, name: str) -> int:
    """Return a whole number that is stored as two words, low one first; 0 if it is not there."""
    words = numbers_of(parameters, "TRIAL", name)
    if words.size != 2 or words.dtype.kind == "f":
        return 0
    low, high = (int(word) % 65536 for word in words.flat)
    return low + 65536 * high


def _points(values: Raw, scale: float, as_floats: bool) -> tuple[Array, Array]:
    """Return points and residuals in the file's unit. Shape (T, n, 4) in, (T, n, 3) and (T, n) out."""
    quality = values[..., 3]
    finite = np.isfinite(quality) if as_floats else np.ones(quality.shape, dtype=bool)
    packed = np.where(finite, quality, -1.0).clip(-32768, 65535).astype(np.int32)
    signed = ((packed + 32768) % 65536) - 32768
    where = values[..., :3].astype(np.float64) * (1.0 if as_floats else scale)
    where = np.where((signed < 0)[..., None] | ~np.isfinite(where), np.nan, where)
    return where, (packed & 0xFF).astype(np.float64) * abs(scale)


def _analog(values: Raw, samples: int, parameters: Parameters) -> Array:
    """Return analog samples in the file's units. Shape (T, samples * m) in, (T * samples, m) out."""
    channels = values.shape[1] // samples
    if channels == 0:
        return np.empty((0, 0))
    raw = values[:, : channels * samples].astype(np.float64).reshape(-1, channels)
    scale, offset = (_per_channel(parameters, name, channels) for name in ("SCALE", "OFFSET"))
    if values.dtype.kind == "i" and texts_of(parameters, "ANALOG", "FORMAT")[:1] == ("UNSIGNED",):
        raw = raw % 65536.0
        offset = offset % 65536.0
    return np.nan_to_num((raw - offset) * scale * number_of(parameters, "ANALOG", "GEN_SCALE", 1.0))


def _per_channel(parameters: Parameters, name: str, channels: int) -> Array:
    """Return scales or offsets of all channels; 1 or 0 where the file does not tell. Shape (channels,)."""
    parts = [numbers_of(parameters, "ANALOG", f"{name}{end}").astype(np.float64).ravel() for end in ("", "2", "3")]
    told = np.concatenate(parts)[:channels]
    return np.concatenate([told, np.full(channels - len(told), float(name == "SCALE"))])
