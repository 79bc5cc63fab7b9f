"""A gait that stands and nods: its request, its gait.toml, its generator and its command-line options."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from strut.cli.options import Cycles
from strut.draft import Detail, Draft, Generator, OnProgress
from strut.request import Request, RobotTask, TaskKind
from strut.request_checks import check_cycles
from strut.robot import Robot
from strut.schemas.fields import Positive
from strut.schemas.gait import GaitTable
from strut.style import Style


class NodTable(GaitTable, frozen=True, tag_field="kind", tag="nod"):
    """gait.toml of a robot that nods."""

    period_s: Positive
    angle_rad: Positive


class Nod(RobotTask, frozen=True, tag="nod", kw_only=True):
    """Nod a number of times."""

    walks: ClassVar[str] = "stands and nods"

    cycles: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 1)


@dataclass(frozen=True)
class NodDrafts(Generator):
    """Drafts nods: larger ones for a larger lift, faster ones for a faster tempo."""

    robot: Robot
    task: Nod
    rate_hz: float

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:
        """Yield the one nod of a style."""
        own = self.robot.gait_as(NodTable)
        duration_s = self.task.cycles * own.period_s / style.tempo
        time_s = np.arange(round(duration_s * self.rate_hz) + 1) / self.rate_hz
        qpos = np.tile(self.robot.standing_qpos, (len(time_s), 1))
        share = (1.0 - np.cos(2.0 * np.pi * self.task.cycles * time_s / time_s[-1])) / 2.0
        qpos[:, -1] = own.angle_rad * style.lift * share
        contact = np.ones((len(time_s), len(self.robot.feet)), dtype=bool)
        yield Draft(robot=self.robot, time_s=time_s, qpos=qpos, contact=contact, style=style)


def nod_drafts(robot: Robot, request: Request, on_progress: OnProgress | None = None) -> NodDrafts:
    """Return the generator of a request."""
    assert isinstance(request.task, Nod)
    return NodDrafts(robot, request.task, request.rate_hz)


def nod_options(robot: Robot, cycles: Cycles = 10) -> tuple[Robot, Nod]:
    """Return the nods that `strut walk` asks for."""
    return robot, Nod(cycles=cycles)


KIND = TaskKind(
    request=Nod, generator="strut_nod.gait:nod_drafts", table=NodTable, options="strut_nod.gait:nod_options"
)
