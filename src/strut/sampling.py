"""Sampling: what samples say of other instants, and at which of them something lands."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.robot import Array


def columns_at(time_s: Array, known_s: Array, values: Array) -> Array:
    """Return columns at other instants, by straight lines between samples. Shapes (M,), (N,), (N, k) in, (M, k) out."""
    return np.stack([np.interp(time_s, known_s, column) for column in values.T], axis=1)


def landing_samples(contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """Return the samples at which something touches that did not just before. Shape (T,) or (T, n) in, (k,) out."""
    landed = contact[1:] & ~contact[:-1]
    return np.flatnonzero(landed if landed.ndim == 1 else landed.any(axis=1)) + 1


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
