"""Check: a receipt for any motion, measured from its samples alone; nothing that the file says is believed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.emotion import Emotion
from strut.errors import BadMotionError
from strut.motion import Motion
from strut.proof.audit import audit, shortfalls
from strut.proof.tally import receipt_for
from strut.proof.task_error import task_error_m
from strut.receipt import Receipt
from strut.robot import Robot
from strut.robots.catalogue import robot_of


def check(motion: Motion, robot: Robot | None = None, *, margin_m: float | None = None) -> Receipt:
    """Measure a motion and return its receipt; the verdict is `refused` if it breaks a limit.

    Args:
        motion: Samples evenly spaced in time.
        robot: Whose limits; the motion's own robot if None.
        margin_m: Smallest balance margin allowed; the one it was planned with if None, or 0 if that is unknown.
    """
    robot = robot or robot_of(motion)
    steps = np.diff(motion.time_s)
    if np.ptp(steps) > 1e-6 * float(steps.mean()) + 1e-9:
        raise BadMotionError("The samples of the motion are not evenly spaced in time; resample it first.")
    if margin_m is None:
        margin_m = float(motion.meta.get("options", {}).get("margin_m", 0.0))
    measured = audit(robot, motion.time_s, motion.qpos, motion.contact)
    broken = shortfalls(robot, measured, margin_m=margin_m)
    claimed = motion.receipt
    name, pad = (claimed.emotion, claimed.pad) if claimed else (None, None)
    receipt = receipt_for(
        robot,
        measured,
        emotion=Emotion(*pad, name=name) if pad else None,
        asked=claimed.intensity_asked if claimed else None,
        kept=claimed.intensity_kept if claimed else None,
        verdict="refused" if broken else "ok",
        reasons=[shortfall.sentence for shortfall in broken],
    )
    off_m = task_error_m(robot, motion)
    return receipt if off_m is None else replace(receipt, task_error_mm=off_m * 1e3)
