"""Bisection: find the border between values that pass a test and values that fail it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Scale = Literal["linear", "whole", "geometric"]


def bisect(
    passes: Callable[[float], bool], good: float, bad: float, *, resolution: float, scale: Scale = "linear"
) -> tuple[float, float]:
    """Return the last value that passes and the first that fails.

    Args:
        passes: Whether a value passes.
        good: A value that passes; it is not tested.
        bad: A value that fails, above or below; it is not tested.
        resolution: Stop when good and bad differ by no more than this; on the geometric scale, when their ratio is no
            larger than this.
        scale: Next value to test: the mean (`linear`), the mean rounded down (`whole`) or the geometric mean.
    """
    while (max(good / bad, bad / good) if scale == "geometric" else abs(bad - good)) > resolution:
        middle = (good * bad) ** 0.5 if scale == "geometric" else (good + bad) / 2.0
        if scale == "whole":
            middle = float(middle // 1.0)
        if passes(middle):
            good = middle
        else:
            bad = middle
    return good, bad


def exponential_search(passes: Callable[[int], bool], max_number: int, *, first: int = 16) -> int:
    """Return the last whole number up to `max_number` that passes: steps double, then halve (Bentley and Yao, 1976).

    Zero is taken to pass. Numbers above `max_number` are not tested. The sequence of tested numbers does not depend on
    `max_number`, so a larger one never returns less, even if the numbers that pass have gaps, and two that both lie
    beyond the first failure return the same.
    """

    def passes_within(number: float) -> bool:
        return number <= max_number and passes(int(number))

    good = 0
    bad = first
    while passes_within(bad):
        good = bad
        bad = 2 * bad
    return int(bisect(passes_within, good, bad, resolution=1.0, scale="whole")[0])
