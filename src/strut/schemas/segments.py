"""robot.toml of a human: segments whose sizes follow from the height and the mass of a subject."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from strut.schemas.fields import Color, Floor, NotNegative, Positive, Range, Table, Text

ScaledPoint = Mapping[Literal["x", "y", "z"], Mapping[str, float]]  # a point as shares of body lengths, by axis


class Bound(Table, frozen=True):
    """Smallest and largest value of a body."""

    min: Positive
    max: Positive


class DefaultSubject(Table, frozen=True):
    """The default subject, and the bounds of heights and masses."""

    name: Text
    height_m: Bound
    mass_kg: Bound


class MeasuredSubject(Table, frozen=True):
    """A person with measured lengths."""

    height_m: Positive
    mass_kg: Positive
    lengths_m: Mapping[str, Positive]


class SegmentJoint(Table, frozen=True):
    """The joint above a segment and its axes in order of application."""

    name: Text
    axes: tuple[Literal["TX", "TY", "TZ", "RX", "RY", "RZ"], ...]


class SegmentShape(Table, frozen=True, rename={"start": "from", "stop": "to"}):
    """A capsule of a segment; its ends and radius as shares of lengths, or the radius in metres."""

    stop: ScaledPoint
    start: ScaledPoint = msgspec.field(default_factory=dict)
    radius_m: NotNegative = 0.0
    radius: Mapping[str, float] = {}


class SegmentTable(Table, frozen=True):
    """A segment of a human body; Side in its name stands for both sides."""

    name: Text
    joint: SegmentJoint
    length: Text
    com: ScaledPoint
    gyration: tuple[NotNegative, NotNegative, NotNegative]
    parent: Text | None = None
    origin: ScaledPoint = msgspec.field(default_factory=dict)
    wears: Text | None = None
    shapes: tuple[SegmentShape, ...] = ()


class SegmentLimit(Table, frozen=True):
    """Range and torque of a joint in planned walks, and its range in people if that is wider; of the left side."""

    range_rad: Range
    torque_nm: Positive
    mobility_rad: Range | None = None


class SegmentServo(Table, frozen=True):
    """Servos of a simulated human."""

    speed_limit_rad_s: Positive
    stiffness_nm_rad: Positive
    damping_nm_s_rad: Positive


class Skin(Table, frozen=True):
    """Colours of what segments wear; the radius of a contact point in simulation; how dark the left side is."""

    point_radius_m: Positive
    left_shade: Positive
    color: Mapping[str, Color]


class SegmentBody(Table, frozen=True):
    """A human body of segments whose sizes follow from a subject."""

    title: Text
    sides: tuple[str, str]
    subject: DefaultSubject
    subjects: Mapping[str, MeasuredSubject]
    length_share: Mapping[str, Positive]
    mass_share: Mapping[str, Positive]
    segment: tuple[SegmentTable, ...]
    limit: Mapping[str, SegmentLimit]
    servo: SegmentServo
    floor: Floor
    skin: Skin
