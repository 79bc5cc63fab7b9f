"""Similarity: how far apart two steps are, posture and duration together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from strut.errors import BadMotionError
from strut.robot import Array

SAMPLES = 100


@dataclass(frozen=True, slots=True)
class Dissimilarity:
    """Posture and time parts; the published numbers add the whole time part, the printed equation half of it (E27)."""

    posture: float
    time: float

    @property
    def total(self) -> float:
        """The measure as in the published numbers."""
        return self.posture + self.time

    @property
    def total_half_time(self) -> float:
        """The measure as printed in the equation."""
        return self.posture + self.time / 2.0


def dissimilarity(first_time_s: Array, first_q: Array, second_time_s: Array, second_q: Array) -> Dissimilarity:
    """Return how far apart two steps are (equation 6.1, corrected: samples run from start to end).

    Args:
        first_time_s: Sample times of one step. Shape (T,).
        first_q: Its coordinates. Shape (T, n).
        second_time_s: Sample times of the other. Shape (S,).
        second_q: Its coordinates. Shape (S, n).
    """
    if first_q.shape[1] != second_q.shape[1]:
        raise BadMotionError(f"The steps have {first_q.shape[1]} and {second_q.shape[1]} coordinates; they must agree.")
    durations = [float(time[-1] - time[0]) for time in (first_time_s, second_time_s)]
    sampled = [
        CubicSpline(time - time[0], q, axis=0)(np.linspace(0.0, duration, SAMPLES))
        for time, q, duration in zip((first_time_s, second_time_s), (first_q, second_q), durations, strict=True)
    ]
    posture = float(np.sum((sampled[0] - sampled[1]) ** 2)) / (2.0 * SAMPLES * first_q.shape[1])
    return Dissimilarity(posture, (durations[0] - durations[1]) ** 2)
