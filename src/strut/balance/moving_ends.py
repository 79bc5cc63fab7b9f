"""Moving ends: whether a motion is in movement already at its first sample, and still at its last one.

A plan begins and ends at rest: its first step from sample to sample is as long as it accelerates. A clip that is cut
out of a movement begins with a step that rest explains only by an acceleration beyond every other one of the clip.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.balance.contact_detection import base_height
from strut.engines.inverse_dynamics import changes
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.robot import BASE, Robot

MIN_SAMPLES = 8  # fewer samples are no clip
MOVES = 0.005  # of sqrt(g h), or of sqrt(g / h) for angles: 13 mm/s and 1 degree/s of a humanoid; slower is rest
BEYOND = 3.0  # of the largest acceleration between samples; crawls of Mr. Pete begin with a sway that needs 2.6
HEIGHT_ON_WHEELS_M = 1.0  # of a robot without feet


def find_moving_ends(robot: Robot, time_s: Array, qpos: Array) -> tuple[bool, bool]:
    """Return whether a motion moves at its first and at its last sample. Shapes (T,) and (T, nq)."""
    if len(qpos) < MIN_SAMPLES:
        return False, False
    height_m = base_height(robot) if robot.feet else HEIGHT_ON_WHEELS_M
    step_s = float(time_s[1] - time_s[0])
    slow = np.full(robot.model.nv, MOVES * np.sqrt(GRAVITY_M_S2 / height_m) * step_s)
    if robot.base_size:
        slow[: BASE // 2] *= height_m
    change = changes(robot, qpos)
    explained = np.maximum(BEYOND * np.abs(np.diff(change, axis=0)).max(axis=0), slow)
    return bool((np.abs(change[0]) > explained).any()), bool((np.abs(change[-1]) > explained).any())
