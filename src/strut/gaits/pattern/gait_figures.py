"""Gait figures: what a receipt tells of a gait: how fast it walks and turns, and how near its goal it ends."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import foot_positions
from strut.gaits.pattern.gait_plan import GaitPlan
from strut.gaits.pattern.request import PatternGait
from strut.maths.sampling import steady_speed
from strut.maths.travel_direction import base_track, turn_rates
from strut.robot import Robot


def gait_figures(robot: Robot, task: PatternGait, plan: GaitPlan, qpos: Array) -> dict[str, float | None]:
    """Return the figures by their names in a receipt. Shape (T, nq)."""
    return {**_goal_figures(robot, task, qpos), **_speeds(task, plan, qpos)}


def _goal_figures(robot: Robot, task: PatternGait, qpos: Array) -> dict[str, float]:
    """Return how far from its goal the middle of the feet ends; nothing without a goal. Shape (T, nq)."""
    if not task.goals:
        return {}
    start, end = foot_positions(robot, qpos[[0, -1]])[..., :2].mean(axis=1)
    goal = np.array([task.goals[-1].x_m, task.goals[-1].y_m])
    return {"task_error_mm": float(np.linalg.norm(end - start - goal)) * 1e3}


def _speeds(task: PatternGait, plan: GaitPlan, qpos: Array) -> dict[str, float | None]:
    """Return how fast it walks once under way, and how fast neutral was asked to be; nothing on a way to a goal."""
    if task.goals:
        return {}
    walking_s = plan.time_s[(plan.phase > 0.0) & (plan.phase < plan.phase[-1])]
    period_s = (walking_s[-1] - walking_s[0]) / plan.phase[-1]  # the last one slows down
    asked_m_s = None if task.speed_m_s is None else float(np.hypot(task.speed_m_s, task.sideways_m_s))
    steadily_s = (float(walking_s[0]), float(walking_s[-1] - period_s))
    track = base_track(qpos)
    return {
        "walking_speed_m_s": steady_speed(plan.time_s, qpos[:, :2], steadily_s, period_s),
        "walking_speed_asked_m_s": asked_m_s,
        **turn_rates(plan.time_s, track, steadily_s, period_s, task.turn_rad_s),
    }
