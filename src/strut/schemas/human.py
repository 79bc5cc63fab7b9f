"""contact.toml, markers.toml, symmetry.toml and female.toml of a human, and the subject that they become."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from strut.schemas.fields import NotNegative, Positive, Table, Text, Vector
from strut.schemas.segments import ScaledPoint

Row = tuple[str, Literal["X", "Y", "Z"]]  # a point and the world axis along which it cannot move


class ContactPointShare(Table, frozen=True):
    """A contact point as shares of body lengths; with a radius it is a ball that rolls."""

    segment: Text
    position: ScaledPoint
    radius: Text | None = None


class FootRows(Table, frozen=True):
    """What a foot on the ground cannot do."""

    rows: tuple[Row, ...]


class CapsuleShare(Table, frozen=True, rename={"start": "from", "stop": "to"}):
    """A capsule around a segment as shares of body lengths."""

    segment: Text
    start: ScaledPoint
    stop: ScaledPoint
    radius_m: Positive


class ContactShares(Table, frozen=True):
    """contact.toml as it is written: for any body and either side."""

    point: Mapping[str, ContactPointShare]
    foot: Mapping[str, FootRows]
    set: Mapping[str, Mapping[Literal["Right", "Left"], str]]
    capsule: Mapping[str, CapsuleShare]


class ContactPlace(Table, frozen=True):
    """A contact point of a body, in metres in its segment's frame."""

    segment: str
    position_m: Vector
    radius_m: NotNegative


class Capsule(Table, frozen=True):
    """A capsule around a segment, in metres in its frame."""

    segment: str
    from_m: Vector
    to_m: Vector
    radius_m: Positive


class ContactTable(Table, frozen=True):
    """Contact points, contact sets as rows of points and axes, and capsules of one body, both sides named."""

    point: Mapping[str, ContactPlace]
    set: Mapping[str, tuple[Row, ...]]
    capsule: Mapping[str, Capsule]


class MarkerTable(Table, frozen=True):
    """Where markers sit, in metres in a segment's frame."""

    segment: Mapping[str, Mapping[str, Vector]]
    recorded_but_unused: tuple[str, ...] = ()


class SymmetryTable(Table, frozen=True):
    """The body in the mirror of its x-z plane: joints that change places, joints that stay, signs by axis."""

    paired: tuple[str, ...]
    single: tuple[str, ...]
    sign: Mapping[str, Literal[-1, 1]]


class FemaleTable(Table, frozen=True):
    """What differs in a woman's body."""

    length_share: Mapping[str, Positive]
    mass_share: Mapping[str, Positive]
    com: Mapping[str, ScaledPoint]
    gyration: Mapping[str, tuple[Positive, Positive, Positive]]


class SubjectTable(Table, frozen=True):
    """One person's sizes, as a motion file carries them.

    Args:
        name: Of the person.
        sex: Whose tables the body follows.
        height_m: Of the body.
        mass_kg: Of the body.
        lengths_m: By name.
        masses_kg: By segment.
        standing_pelvis_height_m: When the person stands; 0 as long as nobody has built the body.
    """

    name: str
    sex: str
    height_m: Positive
    mass_kg: Positive
    lengths_m: Mapping[str, Positive]
    masses_kg: Mapping[str, Positive]
    standing_pelvis_height_m: NotNegative = 0.0
