"""Request of a task for a hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

from strut.errors import OutOfRangeError
from strut.receipt import LimitName
from strut.request import RobotTask, TaskKind
from strut.request_checks import FARTHEST_M

PriorityLaw = Literal["corrected", "paper"]
PlatformMode = Literal["led", "free"]
LONGEST_DURATION_S = 3600.0


class HandTask(RobotTask, frozen=True, tag="hand_task", kw_only=True):
    """Do a task with a hand and express an emotion with the degrees of freedom that it leaves.

    Args:
        task: A task of the robot by name, or the name of `path`.
        path: Rows of time_s, x_m, y_m, z_m in world and perhaps qw, qx, qy, qz to follow, in the place of a task.
        hand: The hand that follows `path`.
        duration_s: Of a task given by name.
        user_m: Eyes of the person it performs for, in world; the robot's own guess if None.
        target_m: What to point at, for tasks that point.
        law: `corrected` tracks the head, `paper` is the published law, which does not.
        platform: `led` along the task's own path or kept where it is; `free` to help hand and head.
    """

    task: str
    path: tuple[tuple[float, ...], ...] | None = None
    hand: str = "right"
    duration_s: float = 10.0
    user_m: tuple[float, float, float] | None = None
    target_m: tuple[float, float, float] | None = None
    law: PriorityLaw = "corrected"
    platform: PlatformMode = "led"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value, known in (("law", self.law, PriorityLaw), ("platform", self.platform, PlatformMode)):
            if value not in get_args(known):
                raise OutOfRangeError(f"The {name} is '{value}'; choose {' or '.join(get_args(known))}.")
        if not 0.0 < self.duration_s <= LONGEST_DURATION_S:  # also catches NaN
            raise OutOfRangeError(
                f"The duration is {self.duration_s:g} s; choose more than 0 and at most {LONGEST_DURATION_S:g}."
            )
        check_point("user", self.user_m)
        check_point("target", self.target_m)

    def advice(self, broken: Sequence[str]) -> str:
        """Return what to do if nothing can be performed at all."""
        if self.target_m is not None:
            more = "; choose a target in front of it"
        elif {LimitName.PLATFORM, LimitName.JOINT_SPEED, LimitName.TORQUE} & set(broken):
            more = "; give it more time with --duration, or move the user in front of the robot"
        else:
            more = ""
        return f"Not even the neutral performance keeps its limits{more}."


def check_point(what: str, point_m: tuple[float, float, float] | None) -> None:
    """Raise if a point in the room is not three finite numbers, or too far away to be seen."""
    if point_m is None:
        return
    if len(point_m) != 3 or not all(math.isfinite(value) for value in point_m):
        raise OutOfRangeError(f"The {what}'s position needs three finite numbers: x, y, z in metres.")
    if max(abs(value) for value in point_m) > FARTHEST_M:
        raise OutOfRangeError(f"The {what} is more than {FARTHEST_M:g} m away; choose a nearer point.")


KIND = TaskKind(
    request=HandTask,
    generator="strut.gaits.hand_task.hand_drafts:HandDrafts.of_request",
)
