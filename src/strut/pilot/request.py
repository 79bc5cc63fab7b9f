"""Request of a walk under the robot's own controllers, and its gait.toml."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self, get_args

from strut.request import RobotTask, TaskKind
from strut.request_checks import check_word
from strut.schemas.fields import Positive
from strut.schemas.gait import GaitTable

Walker = Literal["pendulum", "library"]


class PilotedTable(GaitTable, frozen=True, tag_field="kind", tag="piloted"):
    """A walk under the robot's own controllers: usual speeds forward and sideways, height of the base, and distance.

    Args:
        speed_m_s: Usual speed ahead.
        sideways_m_s: Usual speed sideways.
        height_m: Usual height of the base.
        distance_m: How far it goes if nothing is asked.
    """

    speed_m_s: Positive
    sideways_m_s: Positive
    height_m: Positive
    distance_m: Positive


class PilotedWalk(RobotTask, frozen=True, tag="piloted", kw_only=True):
    """Walk under the robot's own controllers, in simulation; control.toml gives the range of its speeds and heights.

    Speeds and height of the base are those of the neutral walk; None takes the robot's own value. The `walker` places
    the feet by the linear inverted pendulum or by the robot's gait library.
    """

    walks: ClassVar[str] = "walks under its own controllers"
    keeps_margin: ClassVar[bool] = False

    speed_m_s: float | None = None
    sideways_m_s: float = 0.0
    turn_rad_s: float = 0.0
    body_height_m: float | None = None
    distance_m: float | None = None
    walker: Walker = "pendulum"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("walker", self.walker, get_args(Walker))

    @classmethod
    def chosen(cls, **choices: Any) -> Self:
        """Return the task of the chosen options; a sideways walk without a speed does not go forward."""
        return cls(**({"speed_m_s": 0.0} | choices if choices.get("sideways_m_s") else choices))


KIND = TaskKind(
    request=PilotedWalk,
    generator="strut.pilot.piloted_drafts:PilotedDrafts.of_request",
    table=PilotedTable,
    options="strut.pilot.options:piloted_options",
)
