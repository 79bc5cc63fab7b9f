"""Sampling: what samples say of other instants, runs and smooth courses of them, and where something lands."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from strut.arrays import Array

HIGHEST_CUTOFF = 0.95  # of half the rate: a filter at the rate itself does not exist


def runs(mask: npt.NDArray[np.bool_]) -> Iterator[slice]:
    """Yield the stretches of samples in which `mask` is true. Shape (T,)."""
    bounds = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    for first, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        yield slice(first, stop)


def low_passed(values: Array, cutoff_hz: float, rate_hz: float, *, order: int = 2, padding: int | None = None) -> Array:
    """Return values through a Butterworth filter that runs there and back, so that nothing lags. Shape (T, ...).

    Args:
        values: Samples along the first axis.
        cutoff_hz: Above which little is left; at most 95 % of half the rate.
        rate_hz: Samples per second.
        order: Of the filter, which acts twice.
        padding: Samples by which both ends are extended; as SciPy does it if None.
    """
    from scipy.signal import butter, filtfilt  # noqa: PLC0415 - a second of loading that most motions do without

    share = min(cutoff_hz / (rate_hz / 2.0), HIGHEST_CUTOFF)
    return np.asarray(filtfilt(*butter(order, share), values, axis=0, padlen=padding))


def columns_at(time_s: Array, known_s: Array, values: Array) -> Array:
    """Return columns at other instants, by straight lines between samples. Shapes (M,), (N,), (N, k) in, (M, k) out."""
    return np.stack([np.interp(time_s, known_s, column) for column in values.T], axis=1)


def landing_samples(contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the samples at which something touches that did not just before. Shape (T,) or (T, n) in, (k,) out."""
    landed = contact[1:] & ~contact[:-1]
    return np.flatnonzero(landed if landed.ndim == 1 else landed.any(axis=1)) + 1


def middle_cycle(contact: npt.NDArray[np.bool_]) -> tuple[int, int] | None:
    """Return first and last sample of the gait cycle around the middle, from one landing of a foot to its next.

    None where no foot lands before and after the middle. Shape (T, n_feet) in.
    """
    middle = len(contact) // 2
    for down in contact.T:
        landed = landing_samples(down)
        before = landed[landed <= middle]
        after = landed[landed > middle]
        if len(before) and len(after):
            return int(before[-1]), int(after[0])
    return None


def cosine_smoothed(values: Array, reach: int) -> Array:
    """Return values averaged with so many neighbours on either side, by a raised cosine. Shape (N, ...)."""
    offsets = np.arange(-reach, reach + 1)
    weights = 1.0 + np.cos(np.pi * offsets / (reach + 1))
    beside = np.clip(np.arange(len(values))[:, None] + offsets, 0, len(values) - 1)
    return np.asarray(np.einsum("k,nk...->n...", weights / weights.sum(), values[beside]))


def speed_under_way(
    time_s: Array, place_in_world: Array, between_s: tuple[float, float], stride_s: float
) -> float | None:
    """Return the median speed over the ground, stride by stride, in the second half of a walk; None of a short one.

    Args:
        time_s: Shape (T,).
        place_in_world: Shape (T, 2).
        between_s: From when until when it walks.
        stride_s: Over so long, swaying adds nothing.
    """
    start_s, stop_s = between_s
    if stop_s - start_s < 2.0 * stride_s:
        return None
    times_s = time_s[(time_s >= (start_s + stop_s) / 2.0) & (time_s <= stop_s)]
    now, before = (columns_at(times_s - ago_s, time_s, place_in_world) for ago_s in (0.0, stride_s))
    return float(np.median(np.linalg.norm(now - before, axis=1))) / stride_s
