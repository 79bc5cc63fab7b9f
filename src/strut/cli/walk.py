"""`strut walk`: plan a walk that shows a feeling."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from strut.audit import DEFAULT_MARGIN_M
from strut.cli.body_options import BODY_MASS_HELP, human_body
from strut.cli.length import length_m
from strut.cli.options import EmotionName, Force, Intensity, Json, Out, Pad, Strict, feeling
from strut.cli.screen import print_planned, told_on_screen
from strut.cli.step_options import check_fitting, chosen_length_m, step_options
from strut.io.atomic import check_writable
from strut.io.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.pipeline.walk import walk as plan_walk
from strut.robot import Robot
from strut.tables.gait import StepsTable, SynthesisTable


def walk(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(help="Robot to move; see `strut robots`.")],
    emotion: EmotionName = None,
    pad: Pad = None,
    intensity: Intensity = 1.0,
    cycles: Annotated[int, typer.Option(help="Gait cycles.")] = 10,
    goal: Annotated[
        tuple[float, float, float] | None,
        typer.Option(help="Where to: metres ahead, metres to the left, degrees to the left. Bipeds only."),
    ] = None,
    via: Annotated[
        list[str] | None, typer.Option(help="A way-point X,Y,DEGREES before the goal; may be given several times.")
    ] = None,
    steps: Annotated[
        Path | None, typer.Option(help="CSV of own footsteps: foot, x_m, y_m, heading_deg. Bipeds only.")
    ] = None,
    speed: Annotated[
        str | None, typer.Option(help="On a straight line in neutral: 3cm/s, or fastest. Bipeds only.")
    ] = None,
    body_height: Annotated[str | None, typer.Option(help="Height of the hips in neutral. Bipeds only.")] = None,
    step_length: Annotated[str | None, typer.Option(help="Step length in neutral, for instance 80mm.")] = None,
    step_height: Annotated[str | None, typer.Option(help="Step height in neutral, for instance 40mm.")] = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    balance: Annotated[str, typer.Option(help="y sways sideways only, as published; xy both ways.")] = "xy",
    retreat: Annotated[
        str, typer.Option(help="Weaken for the whole walk (global) or only while a limit is near (local).")
    ] = "global",
    height: Annotated[float | None, typer.Option(help="Body height in m. Humans only, as the next two.")] = None,
    mass: Annotated[float | None, typer.Option(help=BODY_MASS_HELP)] = None,
    sex: Annotated[str, typer.Option(help="Whose proportions: male or female; female needs height and mass.")] = "male",
    rate: Annotated[float | None, typer.Option(help="Samples per second.  [default: 100, bipeds 50]")] = None,
    strict: Strict = False,
    out: Out = Path("walk.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Plan a walk that shows an emotion and save it. Example: strut walk mrpete --emotion happy --out happy.npz."""
    felt = feeling(emotion, pad)
    body = load_robot(robot)
    if body.tables.gait is None:
        raise typer.BadParameter(f"{robot} does not walk; {_performs(body)}.")
    check_fitting(context, robot, body.gait)
    person = isinstance(body.gait, SynthesisTable)
    if person:
        body = human_body(height, mass, sex, None, None)
    options: dict[str, Any] = {
        "intensity": intensity,
        "step_length_m": chosen_length_m(step_length),
        "step_height_m": chosen_length_m(step_height),
        "margin_m": None if person else length_m(margin),
        "strict": strict,
        "rate_hz": rate,
    }
    if isinstance(body.gait, StepsTable):
        options |= step_options(goal, via, steps, speed, body_height)
    else:
        options |= {"cycles": cycles} | ({} if person else {"balance": balance, "retreat": retreat})
    if person:
        check_writable(out, force=force, ending=".npz")  # its first attempt alone takes a minute
    words = f"{robot} tries to walk {felt.label}"
    with told_on_screen(words, out, force=force, json=json, stoppable=person) as tell:
        motion = plan_walk(body, felt, on_progress=tell, **options)
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _performs(body: Robot) -> str:
    """Return what to try with a robot that does not walk."""
    tasks = tuple(body.tables.tasks or ())
    return f"try `strut perform {shlex.quote(body.name)} {tasks[0]}`" if tasks else "its folder names no gait"
