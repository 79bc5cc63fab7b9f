"""Request of a walk by a gait pattern."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import msgspec

from strut.errors import OutOfRangeError
from strut.gaits.pattern.table import PatternTable
from strut.place import Place
from strut.request import Adjustable, RobotTask, TaskKind
from strut.request_checks import check_cycles, check_goal
from strut.score import ScoreKey

FASTEST_M_S = 10.0
FASTEST_TURN_RAD_S = 10.0
SLOWER = (0.85, 0.75, 0.5, 0.35, 0.25)  # shares of its usual speed at which a robot with weak motors is tried


class PatternGait(RobotTask, frozen=True, tag="pattern", kw_only=True):
    """Walk by a gait pattern, on two or four legs: straight, sideways, turning, or to a goal.

    Args:
        pattern: crawl, walk or trot on four legs, biped on two; the robot's own if None.
        cycles: Whole gait cycles; towards a goal, as many as it takes.
        speed_m_s: Forwards in neutral; below 0 backwards; the pattern's own if None.
        sideways_m_s: To the left in neutral.
        turn_rad_s: To the left.
        goals: Where to go instead: places to pass from the origin, facing x, the last one to stop at.
    """

    walks: ClassVar[str] = "walks by a gait pattern"
    simulated: ClassVar[bool] = True
    follows_scores: ClassVar[bool] = True
    adjustable: ClassVar[Mapping[str, Adjustable]] = {  # each value is proved in simulation, so that they are coarse
        "speed_m_s": Adjustable("speed", "mm/s", 20.0, usual_shares=SLOWER),
        "turn_rad_s": Adjustable("turn", "°/s", 40.0),
        "sideways_m_s": Adjustable("sideways speed", "mm/s", 20.0),
    }

    pattern: str | None = None
    cycles: int = 10
    speed_m_s: float | None = None
    sideways_m_s: float = 0.0
    turn_rad_s: float = 0.0
    goals: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 2)  # one to start, one to stop
        for name, value, most, unit in (
            ("speed", self.speed_m_s, FASTEST_M_S, "m/s"),
            ("sideways speed", self.sideways_m_s, FASTEST_M_S, "m/s"),
            ("turn", math.degrees(self.turn_rad_s), math.degrees(FASTEST_TURN_RAD_S), "degrees per second"),
        ):
            if value is not None and not abs(value) <= most:  # also catches NaN
                raise OutOfRangeError(f"The {name} is {value:g} {unit}; no legged robot does more than {most:.3g}.")
        for place in self.goals:
            check_goal(place)

    @classmethod
    def chosen(cls, **choices: Any) -> Self:
        """Return the task with what a user chose: sideways alone does not go forwards, too."""
        return cls(**({"speed_m_s": 0.0} | choices if choices.get("sideways_m_s") else choices))

    def at_keyframe(self, keyframe: ScoreKey) -> Self:
        """Return a short walk at the speed and the turn of a keyframe; raises OutOfRangeError for a walk to a goal."""
        if self.goals:
            raise OutOfRangeError(
                "A score says how long the walk takes and a goal where it ends; leave one of them out."
            )
        speed_m_s = self.speed_m_s if keyframe.speed_m_s is None else keyframe.speed_m_s
        turn_rad_s = self.turn_rad_s + keyframe.turn_rad_s
        return self.probe(speed_m_s=speed_m_s, turn_rad_s=turn_rad_s)

    def chosen_options(self) -> dict[str, float]:
        """Return the chosen numbers. A forward speed of 0 (sideways walk, turn in place) is not a choice."""
        chosen = super().chosen_options()
        return {name: value for name, value in chosen.items() if name != "speed_m_s" or value != 0.0}

    def at_usual_speed(self, speed_m_s: float) -> Self | None:
        """Return the walk at another speed than the pattern's own; None if a speed was chosen."""
        return msgspec.structs.replace(self, speed_m_s=speed_m_s) if self.speed_m_s is None else None

    def probe(self, **options: Any) -> Self:
        """Return a walk that starts, walks and stops."""
        return msgspec.structs.replace(self, cycles=min(self.cycles, 3), **options)


KIND = TaskKind(
    request=PatternGait,
    generator="strut.gaits.pattern.gait_drafts:GaitDrafts.of_request",
    table=PatternTable,
    options="strut.gaits.pattern.options:pattern_options",
)
