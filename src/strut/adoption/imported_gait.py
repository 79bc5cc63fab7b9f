"""Imported gait: what adoption asks of the feature that makes the gait of an imported robot; the registry names it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from strut.registry import find
from strut.robot import Robot

GAIT = "pattern"  # the only kind of gait that any robot on two or four legs can have


class ImportedGait(Protocol):
    """A gait and how well it fits a robot."""

    @property
    def toml(self) -> str:
        """The text of gait.toml."""
        ...

    @property
    def findings(self) -> Sequence[str]:
        """Sentences about what was changed."""
        ...

    @property
    def assumptions(self) -> Sequence[str]:
        """Sentences about what was assumed."""
        ...

    @property
    def denied(self) -> str:
        """Why the robot cannot walk at all; empty if it can."""
        ...


class GaitMaker(Protocol):
    """Makes the gait.toml of imported robots."""

    def usual_toml(self, leg_count: int) -> str:
        """Return the usual gait.toml of a robot with so many legs."""
        ...

    def fit(self, robot: Robot, on_share: Callable[[float], None]) -> ImportedGait:
        """Return the gait that fits a robot; `on_share` is called with each share of the usual speed that is tried."""
        ...


def gait_maker() -> GaitMaker:
    """Return the gait maker of the registry."""
    maker: GaitMaker = find("strut.imported_gaits", GAIT)
    return maker
