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
