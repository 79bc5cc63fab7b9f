"""Walk: a robot walks with a feeling, straight ahead or to a goal. Builds a request, and runs it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack, get_args

from strut.draft import OnProgress
from strut.emotion import Emotion, named_emotion
from strut.errors import BadTableError
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.pipeline.run import run
from strut.place import Footstep, Place
from strut.request import Balance, PressureLaw, Request, RequestTask, Retreat, Walker
from strut.request_checks import WalkingPace
from strut.robot import Robot
from strut.schemas.expression import Layer


class GaitChoices(TypedDict, total=False):
    """What the gaits of single robots leave to the user; `Crawl`, `Steps`, `PatternGait` and `PilotedWalk` say what.

    Crawl: `step_length_m`, `step_height_m`, `balance`, `tempo`. Steps: `footsteps`, `step_length_m`, `step_height_m`,
    `body_height_m`, `pace`, `law`. Gait patterns: `pattern`, `speed_m_s`, `sideways_m_s`, `turn_rad_s`. Under the
    robot's own controllers: `speed_m_s`, `sideways_m_s`, `turn_rad_s`, `body_height_m`, `distance_m`, `walker`. With
    `sideways_m_s` alone the robot goes sideways alone.
    """

    footsteps: Sequence[Footstep] | None
    step_length_m: float | None
    step_height_m: float | None
    body_height_m: float | None
    pace: WalkingPace | float | None
    law: PressureLaw | None
    balance: Balance | None
    tempo: float | None
    pattern: str | None
    speed_m_s: float | None
    sideways_m_s: float | None
    turn_rad_s: float | None
    distance_m: float | None
    walker: Walker | None


def walk(
    robot: Robot | str,
    emotion: Emotion | str | None = "neutral",
    *,
    goal: Place | Sequence[Place] | None = None,
    cycles: int | None = None,
    intensity: float = 1.0,
    margin_m: float | None = None,
    retreat: Retreat = "global",
    strict: bool = False,
    expression: Layer | None = None,
    rate_hz: float | None = None,
    on_progress: OnProgress | None = None,
    **choices: Unpack[GaitChoices],
) -> Motion:
    """Plan a walk that shows an emotion as strongly as the body allows.

    How a robot walks, its gait.toml says. What its gait has no place for must be left out.

    Args:
        robot: Who walks, or its name.
        emotion: What it feels, or the feeling's name; None shows nothing on purpose.
        goal: Where to go, the way-points before it first. It starts at the origin, facing x.
        cycles: Whole gait cycles where there is no goal, 10 if None.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon; 10 mm if None.
        retreat: What cannot be kept is weakened for the whole walk (`global`) or only while a limit is near (`local`).
        strict: Raise RefusedError instead of weakening.
        expression: `published`, or with the `animated` layer over it; the robot's usual if None.
        rate_hz: Samples per second; the task's usual rate if None.
        on_progress: Told every intensity tried and every iteration of a solver; returning True stops.
        **choices: Of the robot's gait: see `GaitChoices`.

    Returns:
        The motion, with its receipt. Raises as `run` does.

    Example:
        >>> strut.walk("mrpete", "sad", cycles=4).receipt.balance_margin_mm
        >>> strut.walk("alice", "sad", goal=strut.Place(0.3, 0.1, 0.5)).receipt.task_error_mm
    """
    robot = as_robot(robot)
    goals = (goal,) if isinstance(goal, Place) else goal
    chosen: dict[str, Any] = {"goals": goals, "cycles": cycles, **choices}
    task = _task(robot, {name: value for name, value in chosen.items() if value is not None})
    felt = named_emotion(emotion) if isinstance(emotion, str) else emotion
    how: dict[str, Any] = {"intensity": intensity, "margin_m": margin_m, "retreat": retreat, "strict": strict}
    how["expression"] = expression
    request = Request(
        robot=robot.name, task=task, emotion=felt, rate_hz=task.usual_rate_hz if rate_hz is None else rate_hz, **how
    )
    return run(request, robot=robot, on_progress=on_progress)


def walk_to(
    robot: Robot | str,
    goals: Place | Sequence[Place] | None = None,
    emotion: Emotion | str | None = "neutral",
    **options: Any,
) -> Motion:
    """Plan a walk to a goal: `walk(robot, emotion, goal=goals)`.

    Example:
        >>> strut.walk_to("alice", strut.Place(0.3, 0.1), "happy").duration_s
    """
    return walk(robot, emotion, goal=goals, **options)


def _task(robot: Robot, options: dict[str, Any]) -> RequestTask:
    """Return what the robot's gait makes of the options; raises BadTableError if it has no place for one of them."""
    task: Any = next(task for task in get_args(RequestTask) if task.gait == robot.gait.__struct_config__.tag)
    unfit = [name for name in options if name not in task.__struct_fields__]
    if unfit:
        raise BadTableError(f"{robot.name} {task.walks}, so that {' and '.join(unfit)} cannot be chosen; leave it out.")
    if options.get("sideways_m_s"):
        options = {"speed_m_s": 0.0} | options  # who asks for sideways alone gets no more
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
    found: RequestTask = task(**given)
    return found
