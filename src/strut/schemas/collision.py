"""collision.toml: how near the bodies of a robot may come to each other."""

from __future__ import annotations

from strut.schemas.fields import NotNegative, Table, Text


class CollisionTable(Table, frozen=True):
    """Settings of the limit of self-collision; a robot without the file has the defaults.

    With neither `joined` nor `overlapping`, all overlaps of the standing posture are taken to be by design.

    Args:
        min_distance_m: Smallest allowed distance between the surfaces of two bodies; below 0 they may overlap.
        no_surface: Names of geoms that model a contact and are no surface of the body.
        joined: Pairs of bodies that several joints in one place connect; overlaps there are not limited.
        overlapping: Pairs of bodies that overlap by design in the standing posture.
        max_deepening_m: By how much an overlap by design may become deeper than in the standing posture.
        excluded: Of folders before `overlapping`: read and not used, because distances of all bodies are limited.
    """

    min_distance_m: float = 0.005
    no_surface: tuple[Text, ...] = ()
    joined: tuple[tuple[Text, Text], ...] | None = None
    overlapping: tuple[tuple[Text, Text], ...] | None = None
    max_deepening_m: NotNegative = 0.005
    excluded: tuple[tuple[Text, Text], ...] = ()

    @property
    def names_overlaps(self) -> bool:
        """Whether it says which overlaps are by design."""
        return self.joined is not None or self.overlapping is not None

    @property
    def named(self) -> tuple[tuple[str, str], ...]:
        """All pairs of bodies that it names."""
        return (*(self.joined or ()), *(self.overlapping or ()), *self.excluded)


USUAL_COLLISION = CollisionTable()
