"""Options of `strut walk` for a crawl."""

from __future__ import annotations

from typing import Annotated

import typer

from strut.cli.options import Cycles, StepHeight, StepLength, chosen_length_m
from strut.gaits.crawl.request import Crawl
from strut.robot import Robot

SwayAxes = Annotated[str, typer.Option(help="y sways sideways only, as published; xy both ways.")]
Tempo = Annotated[float, typer.Option(help="Factor on the pace of the steps, such as 1.5. Crawls only.")]


def crawl_options(
    robot: Robot,
    cycles: Cycles = 10,
    step_length: StepLength = None,
    step_height: StepHeight = None,
    balance: SwayAxes = "xy",
    tempo: Tempo = 1.0,
) -> tuple[Robot, Crawl]:
    """Return the crawl that the options ask for."""
    return robot, Crawl(
        cycles=cycles,
        step_length_m=chosen_length_m(step_length),
        step_height_m=chosen_length_m(step_height),
        balance=balance,  # type: ignore[arg-type]  # the request checks it
        tempo=tempo,
    )
