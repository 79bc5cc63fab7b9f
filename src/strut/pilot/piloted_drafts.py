"""Drafts of a walk under a robot's own controllers: the draft is the simulated walk, judged as it happened."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np

from strut.draft import Detail, Draft, Generator, OnProgress, Search, Violation, not_made
from strut.errors import OutOfRangeError
from strut.maths.sampling import steady_speed
from strut.maths.travel_direction import base_track, turn_rates
from strut.pilot.controllers.reference import PilotRequest, StandRequest, WalkRequest, check_request
from strut.pilot.gait_library.gait_library import GaitLibrary
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.piloted_simulation import Clock, PilotedRun, simulate_requests
from strut.pilot.plant.torque_model import control_table
from strut.pilot.request import PilotedTable, PilotedWalk
from strut.receipt import LimitName
from strut.request import Request
from strut.robot import Robot
from strut.style import Style

STAND_S = 0.4  # duration of the stand before and after a walk
CONTROL_HZ = 1000.0
MAX_DURATION_S = 600.0
STRIDE_S = 0.7  # about two steps: the mean speed over them contains no sway


def walk_in_style(robot: Robot, task: PilotedWalk, style: Style) -> WalkRequest:
    """Return a walk with the style's speed, height, pitch of the base and lift of the feet."""
    own = robot.gait
    assert isinstance(own, PilotedTable)
    speed = own.speed_m_s if task.speed_m_s is None else task.speed_m_s
    height = own.height_m if task.body_height_m is None else task.body_height_m
    return WalkRequest(
        forward_m_s=speed * style.speed,
        left_m_s=task.sideways_m_s * abs(style.speed),
        turn_rad_s=task.turn_rad_s,
        height_m=height * style.body_height,
        distance_m=own.distance_m if task.distance_m is None else task.distance_m,
        pitch_rad=style.body_pitch_rad,
        lift=style.lift,
    )


@dataclass(frozen=True, slots=True, eq=False)
class PilotedDrafts(Generator):
    """Drafts a walk by simulating it.

    Args:
        robot: A robot with controllers.
        task: Speed, distance and walking controller.
        rate_hz: Samples per second.
        library: Gaits to follow; None for foot placement by the pendulum.
    """

    search: ClassVar[Search] = Search(proof_first=True, rungs=4)

    robot: Robot
    task: PilotedWalk
    rate_hz: float
    library: GaitLibrary | None = None

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return the drafts of a request for a piloted walk."""
        task = request.task
        assert isinstance(task, PilotedWalk)
        return cls(robot, task, request.rate_hz, load_gait_library(robot) if task.walker == "library" else None)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- a walk is walked, coarse or fine
        """Yield the simulated walk. A style that leaves the command range is infeasible; a neutral walk raises."""
        walk = walk_in_style(self.robot, self.task, style)
        try:
            check_request(walk, control_table(self.robot).command, float(self.robot.standing_qpos[2]))
        except OutOfRangeError as error:
            if style == Style():
                raise
            yield not_made(self.robot, style, LimitName.COMMAND, f"{str(error)[0].lower()}{str(error)[1:-1]}")
            return
        stand = StandRequest(STAND_S, height_m=walk.height_m)
        draft = piloted_draft(self.robot, [stand, walk, stand], rate_hz=self.rate_hz, library=self.library, style=style)
        yield replace(draft, figures={**draft.figures, **self._speeds(draft)})

    def _speeds(self, draft: Draft) -> dict[str, float | None]:
        """Return the steady walking speed, the requested neutral speed, and turning rates."""
        neutral = walk_in_style(self.robot, self.task, Style())
        timeline = draft.meta["outcome"]["timeline"]
        walks = [(start_s, stop_s) for (start_s, _, phase), (stop_s, _, _) in pairwise(timeline) if phase == "walk"]
        walk_s = walks[-1] if walks else (0.0, 0.0)  # without lift-off and braking
        track = base_track(draft.qpos)
        return {
            "walking_speed_m_s": steady_speed(draft.time_s, draft.qpos[:, :2], walk_s, STRIDE_S),
            "walking_speed_asked_m_s": math.hypot(neutral.forward_m_s, neutral.left_m_s),
            **turn_rates(draft.time_s, track, walk_s, STRIDE_S, self.task.turn_rad_s),
        }


def piloted_draft(
    robot: Robot,
    requests: Sequence[PilotRequest],
    *,
    rate_hz: float,
    library: GaitLibrary | None = None,
    style: Style | None = None,
) -> Draft:
    """Return a simulated sequence of requests as a draft."""
    clock = Clock(control_hz=CONTROL_HZ, record_hz=rate_hz, longest_s=MAX_DURATION_S)
    run = simulate_requests(requests, robot, clock=clock, library=library)
    return draft_of_run(robot, run, style)


def draft_of_run(robot: Robot, run: PilotedRun, style: Style | None = None) -> Draft:
    """Return a simulated run as a draft; a fall, or a sequence that did not end, is a violation."""
    motion = run.motion
    meta: dict[str, Any] = {name: motion.meta[name] for name in ("simulated", "outcome", "piloted")}
    return Draft(
        robot=robot,
        time_s=motion.time_s,
        qpos=motion.qpos,
        contact=motion.contact,
        style=style,
        violations=_unfinished(run),
        torque_nm=motion.torque_nm,
        ground_force_n=motion.ground_force_n,
        meta=meta,
        figures={"controller": "pilot"},
    )


def _unfinished(run: PilotedRun) -> tuple[Violation, ...]:
    if run.outcome.finished:
        return ()
    end_s = run.outcome.upright_s
    cause = f"falls at {end_s:.2f} s" if run.outcome.fell else f"is not done after {end_s:.0f} s"
    return (Violation(LimitName.SIMULATION, np.asarray(run.motion.time_s >= end_s), cause),)
