"""Bisection: the last value that passes on the way to one that does not, whether that is known or not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

Scale = Literal["linear", "whole", "geometric"]


def bisect(
    passes: Callable[[float], bool], good: float, bad: float, *, close: float, scale: Scale = "linear"
) -> tuple[float, float]:
    """Return the last good and the first bad value found.

    Args:
        passes: Whether a value is good.
        good: A value that passes.
        bad: A value that does not, above or below.
        close: Stop when the two differ by no more than this; on the geometric scale, when their ratio does.
        scale: Where the next value is tried: in the middle, at the whole number below it, or at the geometric mean.
    """
    while _apart(good, bad, scale) > close:
        middle = (good * bad) ** 0.5 if scale == "geometric" else (good + bad) / 2.0
        middle = float(middle // 1.0) if scale == "whole" else middle
        good, bad = (middle, bad) if passes(middle) else (good, middle)
    return good, bad


def _apart(good: float, bad: float, scale: Scale) -> float:
    return max(good / bad, bad / good) if scale == "geometric" else abs(bad - good)


def exponential_search(passes: Callable[[int], bool], most: int, *, first: int = 16) -> int:
    """Return the last whole number from 0 on that passes, as 0 does: steps double, then halve (Bentley and Yao, 1976).

    What is tried does not depend on `most`, beyond which nothing is. So of any set of numbers that pass, with gaps or
    without, a larger `most` never finds less, and one beyond what fails finds the same.
    """

    def passes_within(number: float) -> bool:
        return number <= most and passes(int(number))

    good = 0
    bad = first
    while passes_within(bad):
        good = bad
        bad = 2 * bad
    return int(bisect(passes_within, good, bad, close=1.0, scale="whole")[0])
