"""Walk: build the request of a walk from the options of the robot's gait, and run it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from strut.draft import OnProgress
from strut.emotion import Emotion, named_emotion
from strut.errors import BadTableError, OutOfRangeError, StrutError, UnknownNameError
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.pipeline.run import run
from strut.place import Place
from strut.plumbing.number_text import join_words
from strut.registry import find, names
from strut.request import Request, Retreat, RobotTask, TaskKind
from strut.robot import Robot
from strut.schemas.expression import Layer
from strut.schemas.gait import GaitTable
from strut.score import Score, as_score


def walk(
    robot: Robot | str,
    emotion: Emotion | str | None = "neutral",
    *,
    score: Score | str | Sequence[tuple[str | Emotion, float]] | None = None,
    goal: Place | Sequence[Place] | None = None,
    cycles: int | None = None,
    intensity: float = 1.0,
    margin_m: float | None = None,
    retreat: Retreat = "global",
    strict: bool = False,
    expression: Layer | None = None,
    rate_hz: float | None = None,
    on_progress: OnProgress | None = None,
    **choices: Any,
) -> Motion:
    """Plan a walk that shows an emotion as strongly as the body allows.

    The robot's gait.toml says how it walks, and so which options it takes.

    Args:
        robot: The robot, or its name.
        emotion: The emotion, or its name; None expresses nothing on purpose.
        score: Emotions over time instead of one: a `Score`, the path of a score file (.toml), a text such as
            "neutral 3s, happy 4s, sad", or emotions with their seconds.
        goal: Where to go, the way-points before it first. It starts at the origin, facing x.
        cycles: Whole gait cycles where there is no goal, 10 if None.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon; 10 mm if None.
        retreat: What cannot be kept is weakened for the whole walk (`global`) or only while a limit is near (`local`).
        strict: Raise RefusedError instead of weakening.
        expression: `published`, or with the `animated` layer over it; the robot's usual if None.
        rate_hz: Samples per second; the task's usual rate if None.
        on_progress: Called with every intensity that is tried and every iteration of a solver; returning True stops.
        **choices: Options of the robot's gait: the fields of its task, such as `step_length_m` of
            `strut.gaits.Crawl`, or `speed_m_s` and `turn_rad_s` of `strut.gaits.PatternGait`.

    Returns:
        The motion, with its receipt. Raises as `run` does.

    Example:
        >>> strut.walk("mrpete", "sad", cycles=4).receipt.balance_margin_mm
        >>> strut.walk("go2", score=[("neutral", 3.0), ("happy", 4.0)]).receipt.score
        >>> strut.walk("alice", "sad", goal=strut.Place(0.3, 0.1, 0.5)).receipt.task_error_mm
    """
    robot = as_robot(robot)
    goals = (goal,) if isinstance(goal, Place) else goal
    chosen: dict[str, Any] = {"goals": goals, "cycles": cycles, **choices}
    task = _task(robot, {name: value for name, value in chosen.items() if value is not None})
    felt = named_emotion(emotion) if isinstance(emotion, str) else emotion
    if score is not None:
        if emotion != "neutral":
            raise OutOfRangeError("Emotion and score are both given; a score has emotions of its own, so give one.")
        felt = None
    how: dict[str, Any] = {"intensity": intensity, "margin_m": margin_m, "retreat": retreat, "strict": strict}
    how |= {"expression": expression, "score": None if score is None else as_score(score)}
    request = Request(
        robot=robot.name, task=task, emotion=felt, rate_hz=task.usual_rate_hz if rate_hz is None else rate_hz, **how
    )
    return run(request, robot=robot, on_progress=on_progress)


def _task(robot: Robot, choices: dict[str, Any]) -> RobotTask:
    """Return the task that the robot's gait makes of the choices; raises for one that it does not have."""
    task = task_of_gait(robot.gait).request
    for name in choices:
        if name not in task.__struct_fields__:
            raise _misfit(robot, task, name)
    return task.chosen(**{name: tuple(value) if isinstance(value, list) else value for name, value in choices.items()})


def task_of_gait(gait: GaitTable) -> TaskKind:
    """Return the kind of task of robots with such a gait.toml."""
    kind: TaskKind = find("strut.tasks", str(gait.__struct_config__.tag))
    return kind


def _misfit(robot: Robot, task: type[RobotTask], name: str) -> StrutError:
    """Return the error about an option that the robot's gait does not have."""
    own = task.__struct_fields__
    kinds = [find("strut.tasks", kind) for kind in names("strut.tasks")]
    known = sorted({field for kind in kinds if kind.table is not None for field in kind.request.__struct_fields__})
    if name not in known:
        return UnknownNameError("option of a walk", name, known, f"strut.{task.__name__}")
    return BadTableError(f"{robot.name} {task.walks}, so that {name} cannot be chosen; it takes {join_words(own)}.")
