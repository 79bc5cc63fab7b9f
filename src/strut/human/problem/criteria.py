"""Criteria: the weights of the cost functions that a gait minimises; the natural ones, or a published mixture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.table import human_gait
from strut.robot import Robot

NATURAL = "natural"


@dataclass(frozen=True, slots=True)
class Criteria:
    """Weights of effort, angular momentum, head rotation and duration, and of the two regularisations.

    `natural` chooses what they measure: the natural criteria of the gait table, or the published ones (thesis).
    """

    effort: float = 1.0
    momentum: float = 1.0
    head: float = 3.0
    time: float = 0.0
    acceleration: float = 0.01
    torque_rate: float = 1e-4
    natural: bool = False

    def __post_init__(self) -> None:
        for name in ("effort", "momentum", "head", "time", "acceleration", "torque_rate"):
            value = getattr(self, name)
            if not np.isfinite(value) or value < 0.0:
                raise OutOfRangeError(f"The weight of {name} is {value:g}; it must be a finite number of at least 0.")


def named_criteria(robot: Robot, objective: str) -> Criteria:
    """Return the criteria of an objective: `natural`, or a published mixture by name."""
    known = human_gait(robot).objective
    if objective == NATURAL:
        table = human_gait(robot).natural_criteria
        return Criteria(*table.gamma, table.acceleration, table.torque_rate, natural=True)
    if objective not in known:
        raise UnknownNameError("objective", objective, (NATURAL, *known), "`strut synthesize --help`")
    return weighted_criteria(robot, known[objective].gamma)


def weighted_criteria(robot: Robot, gamma: Sequence[float]) -> Criteria:
    """Return criteria with weights on effort, angular momentum, head rotation and duration."""
    if len(gamma) != 4:
        raise OutOfRangeError(f"{len(gamma)} weights were given; four are needed: effort, momentum, head, time.")
    regularisation = human_gait(robot).regularisation
    effort, momentum, head, time = (float(value) for value in gamma)
    if not any(gamma):
        raise OutOfRangeError("All weights are 0, so any gait would do; give at least one of them a number above 0.")
    return Criteria(effort, momentum, head, time, regularisation.acceleration, regularisation.torque_rate)
