"""Gait figures: entries of the receipt of a gait: its speed, its turn rate, and the distance to its goal."""

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
    """Return the figures by their names in a receipt. Shape of the configurations (T, nq).

    A walk to a goal has its final error, measured at the middle of the feet. Any other walk has its steady speed and
    turn rate, beside those requested for neutral.
    """
    if task.goals:
        start_m, end_m = foot_positions(robot, qpos[[0, -1]])[..., :2].mean(axis=1)
        goal_m = np.array([task.goals[-1].x_m, task.goals[-1].y_m])
        return {"task_error_mm": float(np.linalg.norm(end_m - start_m - goal_m)) * 1e3}
    walking_s = plan.time_s[(plan.phase > 0.0) & (plan.phase < plan.phase[-1])]
    period_s = (walking_s[-1] - walking_s[0]) / plan.phase[-1]
    steady_s = (float(walking_s[0]), float(walking_s[-1] - period_s))  # the last cycle slows down
    requested_m_s = None if task.speed_m_s is None else float(np.hypot(task.speed_m_s, task.sideways_m_s))
    return {
        "walking_speed_m_s": steady_speed(plan.time_s, qpos[:, :2], steady_s, period_s),
        "walking_speed_asked_m_s": requested_m_s,
        **turn_rates(plan.time_s, base_track(qpos), steady_s, period_s, task.turn_rad_s),
    }
