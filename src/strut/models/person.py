"""Person: positions of points, contacts and markers on the body of one human, from lengths and masses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
import numpy as np

from strut.arrays import Array
from strut.schemas.human import Capsule, ContactPlace, ContactShares, ContactTable, MarkerTable, SubjectTable
from strut.schemas.segments import ScaledPoint, SegmentBody

SIDE = "Side"
AXES: tuple[Literal["x", "y", "z"], ...] = ("x", "y", "z")


def point_on(person: SubjectTable, entry: ScaledPoint, side: str | None) -> Array:
    """Return a point that is given as shares of lengths by axis, mirrored on the right side. Shape (3,)."""
    shares = [entry.get(axis, {}) for axis in AXES]
    point = np.array([length_of(person, lengths, side) for lengths in shares])
    return point * [1.0, -1.0 if side == "Right" else 1.0, 1.0]


def length_of(person: SubjectTable, shares: Mapping[str, float], side: str | None) -> float:
    """Return a sum of shares of body lengths [m]."""
    return sum((share * person.lengths_m[on_side(name, side)] for name, share in shares.items()), 0.0)


def on_side(name: str, side: str | None) -> str:
    """Return the name on one side of the body."""
    return name if side is None else name.replace(SIDE, side)


def sides_of(name: str, sides: Sequence[str]) -> list[str | None]:
    """Return the sides of an entry: both if its name contains `Side`, else None alone."""
    return [*sides] if SIDE in name else [None]


def both_sides(body: SegmentBody, entries: Mapping[str, float]) -> dict[str, float]:
    """Return entries with `Side` in their names replaced by each side."""
    return {on_side(name, side): value for name, value in entries.items() for side in sides_of(name, body.sides)}


def resolve_contact(body: SegmentBody, contact: ContactShares, person: SubjectTable) -> ContactTable:
    """Return the contact table of a person: both sides, with positions in metres."""
    points = {
        on_side(name, side): ContactPlace(
            segment=on_side(entry.segment, side),
            position_m=_triple(point_on(person, entry.position, side)),
            radius_m=person.lengths_m[on_side(entry.radius, side)] if entry.radius is not None else 0.0,
        )
        for side in body.sides
        for name, entry in contact.point.items()
    }
    capsules = {
        on_side(name, side): Capsule(
            segment=on_side(entry.segment, side),
            from_m=_triple(point_on(person, entry.start, side)),
            to_m=_triple(point_on(person, entry.stop, side)),
            radius_m=entry.radius_m,
        )
        for name, entry in contact.capsule.items()
        for side in sides_of(name, body.sides)
    }
    sets = {
        name: tuple(
            (on_side(point, side), axis) for side, foot in feet.items() for point, axis in contact.foot[foot].rows
        )
        for name, feet in contact.set.items()
    }
    return ContactTable(point=points, set=sets, capsule=capsules)


def resolve_markers(body: SegmentBody, markers: MarkerTable, person: SubjectTable) -> MarkerTable:
    """Return the marker table of a person: positions scale with the segments of the measured subject."""
    measured_lengths_m = both_sides(body, body.subjects[body.subject.name].lengths_m)
    positions = {}
    for entry in body.segment:
        for side in sides_of(entry.name, body.sides):
            segment = on_side(entry.name, side)
            length = on_side(entry.length, side)
            if own := markers.segment.get(segment, {}):
                scale = person.lengths_m[length] / measured_lengths_m[length]
                positions[segment] = {name: _triple(scale * np.asarray(position)) for name, position in own.items()}
    return msgspec.structs.replace(markers, segment=positions)


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = values.tolist()
    return x, y, z
