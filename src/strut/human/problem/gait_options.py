"""GaitOptions: what makes a gait more human than its criteria alone do. Every item can be had without the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.table import human_gait
from strut.robot import Robot
from strut.style import Style

HUMAN = "human"
PLAIN = "plain"
ITEMS = ("posture", "arms", "clearance", "capsules", "smooth", "springs")
HIGHEST_CLEARANCE_M = 0.15
DEAREST = 1e4


@dataclass(frozen=True, slots=True)
class GaitOptions:
    """How a gait shall look besides being cheap; as it stands, nothing is asked.

    Coordinates stay near those of people (`posture`); arms swing against the legs (`arms`); the swinging toes keep a
    height from a third of the flat phase on (`clearance_m`); shanks are `capsules` that do not touch, in the place of a
    sideways distance of knees and ankles; a change of torque is `smooth` times dearer than usual; legs have `springs`
    and dampers that the solver chooses. The `style` says how trunk, head and arms are held and how hasty steps are.
    """

    posture: bool = False
    arms: bool = False
    clearance_m: float = 0.0
    capsules: bool = False
    smooth: float = 1.0
    springs: bool = False
    style: Style | None = None

    def __post_init__(self) -> None:
        if not 0.0 <= self.clearance_m <= HIGHEST_CLEARANCE_M:  # also catches NaN
            raise OutOfRangeError(
                f"A toe clearance of {self.clearance_m * 1e3:g} mm is impossible; "
                f"choose 0 to {HIGHEST_CLEARANCE_M * 1e3:g} mm."
            )
        if not 0.0 < self.smooth < DEAREST:
            raise OutOfRangeError(
                f"Changes of torque cannot be {self.smooth:g} times as dear; "
                f"choose a number above 0 and below {DEAREST:g} (smooth)."
            )

    def as_dict(self) -> dict[str, Any]:
        """Return the options as JSON would hold it, without the style."""
        return {name: getattr(self, name) for name in GaitOptions.__slots__ if name != "style"}


def named_gait_options(robot: Robot, words: Sequence[str]) -> GaitOptions:
    """Return the options with the named items, sized by the robot's gait table; `human` names the usual ones.

    Example:
        >>> strut.named_gait_options(strut.load_robot("heiman"), ["posture", "arms"])
    """
    table = human_gait(robot).manner
    items = {item for word in words for item in (table.human if word == HUMAN else [word])}
    _check_items(words, items)
    asked: dict[str, Any] = dict.fromkeys(items & {"posture", "arms", "capsules", "springs"}, True)
    if "clearance" in items:
        asked["clearance_m"] = table.clearance_m
    if "smooth" in items:
        asked["smooth"] = table.smooth
    return GaitOptions(style=robot.expression.neutral_style(), **asked)


def _check_items(words: Sequence[str], items: set[str]) -> None:
    if PLAIN in words and len(words) > 1:
        others = ", ".join(word for word in words if word != PLAIN) or PLAIN
        raise OutOfRangeError(f"{PLAIN} is nothing besides the criteria, so it cannot go with {others}; choose one.")
    for item in sorted(items - {*ITEMS, PLAIN}):
        raise UnknownNameError("manner", item, (HUMAN, PLAIN, *ITEMS), "`strut synthesize --help`")
