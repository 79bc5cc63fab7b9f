"""Shooting size: how many unknowns and constraints the published multiple-shooting problems have, by counting.

Six stages (two of them are impacts without duration), 34 coordinates, 28 torques that are linear on each interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strut.errors import OutOfRangeError

STATES, TORQUES = 68, 28
RECONSTRUCTION_POINT_EQUALITIES = 16
SYNTHESIS_POINT_EQUALITIES = 7 + 34 + 34 + 28  # of the phases, and periodicity
SYNTHESIS_UNKNOWNS = 53  # besides states and torques (E30)


@dataclass(frozen=True, slots=True)
class ShootingSize:
    """Unknowns, equations and inequalities."""

    unknowns: int
    equalities: int
    inequalities: int


def reconstruction_size(intervals: Sequence[int]) -> ShootingSize:
    """Return the size of a reconstruction from the intervals of its six stages."""
    flat, forefoot, _, heel, _, both = _checked(intervals)
    path = 3 + 3 * (flat - 1) + 4 + 5 * (forefoot - 1) + 6 + 5 * heel + 6 + 6 * both + 4
    return _size(sum(intervals), 0, RECONSTRUCTION_POINT_EQUALITIES, path)


def synthesis_size(intervals: Sequence[int], *, fixed_speed: bool = False) -> ShootingSize:
    """Return the size of a synthesis from the intervals of its six stages."""
    flat, forefoot, _, heel, _, both = _checked(intervals)
    path = 3 + 7 * (flat - 1) + 6 + 7 * (forefoot - 1) + 6 + 6 * heel + 7 + 7 * both + 5
    unknowns = SYNTHESIS_UNKNOWNS - (1 if fixed_speed else 0)
    return _size(sum(intervals), unknowns, SYNTHESIS_POINT_EQUALITIES, path)


def _checked(intervals: Sequence[int]) -> Sequence[int]:
    if len(intervals) != 6 or min(intervals) < 1 or intervals[2] != 1 or intervals[4] != 1:
        raise OutOfRangeError(
            f"Intervals {list(intervals)} do not fit: six stages are needed, each with at least one interval, "
            "and the impacts, third and fifth, with exactly one."
        )
    return intervals


def _size(intervals: int, extra: int, point_equalities: int, path: int) -> ShootingSize:
    unknowns = STATES * (intervals + 1) + 2 * TORQUES * intervals + TORQUES + extra
    equalities = (STATES + TORQUES) * intervals + 2 * TORQUES + point_equalities
    return ShootingSize(unknowns, equalities, 2 * unknowns + path)
