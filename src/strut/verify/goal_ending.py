"""Goal ending: where a walk to a goal ended against that goal, measured from its samples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from strut.arrays import Array
from strut.engines.rigid_body import foot_positions
from strut.errors import StrutError
from strut.maths.rotation import headings_of
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.place import Place, wrap_angle
from strut.robot import Robot

ON_THE_SPOT_M = 0.01  # a goal nearer than this has no direction of its own: its heading is taken


@dataclass(frozen=True, slots=True)
class GoalEnding:
    """Where a walk ended against its goal.

    Args:
        goal_error_m: Distance from the goal on the ground.
        too_far_m: The part of it along the line from start to goal; negative where the walk ended before it.
        to_left_m: The part of it across that line.
        heading_error_rad: Turn from the goal's heading to the one reached, left is positive.
        goal_distance_m: From the start to the goal.
    """

    goal_error_m: float
    too_far_m: float
    to_left_m: float
    heading_error_rad: float
    goal_distance_m: float

    def as_dict(self) -> dict[str, float]:
        """Return the numbers as JSON would hold them; the keys are part of the interface."""
        return asdict(self)


def measure_goal_ending(motion: Motion, robot: Robot | None = None) -> GoalEnding | None:
    """Measure where a walk ended against the goal that its file names; None if it names none.

    Goals are places of the middle of the feet, seen from where it starts.

    Example:
        >>> strut.verify.measure_goal_ending(strut.load_motion("walk.npz")).goal_error_m
    """
    goal = goal_of(motion.meta)
    if goal is None:
        return None
    body = robot_of(motion, robot)
    if not body.floats or not body.feet:
        return None
    start, end = _standing_places(body, motion.qpos[[0, -1]])
    return _against(goal, end.relative_to(start))


def goal_of(meta: Mapping[str, Any]) -> Place | None:
    """Return the last goal that a motion's options name; None if they name none that makes sense."""
    options = meta.get("options")
    if not isinstance(options, Mapping):
        return None
    goals = options.get("goals")
    return _place_of(goals[-1] if isinstance(goals, Sequence) and goals else options.get("goal"))


def _place_of(said: Any) -> Place | None:
    """Return the place that a file says as a table or a list; None if it says none."""
    try:
        return Place(**said) if isinstance(said, Mapping) else Place(*said)
    except (TypeError, StrutError):
        return None


def _against(goal: Place, reached: Place) -> GoalEnding:
    """Return how a place that was reached lies against a goal, both seen from the start."""
    far_m = math.hypot(goal.x_m, goal.y_m)
    along_rad = math.atan2(goal.y_m, goal.x_m) if far_m > ON_THE_SPOT_M else goal.heading_rad
    off = reached.relative_to(Place(goal.x_m, goal.y_m, along_rad))
    turned = wrap_angle(reached.heading_rad - goal.heading_rad)
    return GoalEnding(math.hypot(off.x_m, off.y_m), off.x_m, off.y_m, turned, far_m)


def _standing_places(robot: Robot, qpos: Array) -> list[Place]:
    """Return the middles of the feet, facing as the body does. Shape (T, nq)."""
    middles = foot_positions(robot, qpos)[..., :2].mean(axis=1)
    headings = headings_of(qpos[:, 3:7])
    return [Place(float(x), float(y), float(yaw)) for (x, y), yaw in zip(middles, headings, strict=True)]
