"""collision.toml: how near the bodies of a robot may come to each other."""

from __future__ import annotations

from strut.schemas.fields import Table, Text


class CollisionTable(Table, frozen=True):
    """Settings of the limit of self-collision; a robot without the file has the defaults.

    Args:
        min_distance_m: Smallest allowed distance between the surfaces of two bodies; below 0 they may overlap.
        no_surface: Names of geoms that model a contact and are no surface of the body.
        excluded: Pairs of bodies whose distance is not limited.
    """

    min_distance_m: float = 0.005
    no_surface: tuple[Text, ...] = ()
    excluded: tuple[tuple[Text, Text], ...] = ()


USUAL_COLLISION = CollisionTable()
