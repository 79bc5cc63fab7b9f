"""gait.toml of a walk by a gait pattern."""

from __future__ import annotations

from typing import ClassVar, Literal

from strut.schemas.fields import Positive
from strut.schemas.gait import GaitTable


class PatternTable(GaitTable, frozen=True, tag_field="kind", tag="pattern"):
    """A gait pattern by name, and factors on its period, stride and lift, and on the distance between the feet.

    Where the factors make it slower than the pattern, `slow_because` says what the pattern's own speed breaks.

    Args:
        gait: Name of the pattern.
        period: Factor on the duration of a cycle.
        stride: Factor on the travel in a cycle.
        lift: Factor on the height of a swing.
        width: Factor on the distance between the feet sideways.
        slow_because: What the speed of the pattern itself breaks; receipts print it.
    """

    needs_balance: ClassVar[bool] = True

    gait: Literal["crawl", "walk", "trot", "biped"]
    period: Positive = 1.0
    stride: Positive = 1.0
    lift: Positive = 1.0
    width: Positive = 1.0
    slow_because: str = ""
