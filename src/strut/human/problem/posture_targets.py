"""Posture targets: how a style holds trunk, head and arms, as costs of the same problem that makes the walk."""

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
from strut.style import WORDS, Style


def haste(style: Style) -> float:
    """Return by which share a step lasts shorter than one without a feeling; 0 leaves it to speed and criteria."""
    return 1.0 - 1.0 / style.tempo


def halfway(style: Style, neutral: Style) -> Style:
    """Return a style half way to neutral; of the tempo, half the change of a step's duration."""
    words = {word: 0.5 * (getattr(style, word) + getattr(neutral, word)) for word in WORDS}
    return replace(style, **words | {"tempo": 2.0 / (1.0 / style.tempo + 1.0 / neutral.tempo)})


def held_angles(robot: Robot, names: Sequence[str], style: Style) -> dict[str, float]:
    """Return where a style holds coordinates [rad]; raises if the robot has none of that name."""
    held = robot.expression.joint_angles(style)
    for name in held:
        if name not in names:
            raise UnknownNameError("coordinate", name, names, "its gait.toml")
    return held


def posture_cost(
    robot: Robot, names: Sequence[str], style: Style, tighter: Mapping[str, float] | None = None
) -> MeanCost:
    """Return the cost that holds coordinates near those of people: squares of misses over usual spreads.

    Means, not integrals over time: those would make the step shorter instead of the posture better. The robot's gait
    table has the spread of coordinates, and their middle where it is not 0; `tighter` replaces some of them; the style
    has trunk, head and elbows.
    """
    table = human_gait(robot).posture
    spread = {**table.spread_rad, **(tighter or {})}
    rest = {name: (index, spread[unsided(name)]) for index, name in enumerate(names) if unsided(name) in spread}
    middle = {name: _middle_rad(robot, name) for name in rest}
    middle |= held_angles(robot, names, style)
    leans = (  # segment, how far it leans in world, and its spread
        (UPPER_TRUNK, style.trunk_pitch_rad, table.trunk_spread_rad),
        (HEAD, style.trunk_pitch_rad + style.head_pitch_rad, table.head_spread_rad),
    )

    def misses(node: NodeSymbols) -> Expression:
        total: Expression = 0.0
        for segment, lean_rad, spread_rad in leans:
            upright = node.positions.rotation(segment)[:, 2]  # the segment's long axis in world
            total = total + ((cos(lean_rad) * upright[0] - sin(lean_rad) * upright[2]) / spread_rad) ** 2
        for name, (index, spread_rad) in rest.items():
            total = total + ((node.q[index] - middle[name]) / spread_rad) ** 2
        return total

    return MeanCost("posture", table.weight, misses)


def arm_cost(robot: Robot, names: Sequence[str], style: Style) -> MeanCost:
    """Return the cost that lets the angle between the arms follow, in the opposite sense, that between the thighs.

    Arms that swing together cost, too, or they would balance a slow trunk.
    """
    table = human_gait(robot).arms
    order = list(names)
    shoulders, hips = ([order.index(sided(joint, side)) for side in SIDES] for joint in (SHOULDER, HIP))

    def miss(node: NodeSymbols) -> Expression:
        arms, thighs = (node.q[right] - node.q[left] for right, left in (shoulders, hips))
        together = sum(node.q[index] for index in shoulders) / len(shoulders)
        return ((arms + style.arm_swing * thighs) / table.spread_rad) ** 2 + (together / table.together_rad) ** 2

    return MeanCost("arms", table.weight, miss)


def step_cost(robot: Robot, style: Style) -> MayerCost:
    """Return the cost that makes steps of hasty feelings short in time; it grows with haste, so that none has none."""
    table = human_gait(robot).step
    wanted_s = usual_step_s(robot) / style.tempo
    weight = table.weight * abs(haste(style))
    return MayerCost("step", weight, lambda ends: ((ends.total_s - wanted_s) / table.spread_s) ** 2)


def usual_step_s(robot: Robot) -> float:
    """Return how long a step without a feeling lasts at the usual speed; longer on long legs, as a pendulum's."""
    return float(human_gait(robot).step.usual_s * body_size(robot) ** 0.5)


def _middle_rad(robot: Robot, name: str) -> float:
    """Return the usual middle of a coordinate; the table gives the left side, the right is its mirror."""
    middle = human_gait(robot).posture.middle_rad.get(unsided(name), 0.0)
    sign = robot.symmetry.sign[name.rsplit("_", 1)[1]] if "Right_" in name else 1.0
    return float(sign * middle)
