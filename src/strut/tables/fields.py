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


class Floor(Table, frozen=True):
    """What a robot stands on."""

    friction: Positive


class ScaledServo(Table, frozen=True):
    """Servos sized by their torque limit: full torque at `sag_rad`, damping by `settle_s`, rotor by `armature_s2`."""

    sag_rad: Positive
    settle_s: Positive
    armature_s2: NotNegative = 0.0
