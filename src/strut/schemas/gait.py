"""gait.toml: how a robot walks. Each kind of gait has its own table beside its request, registered in "strut.tasks"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from strut.schemas.fields import Table

NO_SIGNS: Mapping[str, Literal[-1, 1]] = {}


class GaitTable(Table, frozen=True):
    """What the core reads of every gait; a kind of gait adds its own fields and the tag that its file names as `kind`.

    Args:
        needs_balance: Whether a simulation may need feedback control besides servos to keep the walk upright.
    """

    needs_balance: ClassVar[bool] = False

    @property
    def knee_sign(self) -> Mapping[str, Literal[-1, 1]]:
        """Which way knees bend, by leg; legs that are not named bend as their geometry says."""
        return NO_SIGNS

    @property
    def servo_margin_m(self) -> float | None:
        """Balance margin with which servos keep any walk upright in other conditions than planned; None if unknown."""
        return None

    @property
    def sprung_joints(self) -> tuple[str, ...]:
        """Joints with springs and dampers in parallel to their motors, without their side."""
        return ()

    def goal_ahead_m(self, steps: float) -> float | None:  # noqa: ARG002
        """Return the distance of so many steps, for a gait that needs a goal; None for one that needs none."""
        return None
