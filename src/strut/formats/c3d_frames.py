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
    numbers_of,
    parse_numbers,
    texts_of,
)
from strut.formats.reader import require

MAX_FRAMES = 10_000_000


@dataclass(frozen=True, slots=True, eq=False)
class C3dFrames:
    """The data section in the units of the file.

    Args:
        points: NaN where a point was not seen. Shape (T, n, 3).
        residual: Shape (T, n).
        analog: Scaled by the factors in the file. Shape (S, m).
        rate_hz: Of the points.
        analog_rate_hz: Of the analog samples; 0 if there are none.
        first_frame: Number of the first frame, counted from 1.
    """

    points: Array
    residual: Array
    analog: Array
    rate_hz: float
    analog_rate_hz: float
    first_frame: int


def parse_frames(content: bytes, header: C3dHeader, parameters: Parameters) -> C3dFrames:
    """Return the data section; raises FormatError if it is cut short."""
    scale = number_of(parameters, "POINT", "SCALE", header.scale) or header.scale
    n_points = header.points
    are_floats = scale < 0.0
    values = _parse_values(content, header, parameters, are_floats)
    points, residual = _scale_points(values[:, : 4 * n_points].reshape(len(values), n_points, 4), scale, are_floats)
    rate_hz = number_of(parameters, "POINT", "RATE", header.rate_hz) or header.rate_hz
    samples = max(header.samples_per_frame, 1)
    return C3dFrames(
        points=points,
        residual=residual,
        analog=_scale_analog(values[:, 4 * n_points :], samples, parameters),
        rate_hz=rate_hz,
        analog_rate_hz=rate_hz * samples,
        first_frame=_long_number(parameters, "ACTUAL_START_FIELD") or header.first_frame,
    )


def _parse_values(content: bytes, header: C3dHeader, parameters: Parameters, are_floats: bool) -> Raw:
    """Return the numbers of all frames. Shape (T, n)."""
    start_block = int(number_of(parameters, "POINT", "DATA_START", 0.0))
    start = (start_block - 1) * BLOCK if start_block > 1 else header.data_start
    width = 4 if are_floats else 2
    room = max(len(content) - start, 0) // width
    per_frame = 4 * header.points + _analog_per_frame(header, parameters, room, width)
    frames_there = room // max(per_frame, 1)
    frames = _frame_count(header, parameters, frames_there)
    require(start >= BLOCK, "is a damaged C3D file: its data would begin in its header.")
    require(
        start + frames * per_frame * width <= len(content),
        f"is cut short: its header promises {frames} frames and {min(frames_there, frames)} are there; copy it again.",
    )
    kind = "float" if are_floats else "int"
    return parse_numbers(content, kind, header.processor, frames * per_frame, start).reshape(frames, per_frame)


def _analog_per_frame(header: C3dHeader, parameters: Parameters, room: int, width: int) -> int:
    """Return how many analog numbers a frame has.

    Some programs write the number of channels into the header instead: then the size of the file fits the product of
    channels and samples.
    """
    channels = int(number_of(parameters, "ANALOG", "USED", 0.0))
    product = channels * header.samples_per_frame
    frames = header.last_frame - header.first_frame + 1
    rest = (room - frames * (4 * header.points + product)) * width  # bytes behind the last frame fill up its block
    return product if header.analog_per_frame == channels and 0 <= rest < BLOCK else header.analog_per_frame


def _frame_count(header: C3dHeader, parameters: Parameters, frames_there: int) -> int:
    """Return how many frames there are; parameters count more of them than the header can.

    If header and parameters differ and as many frames are there as the header says, the header is right.
    """
    in_header = header.last_frame - header.first_frame + 1
    in_parameters = int(number_of(parameters, "POINT", "FRAMES", 0.0)) % 65536
    in_parameters = max(in_parameters, int(number_of(parameters, "POINT", "LONG_FRAMES", 0.0)))
    first = _long_number(parameters, "ACTUAL_START_FIELD")
    last = _long_number(parameters, "ACTUAL_END_FIELD")
    if 0 < first <= last:
        count = last - first + 1
    elif in_header == frames_there:
        count = in_header
    else:
        count = max(in_header, in_parameters)
    counts = f"its header counts from {header.first_frame} to {header.last_frame}"
    require(0 < count <= MAX_FRAMES, f"holds no frames ({counts}).")
    return count


def _long_number(parameters: Parameters, name: str) -> int:
    """Return a whole number that is stored as two words, the low one first; 0 if there is none."""
    words = numbers_of(parameters, "TRIAL", name)
    if words.size != 2 or words.dtype.kind == "f":
        return 0
    low, high = (int(word) % 65536 for word in words.flat)
    return low + 65536 * high


def _scale_points(values: Raw, scale: float, are_floats: bool) -> tuple[Array, Array]:
    """Return points and residuals in the unit of the file. Shape (T, n, 4) in, (T, n, 3) and (T, n) out.

    The fourth number packs the mask of the cameras (high byte) and the residual (low byte); a point is unseen if the
    number is negative. Some programs write other floats there, NaN for instance: these points are seen.
    """
    packed = values[..., 3]
    is_seen = ~(packed < 0)
    points = values[..., :3].astype(np.float64) * (1.0 if are_floats else scale)
    points = np.where(is_seen[..., None] & np.isfinite(points), points, np.nan)
    bits = np.where(np.isfinite(packed), packed, 0).clip(-32768, 65535).astype(np.int32)
    return points, (bits & 0xFF).astype(np.float64) * abs(scale)


def _scale_analog(values: Raw, samples: int, parameters: Parameters) -> Array:
    """Return analog samples in the units of the file. Shape (T, samples * m) in, (T * samples, m) out."""
    channels = values.shape[1] // samples
    if channels == 0:
        return np.empty((0, 0))
    raw = values[:, : channels * samples].astype(np.float64).reshape(-1, channels)
    scale = _channel_numbers(parameters, "SCALE", channels, 1.0)
    offset = _channel_numbers(parameters, "OFFSET", channels, 0.0)
    if values.dtype.kind == "i" and texts_of(parameters, "ANALOG", "FORMAT")[:1] == ("UNSIGNED",):
        raw = raw % 65536.0
        offset = offset % 65536.0
    return np.nan_to_num((raw - offset) * scale * number_of(parameters, "ANALOG", "GEN_SCALE", 1.0))


def _channel_numbers(parameters: Parameters, name: str, channels: int, default: float) -> Array:
    """Return one number per channel, the default where the file has none. Shape (channels,)."""
    parts = [numbers_of(parameters, "ANALOG", f"{name}{end}").astype(np.float64).ravel() for end in ("", "2", "3")]
    numbers = np.concatenate(parts)[:channels]
    return np.concatenate([numbers, np.full(channels - len(numbers), default)])
