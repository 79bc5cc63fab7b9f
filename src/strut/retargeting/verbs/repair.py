"""`strut repair`: the nearest motion to a file's that the robot can really do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from strut.animation.verbs.animate import print_story
from strut.audit import DEFAULT_MARGIN_M
from strut.cli.options import Force, Json, MotionPath, Out, length_m
from strut.cli.screen import heartbeat, print_lines, print_planned, told_on_screen
from strut.errors import RefusedError
from strut.formats.motion_file import load_motion, save_motion
from strut.models.catalogue import robot_of
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OUT_OF_TIME
from strut.ocp.windowed_tracking import OPTIONS
from strut.plumbing.atomic_files import check_not_input
from strut.receipt import LimitName, Reason, ReasonKind
from strut.retargeting.repair import repair as nearest


def repair(
    file: MotionPath,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    out: Out = Path("repaired.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Make a motion that breaks limits one that keeps them. Example: strut repair walk.npz --out repaired.npz."""
    motion = load_motion(file)
    body = robot_of(motion, None)
    check_not_input(out, file)
    doing = f"looks for the nearest motion that {body.name} can do"
    print_lines(f"{doing}; each solve gives up after {OPTIONS.max_seconds:g} s of processor time")
    with told_on_screen(doing, out, force=force) as tell, heartbeat(doing), _too_long_told(body.name):
        repaired = nearest(motion, body, margin_m=length_m(margin), rate_hz=rate, on_progress=tell)
    save_motion(repaired, out, force=force)
    print_story(repaired.meta["repair"])
    print_planned(repaired, out, json=json)


@contextmanager
def _too_long_told(robot: str) -> Iterator[None]:
    """Refuse a motion for which the time of a solve was not enough, and tell the bound instead of a solver's words."""
    try:
        yield
    except NotSolvedError as error:
        if error.status != OUT_OF_TIME:
            raise
        within = f"within {OPTIONS.max_seconds:g} s of processor time"
        text = f"no motion near to this one that {robot} can do was found {within}"
        raise RefusedError(
            (Reason(ReasonKind.LIMIT, LimitName.SOLVER, text),),
            "Make it again, or bring it nearer to what the robot can do.",
        ) from error
