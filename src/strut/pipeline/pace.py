"""Pace: the shortest phase times with which a walk of steps still keeps every limit."""

from __future__ import annotations

from strut.pipeline.step_candidate import StepRequest, step_attempt

SEARCH_RATE_HZ = 50.0
SEARCH_STEPS = 8  # starts, walks, stops: every further step of a line or turn repeats these
USED = 0.9  # share of speed and torque limits that planning for speed may use; servos need the rest to follow
_QUICKEST, _SLOWEST = 0.05, 20.0
_CLOSE = 1.02


def fastest(request: StepRequest, intensity: float) -> float | None:
    """Return the smallest factor on the robot's own phase times that keeps every limit, within two percent.

    None where no pace keeps them. Slower walks press more evenly, so a pace that passes is taken to pass when slowed.

    Args:
        request: What the user wants.
        intensity: Of the emotion.
    """

    def passes(slower: float) -> bool:
        return step_attempt(
            request, intensity, rate_hz=search_rate_hz(slower), slower=slower, most_steps=SEARCH_STEPS, largest_use=USED
        ).passes

    good, bad = 1.0, 1.0
    if passes(good):
        while passes(good / 1.5):
            good /= 1.5
            if good < _QUICKEST:
                return good
        bad = good / 1.5
    else:
        while not passes(good * 1.5):
            good *= 1.5
            if good > _SLOWEST:
                return None
        bad, good = good, good * 1.5
    while good / bad > _CLOSE:
        middle = (good * bad) ** 0.5
        good, bad = (middle, bad) if passes(middle) else (good, middle)
    return good


def search_rate_hz(slower: float) -> float:
    """Return a rate with enough samples in the shortest phase, in whole steps of the search rate."""
    return SEARCH_RATE_HZ * max(1.0, round(0.5 / slower))
