"""Pace: the shortest phase times with which a walk of steps still keeps every limit."""

from __future__ import annotations

from collections.abc import Callable

from strut.bisection import bisect

USED = 0.9  # share of speed and torque limits that planning for speed may use; servos need the rest to follow
_QUICKEST, _SLOWEST, _STEP = 0.05, 20.0, 1.5
_CLOSE = 1.02


def fastest(passes: Callable[[float], bool]) -> float | None:
    """Return the smallest factor on the robot's own phase times that passes, within two percent; None where none does.

    Slower walks press more evenly, so a pace that passes is taken to pass when slowed.
    """
    good = 1.0
    if passes(good):
        while passes(good / _STEP):
            good /= _STEP
            if good < _QUICKEST:
                return good
        return bisect(passes, good, good / _STEP, close=_CLOSE, scale="geometric")[0]
    while not passes(good * _STEP):
        good *= _STEP
        if good > _SLOWEST:
            return None
    return bisect(passes, good * _STEP, good, close=_CLOSE, scale="geometric")[0]
