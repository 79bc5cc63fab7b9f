"""Soft targets: how people hold trunk, head, arms and legs, as costs of the same problem that makes the walk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from strut.engines.node_symbols import NodeSymbols
from strut.human.anatomy import ELBOW, HIP, NECK, SHOULDER, SIDES, TRUNK, sided, unsided
from strut.human.body_size import body_size
from strut.optimal.problem import Expression, MayerCost, MeanCost
from strut.robot import Robot
from strut.style import Style


@dataclass(frozen=True, slots=True)
class PostureTargets:
    """How a person carries the body: trunk and head against upright, positive forwards, and the arms.

    Args:
        trunk_forward_rad: Of pelvis and lumbar joint together.
        head_forward_rad: Of the neck.
        arm_swing: How far the arms swing against the legs: angle between the arms over angle between the thighs.
        elbow_rad: Of both elbows; bent is negative.
        haste: Share by which a step lasts shorter than one without a feeling; 0 leaves it to speed and criteria.
    """

    trunk_forward_rad: float
    head_forward_rad: float
    arm_swing: float
    elbow_rad: float
    haste: float = 0.0


def posture_targets(style: Style) -> PostureTargets:
    """Return how a style carries a person; a step is hasty by as much as its tempo makes it shorter."""
    return PostureTargets(
        trunk_forward_rad=style.trunk_pitch_rad,
        head_forward_rad=style.head_pitch_rad,
        arm_swing=style.arm_swing,
        elbow_rad=-style.elbow_rad,
        haste=1.0 - 1.0 / style.tempo,
    )


def neutral_posture_targets(robot: Robot) -> PostureTargets:
    """Return how the robot carries itself without a feeling."""
    return posture_targets(robot.expression.neutral_style())


def posture_cost(robot: Robot, names: Sequence[str], targets: PostureTargets) -> MeanCost:
    """Return the cost that holds coordinates near those of people: squares of misses over usual spreads.

    Means, not integrals over time: those would make the step shorter instead of the posture better.

    Args:
        robot: Who walks; its gait table has the spread of coordinates, and their middle where it is not 0.
        names: Of the coordinates.
        targets: How trunk, head and elbows are held.
    """
    table, order = robot.table("gait")["posture"], list(names)
    spread = table["spread_rad"]
    rest = {name: (index, spread[unsided(name)]) for index, name in enumerate(names) if unsided(name) in spread}
    middle = {name: _middle_rad(robot, name) for name in rest}
    middle |= dict.fromkeys(TRUNK, 0.5 * targets.trunk_forward_rad) | {NECK: targets.head_forward_rad}
    middle |= {sided(ELBOW, side): targets.elbow_rad for side in SIDES}

    def misses(node: NodeSymbols) -> Expression:
        lean = sum(node.q[order.index(name)] for name in TRUNK)
        total = ((lean - targets.trunk_forward_rad) / table["trunk_spread_rad"]) ** 2
        nod = node.q[order.index(NECK)] - targets.head_forward_rad
        total = total + (nod / table["head_spread_rad"]) ** 2
        for name, (index, spread_rad) in rest.items():
            total = total + ((node.q[index] - middle[name]) / spread_rad) ** 2
        return total

    return MeanCost("posture", table["weight"], misses)


def arm_cost(robot: Robot, names: Sequence[str], targets: PostureTargets) -> MeanCost:
    """Return the cost that lets the angle between the arms follow, in the opposite sense, that between the thighs."""
    table, order = robot.table("gait")["arms"], list(names)

    def between(node: NodeSymbols, joint: str) -> Expression:
        right, left = (node.q[order.index(sided(joint, side))] for side in SIDES)
        return right - left

    def miss(node: NodeSymbols) -> Expression:
        gap = between(node, SHOULDER) + targets.arm_swing * between(node, HIP)
        return (gap / table["spread_rad"]) ** 2

    return MeanCost("arms", table["weight"], miss)


def step_cost(robot: Robot, targets: PostureTargets) -> MayerCost:
    """Return the cost that makes steps of hasty feelings short in time; it grows with haste, so that none has none."""
    table = robot.table("gait")["step"]
    usual_s = table["usual_s"] * body_size(robot) ** 0.5  # as a pendulum's period
    wanted_s = (1.0 - targets.haste) * usual_s
    weight = table["weight"] * targets.haste
    return MayerCost("step", weight, lambda ends: ((ends.total_s - wanted_s) / table["spread_s"]) ** 2)


def _middle_rad(robot: Robot, name: str) -> float:
    """Return the usual middle of a coordinate; the table gives the left side, the right is its mirror."""
    middle = robot.table("gait")["posture"]["middle_rad"].get(unsided(name), 0.0)
    sign = robot.table("symmetry")["sign"][name.rsplit("_", 1)[1]] if "Right_" in name else 1.0
    return float(sign * middle)
