"""Mirror: the map that turns a posture into its mirror image, left and right exchanged."""

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
    """Entry i of the image is sign[i] times entry partner[i]; doing it twice changes nothing."""

    partner: tuple[int, ...]
    sign: tuple[float, ...]

    def __post_init__(self) -> None:
        for index, (other, sign) in enumerate(zip(self.partner, self.sign, strict=True)):
            if self.partner[other] != index or self.sign[other] != sign:
                raise BadTableError(f"The mirror map is not its own inverse at entry {index}.")

    def apply(self, values: Any) -> list[Any]:
        """Return the image of a column, entry by entry; numbers and symbols alike."""
        return [sign * values[other] for other, sign in zip(self.partner, self.sign, strict=True)]

    def image(self, values: Array) -> Array:
        """Return the image of rows. Shape (..., n) in and out."""
        return np.asarray(values[..., list(self.partner)] * np.array(self.sign))

    def part(self, start: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return partner and sign of the entries from `start` on, which must be mirrored among themselves."""
        return tuple(other - start for other in self.partner[start:]), self.sign[start:]


def mirror_of(robot: Robot, names: Sequence[str]) -> Mirror:
    """Return the mirror map for coordinates called like HipRight_RY, from the robot's `symmetry` table."""
    table = robot.symmetry
    partner = []
    sign = []
    for name in names:
        joint, axis = name.rsplit("_", 1)
        other = _other_side(joint, table.paired)
        if other is None and joint not in table.single:
            raise BadTableError(f"{robot.name}: symmetry.toml does not say what the mirror image of {name} is.")
        partner.append(list(names).index(f"{other or joint}_{axis}"))
        sign.append(float(table.sign[axis]))
    return Mirror(tuple(partner), tuple(sign))


def mirrored_feet(names: Sequence[str]) -> list[int]:
    """Return which foot's column stands in the place of each in the mirror; names end in Right or Left."""
    swap = {"Right": "Left", "Left": "Right"}
    return [
        list(names).index(next(name.removesuffix(side) + swap[side] for side in swap if name.endswith(side)))
        for name in names
    ]


def _other_side(joint: str, paired: Sequence[str]) -> str | None:
    for here, there in (("Right", "Left"), ("Left", "Right")):
        if joint.endswith(here) and joint.removesuffix(here) in paired:
            return joint.removesuffix(here) + there
    return None
