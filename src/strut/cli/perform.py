"""`strut perform`: a task for the hand, a feeling for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.animation.animate import animate
from strut.animation.animation_file import load_animation
from strut.animation.stories import story_names, story_path
from strut.animation.verbs.animate import save_story
from strut.audit import DEFAULT_MARGIN_M
from strut.cli.options import (
    EmotionName,
    Expression,
    Force,
    Intensity,
    Json,
    Out,
    Pad,
    Strict,
    chosen_layer,
    feeling,
    length_m,
)
from strut.cli.paired_options import check_apart, spelled, was_typed
from strut.cli.screen import print_lines, print_planned, told_on_screen
from strut.formats.motion_file import save_motion
from strut.gaits.hand_task.hand_path_file import is_path_file, load_hand_path
from strut.gaits.hand_task.perform import perform as play
from strut.gaits.hand_task.request import PlatformMode, PriorityLaw
from strut.models.catalogue import load_robot
from strut.plumbing.atomic_files import check_writable
from strut.robot import Robot

_Point = tuple[float, float, float]
_TASKS = (
    "Task of its hand (wave, carry, point, still), a .csv or .npz path, a story (curious), "
    "or a queue of stories and walks ('happy, walk 2 m, sad')."
)

Margin = Annotated[str, typer.Option(help="How far inside its wheels the weight must stay.")]


def perform(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(help="Robot that performs; see `strut robots`.")],
    task: Annotated[str, typer.Argument(help=_TASKS)],
    emotion: EmotionName = None,
    pad: Pad = None,
    task_only: Annotated[bool, typer.Option("--task-only", help="Move the hand and show nothing.")] = False,
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
    stories = story_names(body.name)
    if task in stories or body.tables.control is not None:
        act = _perform_story if task in stories else _perform_show
        act(context, body, task, out, force=force, json=json)
        return
    _check_options(context)
    felt = None if task_only else feeling(emotion, pad)
    layer = chosen_layer(expression)
    path = load_hand_path(body, task, hand or "right") if is_path_file(task) else task
    words = f"{robot} tries to {task} {felt.label if felt else 'without a feeling'}"
    with told_on_screen(words, out, force=force) as tell:
        motion = play(
            body,
            path,
            felt,
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
            on_progress=tell,
        )
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _check_options(context: typer.Context) -> None:
    """Raise for options of a hand's task that contradict each other, or that are none of theirs."""
    chosen = context.params
    if chosen["task_only"] and (chosen["emotion"] is not None or chosen["pad"] is not None):
        raise typer.BadParameter("give one of --emotion, --pad and --task-only.")
    check_apart(context, {"intensity": ("task_only",), "expression": ("task_only",)})
    _one_of("--law", chosen["law"], get_args(PriorityLaw))
    _one_of("--platform", chosen["platform"], get_args(PlatformMode))
    _check_path_options(context, chosen["task"], chosen["robot"])


def _check_path_options(context: typer.Context, task: str, robot: str) -> None:
    """Raise for options that a path from a file has no place for, or that only such a path has."""
    if was_typed(context, "hand") and not is_path_file(task):
        raise typer.BadParameter(f"--hand is for a path from a file; which hand does {task}, {robot} knows itself.")
    for name in ("duration", "target"):
        if is_path_file(task) and was_typed(context, name):
            raise typer.BadParameter(f"{spelled(context, name)} does not apply: {task} says when the hand is where.")


def _check_story_options(context: typer.Context, name: str, *fitting: str) -> None:
    """Raise for options that only tasks of a hand have."""
    for option in context.params:
        fits = option in {"robot", "task", "out", "force", "json", "rate", *fitting}
        if was_typed(context, option) and not fits:
            raise typer.BadParameter(
                f"{spelled(context, option)} is for tasks of a hand; the story {name} has its own."
            )


def _perform_show(context: typer.Context, body: Robot, words: str, out: Path, *, force: bool, json: bool) -> None:
    """Perform a queue of stories and walks, or a story that walks, under the robot's own controllers."""
    from strut.pilot.piloted_sequence import perform_sequence  # noqa: PLC0415 -- with controllers that no hand needs

    _check_story_options(context, words)
    walking = words in story_names(body.name, walking=True)
    show = load_animation(story_path(body.name, words)) if walking else words
    check_writable(out, force=force, ending=".npz")  # a show takes as long as it lasts, on a slow machine longer
    with told_on_screen(f"{body.name} performs {words}", out, force=force):
        motion = perform_sequence(body, show, rate_hz=context.params["rate"])
    save_motion(motion, out, force=force)
    print_lines(*(f"{begun['at_s']:6.2f} s  {begun['part']}: {begun['phase']}" for begun in motion.meta["show"]))
    print_planned(motion, out, json=json)


def _perform_story(context: typer.Context, body: Robot, name: str, out: Path, *, force: bool, json: bool) -> None:
    """Perform a story that comes with a robot; it brings its own feeling and its own time."""
    _check_story_options(context, name, "strict", "margin")
    animation = load_animation(story_path(body.name, name))
    chosen = context.params
    with told_on_screen(f"{body.name} performs {animation.title}", out, force=force) as tell:
        motion = animate(
            body,
            animation,
            margin_m=length_m(chosen["margin"]),
            rate_hz=chosen["rate"],
            strict=chosen["strict"],
            on_progress=tell,
        )
    save_story(motion, out, force=force, json=json)


def _one_of(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise typer.BadParameter(f"{option} is '{value}'; choose {' or '.join(known)}.")
