"""Bisection: the last value that passes on the way from one that does to one that does not."""

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
