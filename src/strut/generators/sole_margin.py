"""Sole margin: how far inside the soles on the ground the centre of mass or zero-moment point is, point by point."""

from __future__ import annotations

import numpy as np

from strut.balance.support import support_margin
from strut.generators.body_path import CarriedPlan
from strut.generators.phases import StepPlan
from strut.robot import Array, Robot


def static_margin_m(robot: Robot, body: CarriedPlan) -> Array:
    """Return the margin of the centre of mass: what would be left if the robot froze at that point. Shape (T,)."""
    return _margin(robot, body.plan, body.targets.com_in_world)


def dynamic_margin_m(robot: Robot, body: CarriedPlan) -> Array:
    """Return the margin of the nine masses' zero-moment point at the plan's phase times. Shape (T,)."""
    return _margin(robot, body.plan, body.zmp_in_world)


def sole_points(robot: Robot, plan: StepPlan) -> Array:
    """Return where the corners of the soles are, without asking the model. Shape (T, n_points, 3)."""
    owner = list(robot.point_feet)
    outline = np.array([corner for foot in robot.feet for corner in foot.outline_m])
    c, s = np.cos(plan.foot_heading_rad[:, owner]), np.sin(plan.foot_heading_rad[:, owner])
    x, y = outline.T
    turned = np.stack([c * x - s * y, s * x + c * y, np.zeros_like(c)], axis=-1)
    return np.asarray(plan.foot_in_world[:, owner] + turned)


def _margin(robot: Robot, plan: StepPlan, point_in_world: Array) -> Array:
    return support_margin(plan.contact[:, list(robot.point_feet)], sole_points(robot, plan), point_in_world)
