"""GaitOptions: costs and constraints of a gait besides its criteria; each can be chosen without the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.table import human_gait
from strut.robot import Robot
from strut.style import Style

HUMAN = "human"  # the items that the gait table lists
PLAIN = "plain"  # no item
ITEMS = ("posture", "arms", "clearance", "capsules", "smooth", "springs")
MAX_CLEARANCE_M = 0.15
MAX_SMOOTH = 1e4


@dataclass(frozen=True, slots=True)
class GaitOptions:
    """Costs and constraints of a gait besides its criteria; by default none.

    Args:
        posture: Keep joint angles near the means of people.
        arms: Swing the arms against the legs.
        clearance_m: Minimum height of the swinging toes, from a third of the flat phase on.
        capsules: Keep the shanks apart as capsules, instead of a sideways distance of knees and ankles.
        smooth: Factor on the cost of changes of torque.
        springs: Add springs and dampers to the legs; the solver chooses stiffness, damping and rest angle.
        style: How trunk, head and arms are held, and how long a step lasts.
    """

    posture: bool = False
    arms: bool = False
    clearance_m: float = 0.0
    capsules: bool = False
    smooth: float = 1.0
    springs: bool = False
    style: Style | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.clearance_m <= MAX_CLEARANCE_M:  # also catches NaN
            raise OutOfRangeError(
                f"A toe clearance of {self.clearance_m * 1e3:g} mm is impossible; "
                f"choose 0 to {MAX_CLEARANCE_M * 1e3:g} mm."
            )
        if not 0.0 < self.smooth < MAX_SMOOTH:
            raise OutOfRangeError(
                f"The factor on the cost of torque changes (smooth) is {self.smooth:g}; "
                f"choose a number above 0 and below {MAX_SMOOTH:g}."
            )

    def as_dict(self) -> dict[str, Any]:
        """Return the options for JSON, without the style."""
        return {name: getattr(self, name) for name in GaitOptions.__slots__ if name != "style"}


def named_gait_options(robot: Robot, names: Sequence[str]) -> GaitOptions:
    """Return the options with the named items, sized by the robot's gait table; `human` stands for the usual ones.

    Example:
        >>> strut.human.named_gait_options(strut.load_robot("heiman"), ["posture", "arms"])
    """
    table = human_gait(robot).manner
    items = {item for name in names for item in (table.human if name == HUMAN else [name])}
    if PLAIN in names and len(names) > 1:
        others = ", ".join(name for name in names if name != PLAIN) or PLAIN
        raise OutOfRangeError(f"{PLAIN} means no item besides the criteria, so it cannot go with {others}; choose one.")
    for item in sorted(items - {*ITEMS, PLAIN}):
        raise UnknownNameError("manner", item, (HUMAN, PLAIN, *ITEMS), "`strut synthesize --help`")
    values: dict[str, Any] = dict.fromkeys(items & {"posture", "arms", "capsules", "springs"}, True)
    if "clearance" in items:
        values["clearance_m"] = table.clearance_m
    if "smooth" in items:
        values["smooth"] = table.smooth
    return GaitOptions(style=robot.expression.neutral_style(), **values)
