"""Rerun of a piloted motion: its requests are given to the controllers again, in the same or another world.

Played back without its controllers, a body on springs falls. Whether it still walks on ice depends on the controllers,
so they are simulated again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from strut.errors import BadMotionError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.piloted_drafts import CONTROL_HZ
from strut.pilot.piloted_simulation import Clock, PilotedRun, World, simulate_requests
from strut.pilot.request_json import decode_requests
from strut.robot import Robot

# Time limit of a rerun: a robot that slips needs longer, one that makes no progress must be stopped.
MAX_DURATION_RATIO = 2.0
EXTRA_TIME_S = 10.0
KEPT_META = ("title", "emotion", "pad", "emotions", "feelings", "request")  # feelings: files of older versions


def is_piloted(motion: Motion) -> bool:
    """Return whether a motion was made by its robot's own controllers in simulation."""
    return isinstance(motion.meta.get("piloted"), dict)


def can_be_run_again(motion: Motion) -> bool:
    """Return whether a piloted motion also holds its requests; files of older versions do not."""
    return is_piloted(motion) and "requests" in motion.meta["piloted"]


def simulate_again(
    motion: Motion,
    robot: Robot | None = None,
    *,
    world: World | None = None,
    on_sample: Callable[[float], None] | None = None,
) -> PilotedRun:
    """Simulate the requests of a piloted motion again. In the same world, the motion is the same.

    Args:
        motion: A walk or sequence under a robot's own controllers.
        robot: The robot; that of the motion if None.
        world: Floor, sensors and pushes; if None, the robot's usual world with the same noise.
        on_sample: Called with the simulated time at every recorded sample.

    Raises:
        BadMotionError: If the motion does not hold its requests.
    """
    robot = robot_of(motion, robot)
    if not can_be_run_again(motion):
        raise BadMotionError(
            f"{robot.name} moved under its own controllers, and this file does not hold their requests, so they cannot "
            "be simulated again. Make the motion again with `strut walk` or `strut perform`."
        )
    piloted: dict[str, Any] = motion.meta["piloted"]
    clock = Clock(
        control_hz=piloted.get("control_hz", CONTROL_HZ),
        record_hz=float(round((len(motion.time_s) - 1) / motion.duration_s)),
        longest_s=MAX_DURATION_RATIO * motion.duration_s + EXTRA_TIME_S,
    )
    run = simulate_requests(
        decode_requests(piloted["requests"]),
        robot,
        world=World(seed=seed_of(motion)) if world is None else world,
        clock=clock,
        library=load_gait_library(robot) if piloted.get("walker") == "library" else None,
        on_sample=on_sample,
    )
    kept = {name: motion.meta[name] for name in KEPT_META if name in motion.meta}
    return replace(run, motion=replace(run.motion, meta=kept | dict(run.motion.meta)))


def seed_of(motion: Motion) -> int:
    """Return the seed of the sensor noise of a motion; 0 without one."""
    world = motion.meta.get("simulated")
    seed = world.get("seed") if isinstance(world, dict) else None
    return seed if isinstance(seed, int) and seed >= 0 else 0
