"""Options of `strut walk` for a human walk that a solver finds."""

from __future__ import annotations

from typing import Annotated

import typer

from strut.cli.options import Cycles
from strut.human.request import HumanGait
from strut.human.verbs.body_options import Mass, Sex, human_body
from strut.robot import Robot

Height = Annotated[float | None, typer.Option(help="Body height in m. Humans only, as the next two.")]


def human_options(
    robot: Robot,  # noqa: ARG001 -- the body is that of the options
    cycles: Cycles = 10,
    height: Height = None,
    mass: Mass = None,
    sex: Sex = "male",
) -> tuple[Robot, HumanGait]:
    """Return the person and the walk that were asked for."""
    return human_body(height, mass, sex, None, None), HumanGait(cycles=cycles)
