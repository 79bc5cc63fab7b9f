"""collision.toml: how near to each other the bodies of a robot may come."""

from __future__ import annotations

from strut.schemas.fields import Table, Text


class CollisionTable(Table, frozen=True):
    """What the limit of self-collision needs to know; a robot without the file has the values below.

    Args:
        least_distance_m: Smallest allowed distance between the surfaces of two bodies; below 0 they may overlap.
        no_surface: Names of geoms that are no surface but only model a contact.
        excluded: Pairs of bodies that are not looked at.
    """

    least_distance_m: float = 0.005
    no_surface: tuple[Text, ...] = ()
    excluded: tuple[tuple[Text, Text], ...] = ()


USUAL_COLLISION = CollisionTable()
