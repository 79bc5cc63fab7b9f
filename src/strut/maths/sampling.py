"""Sampling: interpolation, filters, runs of samples, landings and gait cycles of sampled signals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from strut.arrays import Array

MAX_CUTOFF = 0.95  # of the Nyquist frequency, at which a Butterworth filter is not defined


def runs(mask: npt.NDArray[np.bool_]) -> Iterator[slice]:
    """Yield the runs of consecutive samples in which `mask` is true. Shape (T,)."""
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    for first, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        yield slice(first, stop)


def fill_short_gaps(mask: npt.NDArray[np.bool_], min_samples: float) -> npt.NDArray[np.bool_]:
    """Return a mask in which gaps of fewer samples than `min_samples` are true; gaps at the ends stay. Shape (T,)."""
    filled = mask.copy()
    for gap in runs(~mask):
        is_inside = gap.start > 0 and gap.stop < len(mask)
        if is_inside and gap.stop - gap.start < min_samples:
            filled[gap] = True
    return filled


def low_pass(values: Array, cutoff_hz: float, rate_hz: float, *, order: int = 2, padding: int | None = None) -> Array:
    """Return values after a zero-phase Butterworth low-pass filter (forward and backward). Shape (T, ...).

    Args:
        values: Samples along the first axis.
        cutoff_hz: Cutoff frequency; at most 95 % of the Nyquist frequency is used.
        rate_hz: Samples per second.
        order: Order of the filter; it is applied twice.
        padding: Samples by which both ends are extended; SciPy's default if None.
    """
    from scipy.signal import butter, filtfilt  # noqa: PLC0415 - loading takes a second that most motions do not need

    cutoff = min(cutoff_hz / (rate_hz / 2.0), MAX_CUTOFF)
    return np.asarray(filtfilt(*butter(order, cutoff), values, axis=0, padlen=padding))


def interpolate_columns(time_s: Array, known_s: Array, values: Array) -> Array:
    """Return columns at other times by linear interpolation. Shapes (M,), (N,), (N, k) in, (M, k) out."""
    return np.stack([np.interp(time_s, known_s, column) for column in values.T], axis=1)


def landing_samples(contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the samples at which any contact begins. Shape (T,) or (T, n) in, (k,) out."""
    landed = contact[1:] & ~contact[:-1]
    return np.flatnonzero(landed if landed.ndim == 1 else landed.any(axis=1)) + 1


def middle_cycle(contact: npt.NDArray[np.bool_]) -> tuple[int, int] | None:
    """Return the first and last sample of the gait cycle around the middle, from a landing of a foot to its next.

    None if no foot lands both before and after the middle. Shape (T, n_feet) in.
    """
    middle = len(contact) // 2
    for down in contact.T:
        landed = landing_samples(down)
        before = landed[landed <= middle]
        after = landed[landed > middle]
        if len(before) and len(after):
            return int(before[-1]), int(after[0])
    return None


def smooth_by_cosine(values: Array, reach: int) -> Array:
    """Return a moving average over `reach` neighbours on each side, weighted by a raised cosine. Shape (N, ...)."""
    offsets = np.arange(-reach, reach + 1)
    weights = 1.0 + np.cos(np.pi * offsets / (reach + 1))
    beside = np.clip(np.arange(len(values))[:, None] + offsets, 0, len(values) - 1)
    return np.asarray(np.einsum("k,nk...->n...", weights / weights.sum(), values[beside]))


def steady_speed(
    time_s: Array, position_in_world: Array, between_s: tuple[float, float], stride_s: float
) -> float | None:
    """Return the median speed over one stride in the second half of a walk; None if it is shorter than two strides.

    Args:
        time_s: Shape (T,).
        position_in_world: Shape (T, k).
        between_s: Start and end of the walk.
        stride_s: Interval of the speed; over a whole stride, sway cancels.
    """
    start_s, stop_s = between_s
    if stop_s - start_s < 2.0 * stride_s:
        return None
    times_s = time_s[(time_s >= (start_s + stop_s) / 2.0) & (time_s <= stop_s)]
    now = interpolate_columns(times_s, time_s, position_in_world)
    before = interpolate_columns(times_s - stride_s, time_s, position_in_world)
    return float(np.median(np.linalg.norm(now - before, axis=1))) / stride_s
