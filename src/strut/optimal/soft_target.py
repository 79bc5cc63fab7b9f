"""Soft targets: what a feeling asks of a human's posture, as costs of the same problem that makes the walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.engines.moment import Moment
from strut.optimal.problem import Cost, Expression, Mean, Tracking
from strut.robot import Array, Robot

ARMS = ("ShoulderRight_RY", "ShoulderLeft_RY", "ElbowRight_RY", "ElbowLeft_RY")


@dataclass(frozen=True, slots=True)
class Bearing:
    """How a person carries the body: trunk and head against upright, positive forwards, and the arms. In rad.

    Args:
        trunk_forward_rad: Of pelvis and lumbar joint together.
        head_forward_rad: Of the neck.
        arm_swing_rad: Amplitude of the shoulders about their middle.
        elbow_rad: Of both elbows; bent is negative.
    """

    trunk_forward_rad: float
    head_forward_rad: float
    arm_swing_rad: float
    elbow_rad: float


def bearing_costs(robot: Robot, names: Sequence[str], bearing: Bearing, node_share: Array) -> tuple[Cost, ...]:
    """Return the costs that pull a walk towards a bearing.

    Args:
        robot: Who walks; its expression table says how strong the pulls are.
        names: Of the coordinates.
        bearing: The target.
        node_share: How much of the step has passed at each node, from 0 to 1. Shape (nodes,).
    """
    # means, not integrals over time: those would make the step shorter instead of the posture better
    pull, index = robot.table("expression")["pull"], list(names).index

    def trunk(moment: Moment) -> Expression:
        lean = moment.q[index("Pelvis_RY")] + moment.q[index("Lumbar_RY")]
        return (lean - bearing.trunk_forward_rad) ** 2

    def head(moment: Moment) -> Expression:
        return (moment.q[index("Head_RY")] - bearing.head_forward_rad) ** 2

    def arms(moment: Moment) -> Expression:
        return moment.q[[index(name) for name in ARMS]]

    swing = bearing.arm_swing_rad * np.cos(np.pi * node_share)  # against the legs: the right arm starts behind
    bent = np.full_like(swing, bearing.elbow_rad)
    wanted = np.stack([swing, -swing, bent, bent], axis=1)
    return (
        Mean("trunk posture", pull["trunk"], trunk),
        Mean("head posture", pull["head"], head),
        Tracking("arms", pull["arms"], arms, wanted),
    )


def node_shares(intervals: Sequence[int], durations_s: Sequence[float]) -> Array:
    """Return how much of a step has passed at each node of a mesh. Shape (nodes,)."""
    borders = np.concatenate([[0.0], np.cumsum(durations_s)]) / np.sum(durations_s)
    return np.concatenate([np.linspace(borders[p], borders[p + 1], count + 1) for p, count in enumerate(intervals)])
