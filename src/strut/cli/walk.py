"""`strut walk`: plan a walk that shows a feeling."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from strut.cancellation import asked_to_stop
from strut.cli.body_options import BODY_MASS_HELP, human_body
from strut.cli.interruption import StoppedError, say_stopping
from strut.cli.length import length_m
from strut.cli.screen import print_planned, telling_attempts
from strut.cli.solving import tells
from strut.cli.step_options import check_fitting, step_options, walks_in_steps
from strut.emotion import Emotion, named_emotion
from strut.io.atomic import check_writable
from strut.io.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.optimal.collocation import NotSolvedError
from strut.pipeline.step_walk import walk_to
from strut.pipeline.walk import walk as plan_walk
from strut.robot import Robot
from strut.tables.gait import SynthesisTable
from strut.verify.audit import DEFAULT_MARGIN_M


def walk(
    context: typer.Context,
    robot: Annotated[str, typer.Argument(help="Robot to move; see `strut robots`.")],
    emotion: Annotated[str | None, typer.Option(help="A name; see `strut emotions`.  [default: neutral]")] = None,
    pad: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Pleasure, arousal, dominance instead of a name.")
    ] = None,
    intensity: Annotated[float, typer.Option(help="0 is neutral, 1 as published, at most 1.5.")] = 1.0,
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
    strict: Annotated[bool, typer.Option("--strict", help="Refuse (exit 3) instead of weakening.")] = False,
    out: Annotated[Path, typer.Option(help="Motion file to write.")] = Path("walk.npz"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the receipt as JSON to stdout.")] = False,
) -> None:
    """Plan a walk that shows an emotion and save it. Example: strut walk mrpete --emotion happy --out happy.npz."""
    if emotion is not None and pad is not None:
        raise typer.BadParameter("give --emotion or --pad, not both.")
    body = load_robot(robot)
    if body.tables.gait is None:
        raise typer.BadParameter(f"{robot} does not walk; try `strut perform {robot} wave`.")
    check_fitting(context, robot, body.gait)
    if isinstance(body.gait, SynthesisTable):
        body = human_body(height, mass, sex, None, None)
    in_steps = walks_in_steps(body.gait)
    options: dict[str, Any] = {
        "intensity": intensity,
        "step_length_m": None if step_length is None else length_m(step_length),
        "step_height_m": None if step_height is None else length_m(step_height),
        "margin_m": length_m(margin),
        "strict": strict,
    }
    if in_steps:
        options |= step_options(goal, via, steps, speed, body_height, rate)
    else:
        options |= {"cycles": cycles, "balance": balance, "retreat": retreat}
        options |= {"rate_hz": 100.0 if rate is None else rate}
    feeling = Emotion(*pad) if pad is not None else named_emotion("neutral" if emotion is None else emotion)
    with telling_attempts(f"{robot} tries to walk {feeling.label}", out, force=force, json=json) as (tell, bar):
        plan: Callable[..., Motion] = walk_to if in_steps else plan_walk
        if isinstance(body.gait, SynthesisTable):
            check_writable(out, force=force, ending=".npz")  # its first attempt alone takes a minute
            plan = partial(_stoppable, bar)
        motion = plan(body, emotion=feeling, on_attempt=tell, **options)
    save_motion(motion, out, force=force)
    print_planned(motion, out, json=json)


def _stoppable(bar: Progress, body: Robot, **options: Any) -> Motion:
    """Return a walk that a solver finds; the first Ctrl-C stops it, and then there is none."""
    with asked_to_stop(say_stopping) as stop:
        try:
            return plan_walk(body, on_iteration=tells(bar, stop), **options)
        except NotSolvedError as failure:
            if not stop.is_set():
                raise
            raise StoppedError(
                "Interrupted; a walk that is not solved shows no feeling, so nothing was written."
            ) from failure
