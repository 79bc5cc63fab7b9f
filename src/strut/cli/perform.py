"""`strut perform`: a task for the hand, a feeling for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.acting.perform import Platform
from strut.acting.perform import perform as play
from strut.cli.screen import print_json, print_lines, print_next, print_receipt, progress
from strut.emotion import Emotion, named_emotion
from strut.errors import RefusedError
from strut.kinematics.task_priority import Law
from strut.library.atomic import check_writable
from strut.library.hand_path_file import is_path_file, load_hand_path
from strut.library.motion_file import save_motion
from strut.robots.catalogue import load_robot


def perform(
    robot: Annotated[str, typer.Argument(help="Robot that performs; see `strut robots`.")],
    task: Annotated[str, typer.Argument(help="Task of its hand (wave, carry, point, still), or a .csv or .npz path.")],
    emotion: Annotated[str | None, typer.Option(help="A name; see `strut emotions`.  [default: neutral]")] = None,
    pad: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Pleasure, arousal, dominance instead of a name.")
    ] = None,
    task_only: Annotated[bool, typer.Option("--task-only", help="Move the hand and show nothing.")] = False,
    intensity: Annotated[float, typer.Option(help="0 is neutral, 1 as published, at most 1.5.")] = 1.0,
    user: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Eyes of the person it performs for, x y z in metres.")
    ] = None,
    target: Annotated[
        tuple[float, float, float] | None, typer.Option(help="What to point at, x y z in metres.")
    ] = None,
    hand: Annotated[str, typer.Option(help="Hand that follows a path from a file.")] = "right",
    duration: Annotated[float, typer.Option(help="Seconds; a path from a file has its own.")] = 10.0,
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    law: Annotated[str, typer.Option(help="corrected, or paper as published.")] = "corrected",
    platform: Annotated[str, typer.Option(help="led by the task, or free to help.")] = "led",
    strict: Annotated[bool, typer.Option("--strict", help="Refuse (exit 3) instead of weakening.")] = False,
    out: Annotated[Path, typer.Option(help="Motion file to write.")] = Path("perform.npz"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the receipt as JSON to stdout.")] = False,
) -> None:
    """Do a task and show a feeling with the rest. Example: strut perform pepper wave --emotion happy --out wave.npz."""
    if sum((emotion is not None, pad is not None, task_only)) > 1:
        raise typer.BadParameter("give one of --emotion, --pad and --task-only.")
    _one_of("--law", law, get_args(Law))
    _one_of("--platform", platform, get_args(Platform))
    feeling = None if task_only else Emotion(*pad) if pad is not None else named_emotion(emotion or "neutral")
    body = load_robot(robot)
    path = load_hand_path(body, task, hand) if is_path_file(task) else task
    with progress(f"{robot} tries to {task} {feeling.label if feeling else 'without a feeling'}") as bar:

        def tell(tried: float, passed: bool) -> None:
            if passed:  # the options were fine, and there is still work that would be in vain
                check_writable(out, force=force, ending=".npz")
            words = "keeps its limits" if passed else "does not keep its limits"
            bar.update(bar.task_ids[0], description=f"intensity {tried:.2f} {words}")

        try:
            motion = play(
                body,
                path,
                feeling,
                intensity=intensity,
                user_m=user,
                target_m=target,
                duration_s=duration,
                rate_hz=rate,
                law=law,  # type: ignore[arg-type]
                platform=platform,  # type: ignore[arg-type]
                strict=strict,
                on_attempt=tell,
            )
        except RefusedError as refusal:
            if json and refusal.receipt is not None:
                print_json(refusal.receipt.as_dict())
            raise
    save_motion(motion, out, force=force)
    assert motion.receipt is not None
    if json:
        print_json(motion.receipt.as_dict())
    print_receipt(motion.receipt)
    print_lines(f"wrote {out} ({motion.duration_s:.1f} s of motion)")
    print_next(f"strut show {out}")


def _one_of(option: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise typer.BadParameter(f"{option} is '{value}'; choose {' or '.join(known)}.")
