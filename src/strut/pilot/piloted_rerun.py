"""Piloted again: what a robot's own controllers did once, asked of them again in another world.

Angles of a body on springs, played back without the controllers that balanced it, fall; whether it still walks on ice
is a question to these controllers.
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
from strut.pilot.request_json import read_requests
from strut.robot import Robot

LONGER = 2.0
MORE_S = 10.0  # who slips may need longer; who gets nowhere shall not walk for ever
_TOLD = ("title", "emotion", "pad", "feelings", "request")


def is_piloted(motion: Motion) -> bool:
    """Return whether a motion says that it came of its robot's own controllers."""
    return isinstance(motion.meta.get("piloted"), dict)


def can_be_run_again(motion: Motion) -> bool:
    """Return whether a motion also says what these controllers were asked for; those of older versions do not."""
    return is_piloted(motion) and "requests" in motion.meta["piloted"]


def simulate_again(
    motion: Motion,
    robot: Robot | None = None,
    *,
    world: World | None = None,
    on_sample: Callable[[float], None] | None = None,
) -> PilotedRun:
    """Let the controllers do again what they were asked for, and return what happens.

    In the world in which it took place, the same happens.

    Args:
        motion: Of a walk or show under a robot's own controllers.
        robot: Who does it; the motion's own robot if None.
        world: Floor, sensors and pushes; the robot's usual, with the noise that it was, if None.
        on_sample: Called with the simulated time at every recorded sample.

    Raises:
        BadMotionError: If the motion does not hold what was asked for.
    """
    robot = robot_of(motion, robot)
    if not can_be_run_again(motion):
        raise BadMotionError(
            f"{robot.name} moved under its own controllers, and this file does not hold what they were asked for; its "
            "angles alone, without them, would fall. Make it again with `strut walk` or `strut perform`."
        )
    asked: dict[str, Any] = motion.meta["piloted"]
    clock = Clock(
        control_hz=asked.get("control_hz", CONTROL_HZ),
        record_hz=float(round((len(motion.time_s) - 1) / motion.duration_s)),
        longest_s=LONGER * motion.duration_s + MORE_S,
    )
    run = simulate_requests(
        read_requests(asked["requests"]),
        robot,
        world=World(seed=seed_of(motion)) if world is None else world,
        clock=clock,
        library=load_gait_library(robot) if asked.get("walker") == "library" else None,
        on_sample=on_sample,
    )
    told = {name: motion.meta[name] for name in _TOLD if name in motion.meta}
    return replace(run, motion=replace(run.motion, meta=told | dict(run.motion.meta)))


def seed_of(motion: Motion) -> int:
    """Return the seed of the noise that a motion was made with; 0 if it says none."""
    world = motion.meta.get("simulated")
    seed = world.get("seed") if isinstance(world, dict) else None
    return seed if isinstance(seed, int) and seed >= 0 else 0
