"""Options of `strut walk` for a gait pattern."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from strut.cli.options import Cycles, Goal, Sideways, Speed, Turn, Via, chosen_places, chosen_speed_m_s
from strut.cli.paired_options import check_apart, check_partners
from strut.gaits.pattern.request import PatternGait
from strut.robot import Robot

Pattern = Annotated[
    str | None, typer.Option("--gait", help="crawl, walk or trot on four legs, biped on two, for gait patterns.")
]


def pattern_options(
    context: typer.Context,
    robot: Robot,
    cycles: Cycles = 10,
    goal: Goal = None,
    via: Via = None,
    pattern: Pattern = None,
    speed: Speed = None,
    sideways: Sideways = None,
    turn: Turn = None,
) -> tuple[Robot, PatternGait]:
    """Return the walk by a gait pattern that was asked for."""
    check_apart(context, {"cycles": ("goal",)})
    check_partners(context, {"via": ("goal",)})
    velocity = {
        "speed_m_s": chosen_speed_m_s(speed),
        "sideways_m_s": chosen_speed_m_s(sideways),
        "turn_rad_s": None if turn is None else math.radians(turn),
    }
    chosen = {name: value for name, value in velocity.items() if value is not None}
    if goal is None:
        return robot, PatternGait.chosen(pattern=pattern, cycles=cycles, **chosen)
    if chosen:
        raise typer.BadParameter("give --goal, or --speed, --sideways and --turn, not both.")
    return robot, PatternGait(pattern=pattern, goals=chosen_places(goal, via))
