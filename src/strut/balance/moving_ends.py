"""Moving ends: whether a motion is in movement already at its first sample, and still at its last one.

A plan begins at rest, so its first change from sample to sample is no larger than its accelerations explain. A clip
that is cut out of a movement begins with a change that needs, from rest, a larger acceleration than any in the clip.
The same holds for its end.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.balance.contact_detection import base_height
from strut.engines.inverse_dynamics import changes
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.robot import BASE, Robot

MIN_SAMPLES = 8  # fewer samples are no clip
REST_SPEED = 0.005  # of sqrt(g h), or of sqrt(g / h) for angles: 13 mm/s and 1 degree/s of a humanoid; slower is rest
FROM_REST = 3.0  # times the largest acceleration between samples; crawls of Mr. Pete begin with a sway that needs 2.6
HEIGHT_ON_WHEELS_M = 1.0  # of a robot without feet, by which speeds are scaled


def find_moving_ends(robot: Robot, time_s: Array, qpos: Array) -> tuple[bool, bool]:
    """Return whether a motion moves at its first and at its last sample. Shapes (T,) and (T, nq)."""
    if len(qpos) < MIN_SAMPLES:
        return False, False
    height_m = base_height(robot) if robot.feet else HEIGHT_ON_WHEELS_M
    step_s = float(time_s[1] - time_s[0])
    at_rest = np.full(robot.model.nv, REST_SPEED * np.sqrt(GRAVITY_M_S2 / height_m) * step_s)  # per sample
    if robot.base_size:
        at_rest[: BASE // 2] *= height_m
    change = changes(robot, qpos)
    from_rest = FROM_REST * np.abs(np.diff(change, axis=0)).max(axis=0)
    max_change = np.maximum(from_rest, at_rest)
    return bool((np.abs(change[0]) > max_change).any()), bool((np.abs(change[-1]) > max_change).any())
