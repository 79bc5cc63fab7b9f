"""Gait evaluation: a robot's walking controller walks at the speeds and heights of a gait library, in simulation."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pilot.controllers.reference import StandRequest, WalkRequest
from strut.pilot.gait_library.gait_library import GaitLibrary, GaitParameter
from strut.pilot.gait_library.gait_store import GaitStore, OnGait
from strut.pilot.piloted_simulation import Clock, World, simulate_requests
from strut.pilot.plant.torque_model import control_table
from strut.pilot.request import Walker
from strut.plumbing.task_farm import TaskFarm
from strut.robot import Robot

WALK_S = 8.0  # duration of a walk
STOP_S = 12.0  # time limit for its start and stop
STEADY_S = 4.0  # after its start, the speed is steady
CONTROL_HZ = 1000.0


def evaluate_gaits(
    store: GaitStore,
    robot: Robot,
    *,
    walker: Walker = "pendulum",
    workers: int | None = None,
    scheduler: str | None = None,
    on_gait: OnGait | None = None,
) -> None:
    """Walk for some seconds at every gait of a store, from a stand and with noisy sensors, and store the outcome.

    Gaits that were evaluated with the same walker are skipped.
    """
    name = f"walked_by_{walker}"
    feasible = [record for record in store.records() if record.status == "ok"]
    pending = {record.index: record for record in feasible if name not in record.figures}
    if not pending:
        return
    library = store.library() if walker == "library" else None
    with TaskFarm(workers=workers, scheduler=scheduler) as farm:
        for index in pending:
            farm.submit(index, evaluate_gait, robot.name, store.parameter(index), library)
        for count, (index, outcome) in enumerate(farm.results(), len(feasible) - len(pending) + 1):
            record = replace(pending[index], figures={**pending[index].figures, name: outcome})
            store.put(record)
            if on_gait is not None:
                on_gait(record, count, len(feasible))


def evaluate_gait(robot: str, parameter: GaitParameter, library: GaitLibrary | None) -> dict[str, Any]:
    """Simulate a walk at a speed and height; return whether the robot stayed upright, and its speed error."""
    forward, left, height = parameter
    walk = WalkRequest(forward, left, 0.0, height, duration_s=WALK_S)
    run = simulate_requests(
        [walk, StandRequest(0.2)],
        _robot_without_command_range(robot),
        world=World(),
        clock=Clock(control_hz=CONTROL_HZ, longest_s=WALK_S + STOP_S),
        library=library,
    )
    start_s = next((part.at_s for part in run.begun if part.phase == "walk"), 0.0)
    is_upright = not run.outcome.fell
    return {
        "held": is_upright,
        "stopped": run.outcome.finished,
        "speed_off_m_s": speed_error(run.motion, start_s, (forward, left)) if is_upright else None,
        "upright_s": round(run.outcome.upright_s, 2),
    }


def speed_error(motion: Motion, start_s: float, velocity_m_s: tuple[float, float]) -> float | None:
    """Return the error of the mean velocity of a walk from its 4th to its 8th second [m/s]; None if it is shorter."""
    time_s = motion.time_s
    first, last = np.searchsorted(time_s, (start_s + STEADY_S, start_s + WALK_S))
    if last >= len(time_s):
        return None
    mean_m_s = (motion.qpos[last, :2] - motion.qpos[first, :2]) / (time_s[last] - time_s[first])
    return round(float(np.linalg.norm(mean_m_s - velocity_m_s)), 4)


@lru_cache(maxsize=2)
def _robot_without_command_range(name: str) -> Robot:
    """Return a robot whose controllers accept any speed and height of a walk."""
    robot = load_robot(name)
    unlimited = (-10.0, 10.0)
    command = msgspec.structs.replace(
        control_table(robot).command, forward_m_s=unlimited, sideways_m_s=unlimited, walking_height_m=unlimited
    )
    control = msgspec.structs.replace(control_table(robot), command=command)
    return replace(robot, tables=replace(robot.tables, control=control))
