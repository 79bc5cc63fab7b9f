"""C3D frames: points, residuals and analog samples of a C3D file as arrays, from whole numbers or floats."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.capture.c3d_parameters import (
    C3dDamageError,
    C3dHeader,
    Parameters,
    Raw,
    number_of,
    numbers,
    numbers_of,
    texts_of,
)
from strut.robot import Array

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
    scale = number_of(parameters, "POINT", "SCALE", header.scale)
    scale = header.scale if scale == 0.0 else scale
    as_floats = scale < 0.0
    width = 4 if as_floats else 2
    start = int(number_of(parameters, "POINT", "DATA_START", 0.0))
    start = (start - 1) * 512 if start > 1 else header.data_start
    points, analog = header.points, header.analog_per_frame
    per_frame = 4 * points + analog
    frames = _frame_count(header, parameters)
    needed = start + frames * per_frame * width
    if start < 512 or needed > len(content):
        whole = max(len(content) - start, 0) // max(per_frame * width, 1) if start >= 512 else 0
        raise C3dDamageError(
            f"is cut short: its header promises {frames} frames and {min(whole, frames)} are there; copy it again."
        )
    kind = "float" if as_floats else "int"
    values = numbers(content, kind, header.processor, frames * per_frame, start).reshape(frames, per_frame)
    where, residual = _points(values[:, : 4 * points].reshape(frames, points, 4), scale, as_floats)
    rate_hz = number_of(parameters, "POINT", "RATE", header.rate_hz) or header.rate_hz
    samples = max(header.samples_per_frame, 1)
    return C3dFrames(
        points=where,
        residual=residual,
        analog=_analog(values[:, 4 * points :], samples, parameters),
        rate_hz=rate_hz,
        analog_rate_hz=rate_hz * samples if analog else 0.0,
        first_frame=_first_frame(header, parameters),
    )


def _frame_count(header: C3dHeader, parameters: Parameters) -> int:
    """Return how many frames there are; files with more than a header can count tell it elsewhere."""
    count = header.last_frame - header.first_frame + 1
    told = int(number_of(parameters, "POINT", "FRAMES", 0.0)) % 65536
    long = [_long(parameters, f"ACTUAL_{end}_FIELD") for end in ("START", "END")]
    if long[0] and long[1] and long[1] >= long[0]:
        count = long[1] - long[0] + 1
    elif told > count:
        count = told
    if not 0 < count <= MOST_FRAMES:
        raise C3dDamageError(f"holds no frames (its header counts from {header.first_frame} to {header.last_frame}).")
    return count


def _first_frame(header: C3dHeader, parameters: Parameters) -> int:
    return _long(parameters, "ACTUAL_START_FIELD") or header.first_frame


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
    scale, offset = np.ones(channels), np.zeros(channels)
    for target, name in ((scale, "SCALE"), (offset, "OFFSET")):
        told = np.concatenate(
            [numbers_of(parameters, "ANALOG", f"{name}{end}").astype(np.float64).ravel() for end in ("", "2", "3")]
        )[:channels]
        target[: len(told)] = told
    if values.dtype.kind == "i" and texts_of(parameters, "ANALOG", "FORMAT")[:1] == ("UNSIGNED",):
        raw, offset = raw % 65536.0, offset % 65536.0
    return np.nan_to_num((raw - offset) * scale * number_of(parameters, "ANALOG", "GEN_SCALE", 1.0))
