"""Gait trials: which speeds and heights of a library a robot's walking controller really holds, in simulation."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import StandRequest, WalkRequest
from strut.pilot.gait_library.gait_library import GaitLibrary, GaitParameter
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore, OnGait
from strut.pilot.gait_library.task_farm import TaskFarm
from strut.pilot.piloted_simulation import Clock, World, simulate_requests
from strut.pilot.plant.torque_model import control_table
from strut.pilot.request import Walker
from strut.robot import Robot

WALK_S = 8.0
STOP_S = 12.0
STEADY_S = 4.0
CONTROL_HZ = 1000.0


def try_gaits(
    store: GaitStore,
    robot: Robot,
    *,
    walker: Walker = "pendulum",
    workers: int | None = None,
    scheduler: str | None = None,
    on_gait: OnGait | None = None,
) -> None:
    """Walk every gait of a store for some seconds from a stand, with noisy sensors, and write down what came of it.

    Gaits that were tried with the same walker are not tried again.
    """
    name = f"walked_by_{walker}"
    found = [record for record in store.records() if record.status == "ok"]
    todo = {record.index: record for record in found if name not in record.figures}
    if not todo:
        return
    library = store.library() if walker == "library" else None
    with TaskFarm(workers=workers, scheduler=scheduler) as farm:
        for index in todo:
            farm.submit(index, walked, robot.name, store.parameter(index), library)
        for count, (index, came) in enumerate(farm.results(), len(found) - len(todo) + 1):
            record = replace(todo[index], figures={**todo[index].figures, name: came})
            store.put(record)
            (on_gait or _nobody)(record, count, len(found))


def _nobody(record: GaitRecord, done: int, total: int) -> None:
    """Nobody is told."""


def walked(robot: str, parameter: GaitParameter, library: GaitLibrary | None) -> dict[str, Any]:
    """Walk at a speed and height, and return whether it was held and how far the mean speed was off."""
    forward, left, height = parameter
    walk = WalkRequest(forward, left, 0.0, height, duration_s=WALK_S)
    run = simulate_requests(
        [walk, StandRequest(0.2)],
        _unlimited(robot),
        world=World(),
        clock=Clock(control_hz=CONTROL_HZ, longest_s=WALK_S + STOP_S),
        library=library,
    )
    begun = next((part.at_s for part in run.begun if part.phase == "walk"), 0.0)
    time_s = run.motion.time_s
    qpos = run.motion.qpos
    first, last = np.searchsorted(time_s, (begun + STEADY_S, begun + WALK_S))
    held = not run.outcome.fell
    off = None
    if held and last < len(time_s):
        speed = (qpos[last, :2] - qpos[first, :2]) / (time_s[last] - time_s[first])
        off = round(float(np.linalg.norm(speed - (forward, left))), 4)
    return {
        "held": held,
        "stopped": run.outcome.finished,
        "speed_off_m_s": off,
        "upright_s": round(run.outcome.upright_s, 2),
    }


@lru_cache(maxsize=2)
def _unlimited(name: str) -> Robot:
    """Return a robot whose controllers may be asked for any speed and height."""
    robot = load_robot(name)
    anything = (-10.0, 10.0)
    command = msgspec.structs.replace(
        control_table(robot).command, forward_m_s=anything, sideways_m_s=anything, walking_height_m=anything
    )
    control = msgspec.structs.replace(control_table(robot), command=command)
    return replace(robot, tables=replace(robot.tables, control=control))
