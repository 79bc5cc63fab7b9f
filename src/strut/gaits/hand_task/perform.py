"""Perform: a robot does a task with its hand and expresses an emotion with the rest of its body."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strut.arrays import Array
from strut.draft import OnProgress
from strut.emotion import Emotion, named_emotion
from strut.errors import OutOfRangeError
from strut.gaits.hand_task.hand_path import HandPath
from strut.gaits.hand_task.request import HandTask, PlatformMode, PriorityLaw
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.pipeline.run import run
from strut.request import Request
from strut.robot import Robot
from strut.schemas.expression import Layer


def perform(
    robot: Robot | str,
    task: HandPath | str,
    emotion: Emotion | str | None = "neutral",
    *,
    intensity: float = 1.0,
    user_m: Sequence[float] | Array | None = None,
    target_m: Sequence[float] | Array | None = None,
    duration_s: float = 10.0,
    rate_hz: float = 100.0,
    law: PriorityLaw = "corrected",
    platform: PlatformMode = "led",
    margin_m: float | None = None,
    strict: bool = False,
    expression: Layer | None = None,
    on_progress: OnProgress | None = None,
) -> Motion:
    """Do a task with a hand and express an emotion with the degrees of freedom that the task leaves.

    Args:
        robot: The robot, or its name.
        task: A task of the robot by name, or a path of the hand.
        emotion: The emotion, or its name; None leaves everything but the hand at rest.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        user_m: Eyes of the person it performs for, in world; the robot's own guess if None. Shape (3,).
        target_m: What to point at, for tasks that point. Shape (3,).
        duration_s: Duration of a task given by name.
        rate_hz: Samples per second.
        law: `corrected` tracks the head, `paper` is the published law, which does not.
        platform: `led` along the task's own path or kept where it is; `free` to help hand and head.
        margin_m: How far inside the wheels the centre of pressure must stay, for robots on a platform; 10 mm if None.
        strict: Raise RefusedError instead of weakening.
        expression: `published`, or with the `animated` layer over it; the robot's usual if None.
        on_progress: Called with every intensity that is tried; returning True stops.

    Returns the motion, with its receipt.

    Raises:
        UnreachablePathError: If the hand cannot follow its path.
        RefusedError: If `strict` and the emotion had to be weakened, or if not even neutral keeps the limits.

    Example:
        >>> strut.perform("pepper", "wave", "happy", duration_s=2.0).receipt.verdict
    """
    user = _point(user_m)
    target = _point(target_m)
    robot = as_robot(robot)
    named: dict[str, Any] = {"task": task, "duration_s": duration_s}
    if isinstance(task, HandPath):
        rows = tuple(tuple(row) for row in task.options["path"])
        named = {"task": task.name, "hand": task.hand, "path": rows, "duration_s": task.duration_s}
    request = Request(
        robot=robot.name,
        task=HandTask(**named, user_m=user, target_m=target, law=law, platform=platform),
        emotion=named_emotion(emotion) if isinstance(emotion, str) else emotion,
        intensity=intensity,
        margin_m=margin_m,
        rate_hz=rate_hz,
        strict=strict,
        expression=expression,
    )
    return run(request, robot=robot, on_progress=on_progress)


def _point(values: Sequence[float] | Array | None) -> tuple[float, float, float] | None:
    if values is None:
        return None
    if len(values) != 3:
        raise OutOfRangeError(f"A point needs three numbers, x, y and z in metres; this one has {len(values)}.")
    return (float(values[0]), float(values[1]), float(values[2]))
