"""Task error: how far a hand strays from its task, measured from the motion alone."""

from __future__ import annotations

import numpy as np

from strut.engines.frame_kinematics import frame_poses
from strut.motion import Motion
from strut.planning.hand_task import hand_frame, hand_task
from strut.robot import Robot


def task_error_m(robot: Robot, motion: Motion) -> float | None:
    """Return the largest distance of the hand from the task that the motion names; None if there is no such task."""
    task = motion.meta.get("task")
    if not isinstance(task, dict) or task.get("task") not in robot.tables.get("tasks", {}):
        return None
    target = task.get("target_m")
    path = hand_task(
        robot,
        task["task"],
        duration_s=task["duration_s"],
        target_m=None if target is None else np.array(target, dtype=float),
    )
    wanted = path.poses(motion.time_s - motion.time_s[0]).position_m
    position, _ = frame_poses(robot, hand_frame(robot, path.hand), motion.qpos)
    return float(np.linalg.norm(position - wanted, axis=1).max())
