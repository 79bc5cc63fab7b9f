"""Contact set: the contact points of a body and the world axes along which each of them cannot move.

A point with a radius is the centre of a rolling ball. Its tangential rows constrain the ball's lowest material point
(exact rolling), its normal row constrains the centre. A line contact is two points, a sole is three.
"""

from __future__ import annotations

from dataclasses import dataclass

from strut.errors import BadTableError, UnknownNameError
from strut.robot import ContactPoint, Robot

AXES = ("X", "Y", "Z")


@dataclass(frozen=True, slots=True)
class ContactRow:
    """One constraint: a point does not move along a world axis (0 is x, 2 is up)."""

    point: ContactPoint
    axis: int

    @property
    def name(self) -> str:
        """Label of the row, such as HeelRight Z."""
        return f"{self.point.name} {AXES[self.axis]}"


@dataclass(frozen=True, slots=True)
class ContactSet:
    """All constraints that hold at the same time. The empty set is flight."""

    name: str
    rows: tuple[ContactRow, ...]

    def __post_init__(self) -> None:
        names = [row.name for row in self.rows]
        if len(set(names)) != len(names):
            raise BadTableError(f"Contact set {self.name} names a row twice; each constraint may occur once.")

    @property
    def points(self) -> tuple[ContactPoint, ...]:
        """The points, in the order of their first rows."""
        return tuple(dict.fromkeys(row.point for row in self.rows))

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return tuple(row.name for row in self.rows)

    @property
    def by_body(self) -> dict[str, tuple[ContactRow, ...]]:
        """The rows of each body in contact."""
        bodies = dict.fromkeys(row.point.body for row in self.rows)
        return {body: tuple(row for row in self.rows if row.point.body == body) for body in bodies}

    def rows_of(self, point: str) -> dict[int, int]:
        """Return the row index by axis for the point called `point`."""
        return {row.axis: index for index, row in enumerate(self.rows) if row.point.name == point}


def point_contact(name: str, point: ContactPoint) -> ContactSet:
    """Return the contact set of one point or rolling ball: three rows."""
    return ContactSet(name, tuple(ContactRow(point, axis) for axis in range(3)))


def contact_points(robot: Robot) -> dict[str, ContactPoint]:
    """Return the contact points of a robot by name, from its `contact` table."""
    return {
        name: ContactPoint(name, entry.segment, entry.position_m, entry.radius_m)
        for name, entry in robot.contacts.point.items()
    }


def contact_set(robot: Robot, name: str) -> ContactSet:
    """Return a contact set of a robot by name, from its `contact` table."""
    sets = robot.contacts.set
    if name not in sets:
        raise UnknownNameError("contact set", name, tuple(sets), f"{robot.name}'s contact.toml")
    points = contact_points(robot)
    rows = []
    for point, axis in sets[name]:
        if point not in points or axis not in AXES:
            raise BadTableError(
                f"Contact set {name} names the point '{point}' and the axis '{axis}'; known points are "
                f"{', '.join(points)}, known axes are {', '.join(AXES)}."
            )
        rows.append(ContactRow(points[point], AXES.index(axis)))
    return ContactSet(name, tuple(rows))
