"""`strut repair`: turns a motion that breaks limits into the nearest feasible one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from strut.animation.verbs.animate import print_animation_report
from strut.audit import DEFAULT_MARGIN_M
from strut.cli.clips import ClipRobot, ReadOptions, load_clip
from strut.cli.options import Force, Json, MotionPath, Out, length_m
from strut.cli.screen import print_lines, print_planned, report_on_screen
from strut.errors import RefusedError
from strut.formats.motion_file import save_motion
from strut.models.catalogue import robot_of
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OUT_OF_TIME
from strut.ocp.windowed_tracking import OPTIONS
from strut.plumbing.atomic_files import check_not_input
from strut.receipt import LimitName, Reason, ReasonKind
from strut.retargeting.repair import repair as find_nearest


def repair(
    file: MotionPath,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    robot: ClipRobot = None,
    read: ReadOptions = None,
    out: Out = Path("repaired.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Turn a motion into the nearest feasible one. Example: strut repair walk.npz --out repaired.npz."""
    motion = load_clip(file, robot, read)
    body = robot_of(motion, None)
    check_not_input(out, file)
    stage = f"searches the nearest feasible motion of {body.name}"
    print_lines(f"{stage}; each solve gives up after {OPTIONS.max_seconds:g} s of processor time")
    with report_on_screen(stage, out, force=force) as tell, _refuse_timeout(body.name):
        repaired = find_nearest(motion, body, margin_m=length_m(margin), rate_hz=rate, on_progress=tell)
    save_motion(repaired, out, force=force)
    print_animation_report(repaired.meta["repair"])
    print_planned(repaired, out, json=json)


@contextmanager
def _refuse_timeout(robot: str) -> Iterator[None]:
    """Raise RefusedError with the time limit if a solve runs out of time."""
    try:
        yield
    except NotSolvedError as error:
        if error.status != OUT_OF_TIME:
            raise
        limit = f"{OPTIONS.max_seconds:g} s of processor time"
        text = f"no feasible motion of {robot} near to this one was found within {limit}"
        raise RefusedError(
            (Reason(ReasonKind.LIMIT, LimitName.SOLVER, text),),
            "Plan the motion again, or make it easier: slower, smaller, with the centre of mass over the feet.",
        ) from error
