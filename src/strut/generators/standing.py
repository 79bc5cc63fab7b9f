"""Standing: how a robot stands before and after a walk, from the posture its folder names."""

from __future__ import annotations

import numpy as np

from strut.engines.task_jacobians import task_jacobians
from strut.errors import BadTableError
from strut.generators.gait_plan import FootStance
from strut.robot import Array, Robot


def foot_stance(robot: Robot) -> tuple[FootStance, Array]:
    """Return a robot's stance, and its coordinates with the middle of its feet at the origin. Shape (nq,).

    Raises BadTableError for a robot that has neither two nor four feet.
    """
    qpos = np.array(robot.standing_qpos)
    now = task_jacobians(robot, qpos[None])
    feet = now.foot_in_world[0]
    if len(feet) not in (2, 4):
        raise BadTableError(f"{robot.name} has {len(feet)} feet; gaits are known for two and for four.")
    middle = np.array([*feet[:, :2].mean(axis=0), 0.0])
    qpos[:3] -= middle
    height_m = float(now.com_in_world[0, 2])
    return FootStance(_places(robot, feet - middle), feet - middle, height_m), qpos


def _places(robot: Robot, foot_m: Array) -> tuple[str, ...]:
    """Return the places of feet from where they stand; raises BadTableError if two share one."""
    sides = np.where(foot_m[:, 1] > 0.0, "left", "right")
    if len(foot_m) == 4:
        ends = np.where(foot_m[:, 0] > 0.0, "front ", "hind ")
        sides = np.char.add(ends, sides)
    places = tuple(str(side) for side in sides)
    if len(set(places)) != len(places):
        raise BadTableError(f"{robot.name} does not stand with one foot at each corner: {', '.join(places)}.")
    return places
