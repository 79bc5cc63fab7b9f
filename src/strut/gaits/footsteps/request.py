"""Request of a walk in planned steps, to a goal or to given footsteps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, get_args

import msgspec

from strut.errors import BadFootstepsError, OutOfRangeError, StrutError
from strut.gaits.footsteps.table import StepsTable
from strut.place import Footstep, Place
from strut.receipt import LimitName
from strut.request import Adjustable, RobotTask, TaskKind
from strut.request_checks import check_goal, check_length, check_word

PressureLaw = Literal["pressure", "mass"]
WalkingPace = Literal["own", "fastest"]


class Steps(RobotTask, frozen=True, tag="steps", kw_only=True):
    """Walk in steps to a goal, or on given footsteps.

    Args:
        goals: Places to pass, in world, the last one to stop at; the robot starts at the origin, facing x.
        footsteps: Poses of the feet, instead of goals.
        step_length_m: Longest step in neutral; the robot's own if None.
        step_height_m: Height of a swing in neutral; the robot's own if None.
        body_height_m: Height of the hips in neutral; the robot's own if None.
        pace: Speed along a line in neutral [m/s]; the robot's `own`; or the `fastest`, instead of the emotion's tempo.
        law: `pressure` plans the centre of pressure; `mass` the centre of mass, as published.
    """

    walks: ClassVar[str] = "walks in steps to a goal"
    usual_rate_hz: ClassVar[float] = 50.0
    adjustable: ClassVar[Mapping[str, Adjustable]] = {
        "pace": Adjustable("speed", "mm/s"),
        "body_height_m": Adjustable("body height", "mm"),
        "step_length_m": Adjustable("step length", "mm"),
        "step_height_m": Adjustable("step height", "mm"),
    }

    goals: tuple[Place, ...] = ()
    footsteps: tuple[Footstep, ...] = ()
    step_length_m: float | None = None
    step_height_m: float | None = None
    body_height_m: float | None = None
    pace: WalkingPace | float = "own"
    law: PressureLaw = "pressure"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.goals and not self.footsteps:
            raise OutOfRangeError("There is neither a goal nor a list of steps; say where to go.")
        check_walking_pace(self.pace)
        check_word("law", self.law, get_args(PressureLaw))
        for name in ("step_length_m", "step_height_m", "body_height_m"):
            check_length(name[:-2].replace("_", " "), getattr(self, name), above_zero=True)
        if self.step_length_m is not None and self.step_length_m < 0.002:
            raise OutOfRangeError(f"Steps of {self.step_length_m * 1e3:g} mm never arrive; choose at least 2 mm.")
        for place in self.goals:
            check_goal(place)

    @property
    def wants_fastest(self) -> bool:
        """Whether the fastest feasible pace is to be searched."""
        return self.pace == "fastest"

    def refusal(self, limit: str, reason: str) -> StrutError | None:
        """Return the error about given footsteps that are out of reach."""
        if not self.footsteps or limit != LimitName.REACH:
            return None
        return BadFootstepsError(f"The footsteps cannot be walked: {reason}; shorten or turn that step less.")

    def probe(self, **options: Any) -> Self:
        """Return the walk; another step length is tried straight ahead: the way to a goal may need less."""
        if "step_length_m" in options:
            options |= {"goals": (Place(4.0 * options["step_length_m"], 0.0),), "footsteps": ()}
        return msgspec.structs.replace(self, **options)


def check_walking_pace(pace: WalkingPace | float) -> None:
    """Raise if a pace is neither a known word nor a speed above 0."""
    if isinstance(pace, str):
        check_word("pace", pace, get_args(WalkingPace))
    elif not (math.isfinite(pace) and pace > 0.0):
        raise OutOfRangeError(f"The speed is {pace:g} m/s; it must be a number above 0.")


KIND = TaskKind(
    request=Steps,
    generator="strut.gaits.footsteps.step_drafts:StepDrafts.of_request",
    table=StepsTable,
    options="strut.gaits.footsteps.options:step_options",
)
