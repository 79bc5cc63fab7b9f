"""`strut walk`: plan a walk that shows a feeling."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

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
from strut.cli.screen import print_planned, told_on_screen
from strut.cli.step_options import (
    BodyHeight,
    Distance,
    Goal,
    OwnSteps,
    Pattern,
    Sideways,
    Speed,
    Tempo,
    Turn,
    Via,
    WalkerName,
    check_fitting,
    gait_options,
)
from strut.formats.motion_file import save_motion
from strut.human.table import SynthesisTable
from strut.human.verbs.body_options import Mass, Sex, human_body
from strut.models.catalogue import load_robot
from strut.pilot.request import PilotedTable
from strut.plumbing.atomic_files import check_writable
from strut.robot import Robot


def walk(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(help="Robot to move; see `strut robots`.")],
    emotion: EmotionName = None,
    pad: Pad = None,
    intensity: Intensity = 1.0,
    expression: Expression = None,
    cycles: Annotated[int, typer.Option(help="Gait cycles.")] = 10,
    goal: Goal = None,
    via: Via = None,
    steps: OwnSteps = None,
    pattern: Pattern = None,
    speed: Speed = None,
    tempo: Tempo = None,
    sideways: Sideways = None,
    turn: Turn = None,
    body_height: BodyHeight = None,
    distance: Distance = None,
    walker: WalkerName = None,
    step_length: Annotated[str | None, typer.Option(help="Step length in neutral, for instance 80mm.")] = None,
    step_height: Annotated[str | None, typer.Option(help="Step height in neutral, for instance 40mm.")] = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    balance: Annotated[str, typer.Option(help="y sways sideways only, as published; xy both ways.")] = "xy",
    retreat: Annotated[
        str, typer.Option(help="Weaken for the whole walk (global) or only while a limit is near (local).")
    ] = "global",
    height: Annotated[float | None, typer.Option(help="Body height in m. Humans only, as the next two.")] = None,
    mass: Mass = None,
    sex: Sex = "male",
    rate: Annotated[float | None, typer.Option(help="Samples per second.  [default: 100, bipeds 50]")] = None,
    strict: Strict = False,
    out: Out = Path("walk.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Plan a walk that expresses an emotion and save it. Example: strut walk mrpete --emotion happy --out happy.npz."""
    felt = feeling(emotion, pad)
    layer = chosen_layer(expression)
    body = load_robot(robot)
    if body.tables.gait is None:
        raise typer.BadParameter(f"{robot} does not walk; {_performs(body)}.")
    check_fitting(context, robot, body.gait)
    person = isinstance(body.gait, SynthesisTable)
    if person:
        body = human_body(height, mass, sex, None, None)
    margin_m = None if person or isinstance(body.gait, PilotedTable) else length_m(margin)
    options: dict[str, Any] = {"intensity": intensity, "margin_m": margin_m, "strict": strict, "rate_hz": rate}
    options |= {"expression": layer} | gait_options(body.gait, context.params)
    if person:
        check_writable(out, force=force, ending=".npz")  # its first attempt alone takes ten seconds and more
    from strut.pipeline.walk import walk as plan_walk  # noqa: PLC0415  (help and mistakes need no planner)

    with told_on_screen(f"{robot} tries to walk {felt.label}", out, force=force, stoppable=person) as tell:
        motion = plan_walk(body, felt, on_progress=tell, **options)
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _performs(body: Robot) -> str:
    """Return what to try with a robot that does not walk."""
    tasks = tuple(body.tables.tasks or ())
    return f"try `strut perform {shlex.quote(body.name)} {tasks[0]}`" if tasks else "its folder names no gait"
