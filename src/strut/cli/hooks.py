"""Hooks: what features add to the verbs `perform`, `check`, `simulate`, `export` and `robots`, through the registry."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from strut.motion import Motion
from strut.robot import Robot
from strut.simulation.sensing import Sensing

OnStep = Callable[[int, int], None]  # steps done, steps in total


@dataclass(frozen=True, slots=True)
class Performance:
    """A kind of `strut perform` beside the tasks of a hand, in the group "strut.performances".

    Args:
        fits: Whether the robot performs the task in this way.
        perform: Performs it: context, robot, task; prints what came of it.
        names: Names of tasks that the robot has for it.
    """

    fits: Callable[[Robot, str], bool]
    perform: Callable[[typer.Context, Robot, str], None]
    names: Callable[[Robot], Sequence[str]]


@dataclass(frozen=True, slots=True)
class SimulationOptions:
    """Options of `strut simulate`.

    Args:
        friction: Of the floor; the robot's own if None.
        mass_scale: How much heavier the robot is than planned.
        is_closed_loop: Whether steps are planned again after each step.
        controller: Name of the controller.
        sensing: What the controller senses.
    """

    friction: float | None
    mass_scale: float
    is_closed_loop: bool
    controller: str
    sensing: Sensing


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """What came of a motion: the motion, whether the robot fell, the numbers for programs, and the lines for people."""

    motion: Motion
    fell: bool
    numbers: dict[str, Any]
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Simulator:
    """A way to simulate a motion other than playing it, in the group "strut.simulators"; the first that fits is used.

    Args:
        fits: Whether a motion is simulated in this way.
        check: Raises for options that do not apply.
        simulate: Simulates it and reports the steps.
    """

    fits: Callable[[Motion, SimulationOptions], bool]
    check: Callable[[typer.Context, Motion], None]
    simulate: Callable[[Motion, SimulationOptions, OnStep], Simulated]


# In the group "strut.next_commands": (file, motion, sound) -> the words of the command that `strut check` proposes.
# `sound` says whether the motion keeps every limit. None if the feature has nothing to propose.
NextCommand = Callable[[Path, Motion, bool], tuple[str, ...] | None]
