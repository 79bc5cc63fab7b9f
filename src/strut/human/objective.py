"""Objective: criteria of a gait by the name of a published mixture, or by their weights."""

from __future__ import annotations

from collections.abc import Sequence

from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.gait_problem import Criteria
from strut.robot import Robot


def named_criteria(robot: Robot, objective: str) -> Criteria:
    """Return the weights of a published mixture by name."""
    known = robot.human_gait.objective
    if objective not in known:
        raise UnknownNameError("objective", objective, tuple(known), "`strut synthesize --help`")
    return weighted_criteria(robot, known[objective].gamma)


def weighted_criteria(robot: Robot, gamma: Sequence[float]) -> Criteria:
    """Return criteria with weights on effort, angular momentum, head rotation and duration."""
    if len(gamma) != 4:
        raise OutOfRangeError(f"{len(gamma)} weights were given; four are needed: effort, momentum, head, time.")
    smooth = robot.human_gait.regularisation
    effort, momentum, head, time = (float(value) for value in gamma)
    if not any(gamma):
        raise OutOfRangeError("All weights are 0, so any gait would do; give at least one of them a number above 0.")
    return Criteria(effort, momentum, head, time, smooth.acceleration, smooth.torque_rate)
