"""Mirror: the map from a posture to its mirror image, with left and right exchanged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.robot import Robot


@dataclass(frozen=True, slots=True)
class Mirror:
    """Entry i of the image is sign[i] times entry partner[i]; the map is its own inverse."""

    partner: tuple[int, ...]
    sign: tuple[float, ...]

    def __post_init__(self) -> None:
        for index, (other, sign) in enumerate(zip(self.partner, self.sign, strict=True)):
            if self.partner[other] != index or self.sign[other] != sign:
                raise BadTableError(f"The mirror map is not its own inverse at entry {index}.")

    def apply(self, values: Any) -> list[Any]:
        """Return the image of a column of numbers or symbols, entry by entry."""
        return [sign * values[other] for other, sign in zip(self.partner, self.sign, strict=True)]

    def image(self, values: Array) -> Array:
        """Return the image of rows. Shape (..., n) in and out."""
        return np.asarray(values[..., list(self.partner)] * np.array(self.sign))

    def part(self, start: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return partner and sign of the entries from `start` on, which must be partners of each other."""
        return tuple(other - start for other in self.partner[start:]), self.sign[start:]


def mirror_of(robot: Robot, names: Sequence[str]) -> Mirror:
    """Return the mirror map of coordinates with names like HipRight_RY, from the robot's `symmetry` table."""
    table = robot.symmetry
    partner = []
    sign = []
    for name in names:
        joint, axis = name.rsplit("_", 1)
        other = _other_side(joint, table.paired)
        if other is None and joint not in table.single:
            raise BadTableError(
                f"{robot.name}: symmetry.toml has no mirror image of {name}: add {joint} to `paired` or `single`."
            )
        partner.append(list(names).index(f"{other or joint}_{axis}"))
        sign.append(float(table.sign[axis]))
    return Mirror(tuple(partner), tuple(sign))


def mirrored_feet(names: Sequence[str]) -> list[int]:
    """Return the index of each foot's mirror image; names end in Right or Left."""
    swap = {"Right": "Left", "Left": "Right"}
    return [
        list(names).index(next(name.removesuffix(side) + swap[side] for side in swap if name.endswith(side)))
        for name in names
    ]


def _other_side(joint: str, paired: Sequence[str]) -> str | None:
    """Return the name of a joint's counterpart on the other side; None if it has none."""
    for here, there in (("Right", "Left"), ("Left", "Right")):
        if joint.endswith(here) and joint.removesuffix(here) in paired:
            return joint.removesuffix(here) + there
    return None
