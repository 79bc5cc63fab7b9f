"""Options of `strut walk` for a walk under the robot's own controllers."""

from __future__ import annotations

import math
from typing import Annotated, get_args

import typer

from strut.cli.options import BodyHeight, Sideways, Speed, Turn, chosen_length_m, chosen_speed_m_s
from strut.pilot.request import PilotedWalk, Walker
from strut.robot import Robot

Distance = Annotated[str | None, typer.Option(help="How far. Robots with controllers of their own only.")]
WalkerName = Annotated[str, typer.Option("--walker", help="pendulum or library: what sets the feet. As --distance.")]


def piloted_options(
    robot: Robot,
    speed: Speed = None,
    sideways: Sideways = None,
    turn: Turn = None,
    body_height: BodyHeight = None,
    distance: Distance = None,
    walker: WalkerName = "pendulum",
) -> tuple[Robot, PilotedWalk]:
    """Return the walk under the robot's own controllers that was asked for."""
    if walker not in get_args(Walker):
        raise typer.BadParameter(f"--walker is '{walker}'; choose {' or '.join(get_args(Walker))}.")
    chosen = {
        "speed_m_s": chosen_speed_m_s(speed),
        "sideways_m_s": chosen_speed_m_s(sideways),
        "turn_rad_s": None if turn is None else math.radians(turn),
        "body_height_m": chosen_length_m(body_height),
        "distance_m": chosen_length_m(distance),
    }
    chosen = {name: value for name, value in chosen.items() if value is not None}
    return robot, PilotedWalk.chosen(**chosen, walker=walker)
