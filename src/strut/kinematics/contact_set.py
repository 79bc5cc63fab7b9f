"""Contact set: which points of a body touch the ground, and along which world axes they cannot move.

A point with a radius is the centre of a ball that rolls: along the ground its rows hold still the ball's lowest point,
wherever on the ball that is (exact rolling), and along the normal its centre. A line is two points, a sole is three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strut.errors import BadTableError, UnknownNameError
from strut.robot import ContactPoint, Robot

AXES = ("X", "Y", "Z")


@dataclass(frozen=True, slots=True)
class ContactRow:
    """One forbidden motion: a point along a world axis (0 is x, 2 is up)."""

    point: ContactPoint
    axis: int

    @property
    def name(self) -> str:
        """For people: HeelRight Z."""
        return f"{self.point.name} {AXES[self.axis]}"


@dataclass(frozen=True, slots=True)
class ContactSet:
    """All rows that hold at the same time. The empty set is flight."""

    name: str
    rows: tuple[ContactRow, ...]

    def __post_init__(self) -> None:
        names = [row.name for row in self.rows]
        if len(set(names)) != len(names):
            raise BadTableError(f"Contact set {self.name} names a row twice; each motion can be forbidden only once.")

    @property
    def points(self) -> tuple[ContactPoint, ...]:
        """The points in the order in which the rows first name them."""
        return tuple(dict.fromkeys(row.point for row in self.rows))

    @property
    def row_names(self) -> tuple[str, ...]:
        """Names of the rows."""
        return tuple(row.name for row in self.rows)

    @property
    def by_body(self) -> dict[str, tuple[ContactRow, ...]]:
        """The rows of each body that touches."""
        bodies = dict.fromkeys(row.point.body for row in self.rows)
        return {body: tuple(row for row in self.rows if row.point.body == body) for body in bodies}

    def rows_of(self, point: str) -> dict[int, int]:
        """Return the row index by axis for the point called `point`."""
        return {row.axis: index for index, row in enumerate(self.rows) if row.point.name == point}


def point_contact(name: str, point: ContactPoint) -> ContactSet:
    """Return the set of one point, or one rolling ball, on the ground: three rows."""
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
    return set_of_rows(name, sets[name], contact_points(robot))


def set_of_rows(name: str, rows: Sequence[Sequence[str]], points: dict[str, ContactPoint]) -> ContactSet:
    """Return a contact set from pairs of point name and axis letter."""
    made = []
    for point, axis in rows:
        if point not in points or axis not in AXES:
            raise BadTableError(f"Contact set {name}: there is no point '{point}' or no axis '{axis}'.")
        made.append(ContactRow(points[point], AXES.index(axis)))
    return ContactSet(name, tuple(made))
