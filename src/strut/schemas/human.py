"""contact.toml, markers.toml, symmetry.toml and female.toml of a human, and the table of one subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from strut.schemas.fields import NotNegative, Positive, Table, Text, Vector
from strut.schemas.segments import ScaledPoint

Row = tuple[str, Literal["X", "Y", "Z"]]  # a point and the world axis along which it cannot move


class ContactPointShare(Table, frozen=True):
    """A contact point as shares of body lengths; with a radius it is a rolling ball."""

    segment: Text
    position: ScaledPoint
    radius: Text | None = None


class FootRows(Table, frozen=True):
    """Directions in which the points of a foot in contact cannot move."""

    rows: tuple[Row, ...]


class CapsuleShare(Table, frozen=True, rename={"start": "from", "stop": "to"}):
    """A capsule around a segment as shares of body lengths."""

    segment: Text
    start: ScaledPoint
    stop: ScaledPoint
    radius_m: Positive


class ContactShares(Table, frozen=True):
    """contact.toml: contacts of any body and either side."""

    point: Mapping[str, ContactPointShare]
    foot: Mapping[str, FootRows]
    set: Mapping[str, Mapping[Literal["Right", "Left"], str]]
    capsule: Mapping[str, CapsuleShare]


class ContactPlace(Table, frozen=True):
    """A contact point of a body, in metres in the frame of its segment."""

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
    """Positions of markers, in metres in the frame of their segment."""

    segment: Mapping[str, Mapping[str, Vector]]
    recorded_but_unused: tuple[str, ...] = ()


class SymmetryTable(Table, frozen=True):
    """The mirror image of the body in its x-z plane: paired joints, single joints, signs by axis."""

    paired: tuple[str, ...]
    single: tuple[str, ...]
    sign: Mapping[str, Literal[-1, 1]]


class FemaleTable(Table, frozen=True):
    """Differences of female bodies."""

    length_share: Mapping[str, Positive]
    mass_share: Mapping[str, Positive]
    com: Mapping[str, ScaledPoint]
    gyration: Mapping[str, tuple[Positive, Positive, Positive]]


class SubjectTable(Table, frozen=True):
    """The sizes of one person, as a motion file stores them.

    Args:
        name: Of the person.
        sex: Selects the tables of mass and length shares.
        height_m: Of the body.
        mass_kg: Of the body.
        lengths_m: By name.
        masses_kg: By segment.
        standing_pelvis_height_m: While the person stands; 0 until the body is built.
    """

    name: str
    sex: str
    height_m: Positive
    mass_kg: Positive
    lengths_m: Mapping[str, Positive]
    masses_kg: Mapping[str, Positive]
    standing_pelvis_height_m: NotNegative = 0.0
