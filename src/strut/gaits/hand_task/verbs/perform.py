"""`strut perform`: do a task of a hand, a story or a sequence of commands."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.audit import DEFAULT_MARGIN_M
from strut.cli.completion import complete_robot
from strut.cli.hooks import Performance
from strut.cli.options import (
    EmotionName,
    Expression,
    Force,
    Intensity,
    Json,
    Out,
    Pad,
    Strict,
    chosen_emotion,
    chosen_layer,
    length_m,
)
from strut.cli.paired_options import check_apart, spelled, was_typed
from strut.cli.screen import print_planned, report_on_screen
from strut.formats.motion_file import save_motion
from strut.gaits.hand_task.hand_path_file import is_path_file, load_hand_path
from strut.gaits.hand_task.perform import perform as perform_task
from strut.gaits.hand_task.request import PlatformMode, PriorityLaw
from strut.models.catalogue import load_robot
from strut.registry import find, names

_Point = tuple[float, float, float]
_TASKS = (
    "Task of its hand (wave, carry, point, still), a .csv or .npz path, a story (curious), "
    "or a sequence of stories and walks ('happy, walk 2 m, sad')."
)

Margin = Annotated[
    str, typer.Option(help="Smallest balance margin: how far the centre of pressure stays inside the wheels.")
]


def perform(
    context: typer.Context,
    robot: Annotated[
        str, typer.Argument(help="Robot that performs; see `strut robots`.", autocompletion=complete_robot)
    ],
    task: Annotated[str, typer.Argument(help=_TASKS)],
    emotion: EmotionName = None,
    pad: Pad = None,
    task_only: Annotated[bool, typer.Option("--task-only", help="Move the hand and express nothing.")] = False,
    intensity: Intensity = 1.0,
    expression: Expression = None,
    user: Annotated[_Point | None, typer.Option(help="Eyes of the person it performs for, x y z in metres.")] = None,
    target: Annotated[_Point | None, typer.Option(help="What to point at, x y z in metres.")] = None,
    hand: Annotated[str | None, typer.Option(help="Hand that follows a path from a file.  [default: right]")] = None,
    duration: Annotated[float, typer.Option(help="Seconds; a path from a file has its own.")] = 10.0,
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    law: Annotated[str, typer.Option(help="corrected, or paper as published.")] = "corrected",
    platform: Annotated[str, typer.Option(help="led by the task, or free to help.")] = "led",
    margin: Margin = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    strict: Strict = False,
    out: Out = Path("perform.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Do a task and express an emotion with the rest of the body. Example: strut perform pepper wave."""
    body = load_robot(robot)
    for name in names("strut.performances"):
        performance: Performance = find("strut.performances", name)
        if performance.fits(body, task):
            performance.perform(context, body, task)
            return
    _check_options(context)
    expressed = None if task_only else chosen_emotion(emotion, pad)
    layer = chosen_layer(expression)
    path = load_hand_path(body, task, hand or "right") if is_path_file(task) else task
    words = f"{robot} tries to {task} {expressed.label if expressed else 'without an emotion'}"
    with report_on_screen(words, out, force=force) as report:
        motion = perform_task(
            body,
            path,
            expressed,
            intensity=intensity,
            user_m=user,
            target_m=target,
            duration_s=duration,
            rate_hz=rate,
            law=law,  # type: ignore[arg-type]
            platform=platform,  # type: ignore[arg-type]
            margin_m=length_m(margin),
            strict=strict,
            expression=layer,
            on_progress=report,
        )
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _check_options(context: typer.Context) -> None:
    """Raise for options that contradict each other, or that do not apply to the task of a hand."""
    chosen = context.params
    if chosen["task_only"] and (chosen["emotion"] is not None or chosen["pad"] is not None):
        raise typer.BadParameter("give one of --emotion, --pad and --task-only.")
    check_apart(context, {"intensity": ("task_only",), "expression": ("task_only",)})
    _one_of("--law", chosen["law"], get_args(PriorityLaw))
    _one_of("--platform", chosen["platform"], get_args(PlatformMode))
    task = chosen["task"]
    if was_typed(context, "hand") and not is_path_file(task):
        raise typer.BadParameter(f"--hand is for a path from a file; {chosen['robot']} has its own hand for {task}.")
    for name in ("duration", "target"):
        if is_path_file(task) and was_typed(context, name):
            raise typer.BadParameter(f"{spelled(context, name)} does not apply: {task} says when the hand is where.")


def _one_of(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise typer.BadParameter(f"{option} is '{value}'; choose {' or '.join(known)}.")
