"""Bounce: the centre of mass rises further than in a neutral walk of the same speed, as constraints of the phases."""

from __future__ import annotations

import numpy as np

from strut.human.analysis.reference_bands import band_of
from strut.human.table import human_gait
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Constraint, Parameter
from strut.ocp.symbolic_dynamics import Expression
from strut.robot import Robot
from strut.style import Style

LOWEST_COM = "lowest_com_m"  # parameter: height of the centre of mass in double support
RISE_OVER_PEOPLE = 0.55  # rise of our neutral walks over that of people: measured at 1.0 to 1.6 m/s
HIGHEST_PHASE = 0  # the centre of mass is highest at the end of this phase
LOWEST_PHASE = 3  # and lowest at the beginning of this one


def usual_rise_m(robot: Robot, speed_m_s: float) -> float:
    """Return how far the centre of mass of a neutral walk rises and falls at a speed."""
    return RISE_OVER_PEOPLE * band_of(robot, speed_m_s, "com_rise_m")[0]


def bounce_parameters(robot: Robot, style: Style | None) -> tuple[Parameter, ...]:
    """Return the lowest height of the centre of mass as a parameter if the style has a bounce."""
    if not has_bounce(style):
        return ()
    hips_m = robot.subject.standing_pelvis_height_m
    return (Parameter(LOWEST_COM, 0.7 * hips_m, 1.4 * hips_m, 1.05 * hips_m),)


def bounce_constraints(
    robot: Robot, number: int, style: Style | None, speed_m_s: float | None
) -> tuple[Constraint, ...]:
    """Return the constraint of a phase: the centre of mass is lowest there, or higher by the rise of the style.

    Args:
        robot: A human model.
        number: Of the phase, counted from 0.
        style: None and styles without a bounce have no constraint.
        speed_m_s: Of the walk; the usual one if None.
    """
    if style is None or not has_bounce(style) or number not in (HIGHEST_PHASE, LOWEST_PHASE):
        return ()
    pace_m_s = human_gait(robot).speed_m_s.usual if speed_m_s is None else speed_m_s
    rise_m = style.bounce * usual_rise_m(robot, pace_m_s)

    def above(node: NodeSymbols) -> Expression:
        return node.positions.centre_of_mass()[2] - node.parameter[LOWEST_COM]

    if number == LOWEST_PHASE:
        return (Constraint("low centre of mass", above, 0.0, 0.0, "first", scale=0.1, unit="m"),)
    return (Constraint("rise of the centre of mass", above, rise_m, np.inf, "last", scale=0.1, unit="m"),)


def has_bounce(style: Style | None) -> bool:
    """Return whether the centre of mass must rise further than in a neutral walk."""
    return style is not None and style.bounce > 1.0
