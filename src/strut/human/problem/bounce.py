"""Bounce: a walk that rises further than without a feeling at its speed, as constraints on the centre of mass."""

from __future__ import annotations

import numpy as np

from strut.human.analysis.reference_bands import band_of
from strut.human.table import human_gait
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Constraint, Parameter
from strut.ocp.symbolic_dynamics import Expression
from strut.robot import Robot
from strut.style import Style

LOW = "low_mass_m"  # height of the centre of mass in double support, a parameter
OF_PEOPLE = 0.55  # what our walks without a feeling rise, over what people's do: measured at 1.0 to 1.6 m/s
HIGHEST_IN = 0
LOWEST_IN = 3  # phases: the body is highest where the first ends, low where the last begins


def usual_rise_m(robot: Robot, speed_m_s: float) -> float:
    """Return how far the centre of mass of a walk without a feeling goes up and down at a speed."""
    return OF_PEOPLE * band_of(robot, speed_m_s, "com_rise_m")[0]


def bounce_parameters(robot: Robot, style: Style | None) -> tuple[Parameter, ...]:
    """Return the low height of the centre of mass as a parameter, where a style asks for a bounce."""
    if not bounces(style):
        return ()
    hips_m = robot.subject.standing_pelvis_height_m
    return (Parameter(LOW, 0.7 * hips_m, 1.4 * hips_m, 1.05 * hips_m),)


def bounce_constraints(
    robot: Robot, number: int, style: Style | None, speed_m_s: float | None
) -> tuple[Constraint, ...]:
    """Return the constraint of a phase, counted from 0, that makes the body low or at least so much higher."""
    if style is None or not bounces(style) or number not in (HIGHEST_IN, LOWEST_IN):
        return ()
    pace_m_s = human_gait(robot).speed_m_s.usual if speed_m_s is None else speed_m_s
    rise_m = style.bounce * usual_rise_m(robot, pace_m_s)

    def above(node: NodeSymbols) -> Expression:
        return node.positions.centre_of_mass()[2] - node.parameter[LOW]

    if number == LOWEST_IN:
        return (Constraint("low centre of mass", above, 0.0, 0.0, "first", scale=0.1, unit="m"),)
    return (Constraint("rise of the centre of mass", above, rise_m, np.inf, "last", scale=0.1, unit="m"),)


def bounces(style: Style | None) -> bool:
    """Return whether a style asks for more rise than without a feeling."""
    return style is not None and style.bounce > 1.0
