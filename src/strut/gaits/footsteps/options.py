"""Options of `strut walk` for a walk in planned steps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.cli.options import (
    BodyHeight,
    Goal,
    Speed,
    StepHeight,
    StepLength,
    Via,
    chosen_length_m,
    chosen_places,
    speed_m_s,
)
from strut.cli.paired_options import check_apart, check_partners
from strut.gaits.footsteps.footsteps import read_footsteps
from strut.gaits.footsteps.request import Steps, WalkingPace
from strut.robot import Robot

OwnSteps = Annotated[Path | None, typer.Option(help="CSV of own footsteps: foot, x_m, y_m, heading_deg. Bipeds only.")]
STRAIGHT_AHEAD = (0.4, 0.0, 0.0)


def step_options(
    context: typer.Context,
    robot: Robot,
    goal: Goal = None,
    via: Via = None,
    steps: OwnSteps = None,
    speed: Speed = None,
    body_height: BodyHeight = None,
    step_length: StepLength = None,
    step_height: StepHeight = None,
) -> tuple[Robot, Steps]:
    """Return the walk in planned steps that the options ask for."""
    check_apart(context, {"goal": ("steps",), "via": ("steps",)})
    check_partners(context, {"via": ("goal",)})
    if speed is None:  # the speed on given footsteps is computed with the usual step length
        check_apart(context, {"step_length": ("steps",)})
    pace = "own" if speed is None else speed.strip().lower()
    return robot, Steps(
        goals=chosen_places(goal or STRAIGHT_AHEAD, via) if steps is None else (),
        footsteps=() if steps is None else tuple(read_footsteps(steps)),
        step_length_m=chosen_length_m(step_length),
        step_height_m=chosen_length_m(step_height),
        body_height_m=chosen_length_m(body_height),
        pace=pace if pace in get_args(WalkingPace) else speed_m_s(pace),  # type: ignore[arg-type]
    )
