"""`strut perform`: a task for the hand, a feeling for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.audit import DEFAULT_MARGIN_M
from strut.cli.options import EmotionName, Force, Intensity, Json, Out, Pad, Strict, feeling, length_m
from strut.cli.screen import print_planned, told_on_screen
from strut.io.hand_path_file import is_path_file, load_hand_path
from strut.io.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.pipeline.perform import perform as play
from strut.request import Platform, PriorityLaw


def perform(
    robot: Annotated[str, typer.Argument(help="Robot that performs; see `strut robots`.")],
    task: Annotated[str, typer.Argument(help="Task of its hand (wave, carry, point, still), or a .csv or .npz path.")],
    emotion: EmotionName = None,
    pad: Pad = None,
    task_only: Annotated[bool, typer.Option("--task-only", help="Move the hand and show nothing.")] = False,
    intensity: Intensity = 1.0,
    user: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Eyes of the person it performs for, x y z in metres.")
    ] = None,
    target: Annotated[
        tuple[float, float, float] | None, typer.Option(help="What to point at, x y z in metres.")
    ] = None,
    hand: Annotated[str | None, typer.Option(help="Hand that follows a path from a file.  [default: right]")] = None,
    duration: Annotated[float, typer.Option(help="Seconds; a path from a file has its own.")] = 10.0,
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    law: Annotated[str, typer.Option(help="corrected, or paper as published.")] = "corrected",
    platform: Annotated[str, typer.Option(help="led by the task, or free to help.")] = "led",
    margin: Annotated[
        str, typer.Option(help="How far inside its wheels the weight must stay.")
    ] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    strict: Strict = False,
    out: Out = Path("perform.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Do a task and show a feeling with the rest. Example: strut perform pepper wave --emotion happy --out wave.npz."""
    if task_only and (emotion is not None or pad is not None):
        raise typer.BadParameter("give one of --emotion, --pad and --task-only.")
    felt = None if task_only else feeling(emotion, pad)
    _one_of("--law", law, get_args(PriorityLaw))
    _one_of("--platform", platform, get_args(Platform))
    body = load_robot(robot)
    if hand is not None and not is_path_file(task):
        raise typer.BadParameter(f"--hand is for a path from a file; which hand does {task}, {robot} knows itself.")
    path = load_hand_path(body, task, hand or "right") if is_path_file(task) else task
    words = f"{robot} tries to {task} {felt.label if felt else 'without a feeling'}"
    with told_on_screen(words, out, force=force, json=json) as tell:
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
            on_progress=tell,
        )
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _one_of(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise typer.BadParameter(f"{option} is '{value}'; choose {' or '.join(known)}.")
