"""Fields: the kinds of values that tables of a robot's folder hold."""

from __future__ import annotations

from typing import Annotated

import msgspec

Positive = Annotated[float, msgspec.Meta(gt=0.0)]
NotNegative = Annotated[float, msgspec.Meta(ge=0.0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Vector = tuple[float, float, float]
Color = tuple[float, float, float, float]
Range = tuple[float, float]


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A table whose fields are all known: a misspelt one is refused, not ignored."""
