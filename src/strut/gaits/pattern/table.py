"""gait.toml of a walk by a gait pattern."""

from __future__ import annotations

from typing import ClassVar, Literal

from strut.schemas.fields import Positive
from strut.schemas.gait import GaitTable


class PatternTable(GaitTable, frozen=True, tag_field="kind", tag="pattern"):
    """A gait pattern by name, and factors on its period, stride and lift, and on the distance between the feet.

    Where the factors make it slower than the pattern, `slow_because` says what the pattern's own speed breaks.
    """

    needs_balance: ClassVar[bool] = True

    gait: Literal["crawl", "walk", "trot", "biped"]
    period: Positive = 1.0
    stride: Positive = 1.0
    lift: Positive = 1.0
    width: Positive = 1.0
    slow_because: str = ""
