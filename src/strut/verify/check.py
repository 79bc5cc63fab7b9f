"""Check: a receipt for any motion, measured from its samples alone; nothing that the file says is believed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from strut.emotion import Emotion
from strut.errors import OutOfRangeError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.receipt import Receipt
from strut.robot import Robot
from strut.verify.audit import Audit, Shortfall, audit, shortfalls
from strut.verify.receipt_builder import receipt_for
from strut.verify.stride_audit import has_strides, stride_audit, stride_shortfalls
from strut.verify.task_audit import task_audit, task_shortfalls


def check(motion: Motion, robot: Robot | None = None, *, margin_m: float | None = None) -> Receipt:
    """Measure a motion and return its receipt; the verdict is `refused` if it breaks a limit.

    Args:
        motion: Samples evenly spaced in time; taken to be at rest before the first and after the last.
        robot: Whose limits; the motion's own robot if None.
        margin_m: Smallest balance margin allowed; the one it was planned with if None, or 0 if that is unknown.
    """
    robot = robot_of(motion, robot)
    motion.check_even()
    if margin_m is not None and not (math.isfinite(margin_m) and margin_m >= 0.0):
        raise OutOfRangeError(f"The balance margin is {margin_m:g} m; it must be a number of at least 0.")
    if margin_m is None:
        margin_m = planned_margin_m(motion)
    measured, broken, soundness = _measured(robot, motion, margin_m)
    task = task_audit(robot, motion)
    if task is not None:
        broken += task_shortfalls(task, gaze_counts=_option(motion, "law") != "paper")
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
    if has_strides(robot):
        # The margin is judged, but a line of toes has no inside to be far from.
        return replace(receipt, balance_margin_mm=None, soundness=soundness)
    if task is None:
        return receipt
    return replace(
        receipt,
        task_error_mm=float(task.hand_error_m.max()) * 1e3,
        gaze_error_rad=task.largest_gaze_error_rad,
        redundancy=task.redundancy,
    )


def _measured(
    robot: Robot, motion: Motion, margin_m: float
) -> tuple[Audit, list[Shortfall], dict[str, float | str | None] | None]:
    """Return what a motion needs, the limits that it breaks, and what else was found, by the audit for its body."""
    if has_strides(robot):
        strides = stride_audit(robot, motion)
        return strides.needs, stride_shortfalls(robot, strides, margin_m=margin_m), strides.as_dict()
    measured = audit(robot, motion.time_s, motion.qpos, motion.contact)
    return measured, shortfalls(robot, measured, margin_m=margin_m), None


def planned_margin_m(motion: Motion) -> float:
    """Return the margin that a motion says it was planned with; 0 if it says nothing that makes sense."""
    margin_m = _option(motion, "margin_m")
    known = isinstance(margin_m, int | float) and not isinstance(margin_m, bool) and math.isfinite(margin_m)
    return max(0.0, float(margin_m)) if known else 0.0


def _option(motion: Motion, name: str) -> Any:
    options = motion.meta.get("options")
    return options.get(name) if isinstance(options, dict) else None
