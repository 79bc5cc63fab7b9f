"""Bounce: a walk that rises further than people's at its speed, as constraints on the height of the pelvis."""

from __future__ import annotations

import numpy as np

from strut.human.reference_bands import band_of
from strut.optimal.node_symbols import NodeSymbols
from strut.optimal.problem import Constraint, Parameter
from strut.optimal.symbolic_dynamics import Expression
from strut.robot import Robot
from strut.style import Style

LOW = "low_pelvis_m"  # height of the pelvis in double support, a parameter
HEIGHT = 2  # the coordinate of the pelvis that is its height
HIGHEST_IN, LOWEST_IN = 0, 3  # phases: the pelvis is highest where the first ends, low where the last begins


def usual_rise_m(robot: Robot, speed_m_s: float) -> float:
    """Return how far people's centre of mass goes up and down at a speed."""
    return band_of(robot, speed_m_s, "com_rise_m")[0]


def bounce_parameters(robot: Robot, style: Style | None) -> tuple[Parameter, ...]:
    """Return the low height of the pelvis as a parameter, where a style asks for a bounce."""
    if not bounces(style):
        return ()
    lower, upper = (float(bound) for bound in robot.human_gait.synthesis_range["Pelvis_TZ"])
    return (Parameter(LOW, 0.8 * lower, 1.2 * upper, 0.5 * (lower + upper)),)


def bounce_constraints(
    robot: Robot, number: int, style: Style | None, speed_m_s: float | None
) -> tuple[Constraint, ...]:
    """Return the constraint of a phase, counted from 0, that makes the pelvis low or at least so much higher."""
    if style is None or not bounces(style) or number not in (HIGHEST_IN, LOWEST_IN):
        return ()
    pace_m_s = robot.human_gait.speed_m_s.usual if speed_m_s is None else speed_m_s
    rise_m = style.bounce * usual_rise_m(robot, pace_m_s)

    def above(node: NodeSymbols) -> Expression:
        return node.q[HEIGHT] - node.parameter[LOW]

    if number == LOWEST_IN:
        return (Constraint("low pelvis", above, 0.0, 0.0, "first", scale=0.1, unit="m"),)
    return (Constraint("rise of the pelvis", above, rise_m, np.inf, "last", scale=0.1, unit="m"),)


def bounces(style: Style | None) -> bool:
    """Return whether a style asks for more rise than people's."""
    return style is not None and style.bounce > 1.0
