"""`strut walk`: plan a walk that expresses an emotion."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from strut.audit import DEFAULT_MARGIN_M
from strut.cli.completion import complete_robot
from strut.cli.options import (
    EmotionOrScore,
    Expression,
    Force,
    Intensity,
    Json,
    Out,
    Pad,
    ScorePath,
    Strict,
    chosen_emotion,
    chosen_layer,
    length_m,
)
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_planned, report_on_screen
from strut.cli.walk_options import task_from_options, with_gait_options
from strut.formats.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.pipeline.walk import task_of_gait
from strut.plumbing.atomic_files import check_writable
from strut.request import Request
from strut.robot import Robot
from strut.score import Score, is_score_text


@with_gait_options
def walk(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(help="Robot to move; see `strut robots`.", autocompletion=complete_robot)],
    emotion: EmotionOrScore = None,
    pad: Pad = None,
    score: ScorePath = None,
    intensity: Intensity = 1.0,
    expression: Expression = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    retreat: Annotated[
        str, typer.Option(help="Weaken for the whole walk (global) or only while a limit is near (local).")
    ] = "global",
    rate: Annotated[float | None, typer.Option(help="Samples per second.  [default: 100, bipeds 50]")] = None,
    strict: Strict = False,
    out: Out = Path("walk.npz"),
    force: Force = False,
    json: Json = False,
    **typed: Any,  # noqa: ARG001 -- the options of the gaits, which task_from_options reads from the context
) -> None:
    """Plan a walk that expresses an emotion and save it. Example: strut walk mrpete --emotion happy --out happy.npz."""
    check_apart(context, {"score": ("emotion", "pad", "cycles")})
    played = _chosen_score(context, emotion, score)
    expressed = chosen_emotion(emotion, pad) if played is None else None
    layer = chosen_layer(expression)
    body = load_robot(robot)
    if body.tables.gait is None:
        raise typer.BadParameter(f"{robot} does not walk; {_instead(body)}.")
    kind = task_of_gait(body.gait).request
    general = dict.fromkeys(("robot", "emotion", "pad", "score", "intensity", "expression", "rate", "strict"), True)
    general |= dict.fromkeys(("out", "force", "json"), True)
    general |= {"margin": kind.keeps_margin, "retreat": kind.relaxes}
    body, task = task_from_options(context, body, general)
    request = Request(
        robot=body.name,
        task=task,
        emotion=expressed,
        intensity=intensity,
        margin_m=length_m(margin) if kind.keeps_margin else None,
        rate_hz=task.usual_rate_hz if rate is None else rate,
        retreat=retreat,  # type: ignore[arg-type]  # the request checks it
        strict=strict,
        expression=layer,
        score=played,
    )
    if kind.is_slow:
        check_writable(out, force=force, ending=".npz")  # before the first draft, which takes ten seconds and more
    from strut.pipeline.run import run  # noqa: PLC0415  (help and mistakes need no planner)

    what = played if expressed is None else expressed
    assert what is not None, "one of them was chosen"
    tried = f"{robot} tries to walk {what.label}"
    with report_on_screen(tried, out, force=force, stoppable=kind.is_slow) as report:
        motion = run(request, robot=body, on_progress=report)
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _chosen_score(context: typer.Context, emotion: str | None, path: Path | None) -> Score | None:
    """Return the score of a file or of several emotions in a text; None if one emotion was chosen."""
    if path is not None:
        return Score.read(path)
    if emotion is None or not is_score_text(emotion):
        return None
    check_apart(context, {"emotion": ("pad", "cycles")})
    return Score.from_text(emotion)


def _instead(body: Robot) -> str:
    """Return what to try with a robot that does not walk."""
    tasks = tuple(body.tables.tasks or ())
    return f"try `strut perform {shlex.quote(body.name)} {tasks[0]}`" if tasks else "its folder names no gait"
