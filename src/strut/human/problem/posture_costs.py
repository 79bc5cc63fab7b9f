"""Posture costs: what a style asks of trunk, head, arms and step duration, as costs of the gait problem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import cos, sin

from strut.errors import UnknownNameError
from strut.human.anatomy import HEAD, HIP, SHOULDER, SIDES, UPPER_TRUNK, body_size, sided, unsided
from strut.human.table import human_gait
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import MayerCost, MeanCost
from strut.ocp.symbolic_dynamics import Expression
from strut.robot import Robot
from strut.style import STYLE_PARAMETERS, Style


def step_time_reduction(style: Style) -> float:
    """Return the share by which a step is shorter in time than a neutral one; 0 leaves its duration free."""
    return 1.0 - 1.0 / style.tempo


def midway_style(style: Style, neutral: Style) -> Style:
    """Return the style midway to neutral; its tempo halves the change of the step duration."""
    words = {word: 0.5 * (getattr(style, word) + getattr(neutral, word)) for word in STYLE_PARAMETERS}
    return replace(style, **words | {"tempo": 2.0 / (1.0 / style.tempo + 1.0 / neutral.tempo)})


def prescribed_angles(robot: Robot, names: Sequence[str], style: Style) -> dict[str, float]:
    """Return the joint angles that a style prescribes [rad]; raises UnknownNameError if the robot lacks one."""
    angles = robot.expression.joint_angles(style)
    for name in angles:
        if name not in names:
            raise UnknownNameError("coordinate", name, names, "its gait.toml")
    return angles


def posture_cost(
    robot: Robot, names: Sequence[str], style: Style, spread_rad: Mapping[str, float] | None = None
) -> MeanCost:
    """Return the cost of joint angles away from their means: squares of the deviations over their spreads.

    It is a mean over time, because an integral would shorten the step instead of improving the posture. Spreads and
    means come from the gait table; trunk, head and elbows from the style.

    Args:
        robot: A human model.
        names: Coordinates of the problem, in order.
        style: How trunk, head and arms are held.
        spread_rad: Spreads that replace those of the table, by coordinate without its side.
    """
    table = human_gait(robot).posture
    spread = {**table.spread_rad, **(spread_rad or {})}
    angles = {name: (index, spread[unsided(name)]) for index, name in enumerate(names) if unsided(name) in spread}
    mean = {name: _mean_angle_rad(robot, name) for name in angles}
    mean |= prescribed_angles(robot, names, style)
    leans = (  # segment, pitch in world, spread
        (UPPER_TRUNK, style.trunk_pitch_rad, table.trunk_spread_rad),
        (HEAD, style.trunk_pitch_rad + style.head_pitch_rad, table.head_spread_rad),
    )

    def deviations(node: NodeSymbols) -> Expression:
        total: Expression = 0.0
        for segment, pitch_rad, sd_rad in leans:
            upright = node.positions.rotation(segment)[:, 2]  # the segment's long axis in world
            total = total + ((cos(pitch_rad) * upright[0] - sin(pitch_rad) * upright[2]) / sd_rad) ** 2
        for name, (index, sd_rad) in angles.items():
            total = total + ((node.q[index] - mean[name]) / sd_rad) ** 2
        return total

    return MeanCost("posture", table.weight, deviations)


def arm_cost(robot: Robot, names: Sequence[str], style: Style) -> MeanCost:
    """Return the cost of arms that do not swing against the legs.

    The angle between the arms follows the angle between the thighs with the opposite sign. Arms that swing together
    cost too; without that they would balance a slow trunk.
    """
    table = human_gait(robot).arms
    order = list(names)
    shoulders, hips = ([order.index(sided(joint, side)) for side in SIDES] for joint in (SHOULDER, HIP))

    def deviation(node: NodeSymbols) -> Expression:
        arms, thighs = (node.q[right] - node.q[left] for right, left in (shoulders, hips))
        together = sum(node.q[index] for index in shoulders) / len(shoulders)
        return ((arms + style.arm_swing * thighs) / table.spread_rad) ** 2 + (together / table.together_rad) ** 2

    return MeanCost("arms", table.weight, deviation)


def step_cost(robot: Robot, style: Style) -> MayerCost:
    """Return the cost of a step that lasts longer than the tempo asks; its weight grows with the reduction."""
    table = human_gait(robot).step
    target_s = usual_step_s(robot) / style.tempo
    weight = table.weight * abs(step_time_reduction(style))
    return MayerCost("step", weight, lambda ends: ((ends.total_s - target_s) / table.spread_s) ** 2)


def usual_step_s(robot: Robot) -> float:
    """Return the duration of a neutral step at the usual speed; it grows with the root of leg length (pendulum)."""
    return float(human_gait(robot).step.usual_s * body_size(robot) ** 0.5)


def _mean_angle_rad(robot: Robot, name: str) -> float:
    """Return the usual mean of a coordinate; the table gives the left side, the right is its mirror."""
    mean = human_gait(robot).posture.middle_rad.get(unsided(name), 0.0)
    sign = robot.symmetry.sign[name.rsplit("_", 1)[1]] if "Right_" in name else 1.0
    return float(sign * mean)
