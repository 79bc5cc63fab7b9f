"""Body swing: the posture of a style over time, between a still and an active posture of the robot's folder."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from strut.arrays import Array
from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import UnknownNameError
from strut.expression.secondary_motion import joint_offsets_of_style, secondary_motion_in_place
from strut.robot import Robot
from strut.schemas.expression import ShakeTerm
from strut.style import Style


def posture_over_time(robot: Robot, style: Style, time_s: Array, *, clamped: bool = True) -> Array:
    """Return the posture of a style.

    Args:
        robot: The robot; its `expression.toml` names the postures. Other joints stay at zero, or in the middle of
            their range if that excludes zero.
        style: The style. Activity and jerkiness are used; with a mapping of breath also parameters that joints follow.
        time_s: Shape (T,).
        clamped: Whether to clip the joints to their ranges, which some published postures leave.

    Returns:
        Joint angles. Shape (T, n_joints).
    """
    still, active, swing = _postures(robot)
    rate_rad_s = _frequency_rad_s(robot, style)
    phase = rate_rad_s * time_s + style.jerkiness * _shake(robot, time_s)
    moving = active + swing * np.sin(phase)[:, None]
    angles = (1.0 - style.activity) * still + style.activity * moving
    if robot.expression.mapping("breath") is not None:
        unit_s = math.sqrt(_height_m(robot) / GRAVITY_M_S2)
        secondary = secondary_motion_in_place(robot, style, time_s, rate_rad_s * time_s / np.pi, unit_s)
        angles = angles + joint_offsets_of_style(robot, style) + secondary.joint_offsets(robot)
    return np.asarray(np.clip(angles, robot.joint_lower_rad, robot.joint_upper_rad) if clamped else angles)


def side_bands_hz(robot: Robot, style: Style) -> tuple[float, ...]:
    """Return the frequencies of the swing of a style, with two side bands on either side if it is jerky."""
    swing_hz = _frequency_rad_s(robot, style) / (2.0 * np.pi)
    if style.jerkiness == 0.0 or style.activity == 0.0:
        return (swing_hz,)
    shakes_hz = [term.frequency_rad_s / (2.0 * np.pi) for term in _terms(robot)]
    bands = [abs(swing_hz + order * shake) for shake in shakes_hz for order in (-2, -1, 1, 2)]
    return (swing_hz, *sorted(bands))


def _postures(robot: Robot) -> tuple[Array, Array, Array]:
    """Return the still posture, the active one and the swing about it. Shape (n_joints,) each."""
    middle = (robot.joint_lower_rad + robot.joint_upper_rad) / 2.0
    rest = np.where((robot.joint_lower_rad <= 0.0) & (robot.joint_upper_rad >= 0.0), 0.0, middle)
    still = rest.copy()
    active = rest.copy()
    swing = np.zeros_like(rest)
    for joint, entry in robot.expression.swings.items():
        if joint not in robot.joint_names:
            raise UnknownNameError("joint", joint, robot.joint_names, f"`strut robots {robot.name}`")
        index = robot.joint_names.index(joint)
        still[index] = entry.still_rad
        active[index] = entry.active_rad
        swing[index] = entry.swing_rad
    return still, active, swing


def _shake(robot: Robot, time_s: Array) -> Array:
    """Return the disturbance of the phase at full jerkiness. Shape (T,) in and out."""
    shake = np.zeros_like(time_s)
    for term in _terms(robot):
        angle = term.frequency_rad_s * time_s
        shake += term.sine_rad * np.sin(angle) + term.cosine_rad * np.cos(angle)
    return shake


@lru_cache(maxsize=16)
def _height_m(robot: Robot) -> float:
    """Return the height of the centre of mass while every coordinate is zero."""
    return float(centre_of_mass_path(robot.model, np.zeros((1, robot.model.nq)))[0, 2])


def _frequency_rad_s(robot: Robot, style: Style) -> float:
    table = robot.expression
    activity = table.parameter.activity
    tempo = 1.0 if table.mapping("tempo") is None else style.tempo
    return 0.0 if activity is None else tempo * activity.frequency_rad_s


def _terms(robot: Robot) -> tuple[ShakeTerm, ...]:
    jerkiness = robot.expression.parameter.jerkiness
    return jerkiness.terms if jerkiness is not None else ()
