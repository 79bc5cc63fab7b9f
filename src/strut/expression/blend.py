"""Blend: the style of any emotion on any body, interpolated between emotions with published style parameters.

Each anchor is a direction from neutral in pleasure-arousal-dominance space. The direction of an emotion determines the
weights of the anchors (inverse squared angles), its distance from neutral the strength. The map is continuous, exact at
the anchors, neutral at the origin and linear along every ray: half way to happy is happy at half intensity. Parameters
on an axis are linear in pleasure, arousal and dominance. Values are clipped to the range of their parameter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.errors import BadTableError
from strut.robot import Robot
from strut.schemas.expression import PACE, ExpressionTable
from strut.style import STYLE_PARAMETERS, Style

MIN_TEMPO = 0.4  # below, the stride gets shorter instead, so that a robot that stops marches on the spot


def anchor_weights(robot: Robot, emotion: Emotion, intensity: float = 1.0) -> dict[str, float]:
    """Return the weight of each anchor of a robot for an emotion at an intensity.

    Example:
        >>> strut.expression.anchor_weights(strut.load_robot("mrpete"), strut.named_emotion("sad"))["sad"]
        1.0
    """
    names = tuple(robot.expression.anchor)
    point = np.array(emotion.pad)
    strength = float(np.linalg.norm(point))
    if strength == 0.0 or intensity == 0.0 or not names:
        return dict.fromkeys(names, 0.0)
    anchors = np.array([named_emotion(name).pad for name in names])
    lengths = np.linalg.norm(anchors, axis=1)
    cross = np.linalg.norm(np.cross(anchors, point), axis=1)
    angle = np.arctan2(cross, anchors @ point)  # arccos loses half of the digits near an anchor
    at_anchor = angle < 1e-7
    share = at_anchor.astype(float) if at_anchor.any() else angle**-2.0
    share /= share.sum()
    scale = intensity * strength / float(share @ lengths)
    return {name: float(scale * weight) for name, weight in zip(names, share, strict=True)}


def style_for(robot: Robot, emotion: Emotion, intensity: float = 1.0) -> Style:
    """Return the style of a robot for an emotion at an intensity; the neutral style at the origin.

    Raises:
        BadTableError: If the robot's expression.toml has neither anchors nor axes.

    Example:
        >>> strut.style_for(strut.load_robot("mrpete"), strut.named_emotion("sad"), 0.5).tempo
    """
    table = robot.expression
    strength = checked_intensity(intensity)
    if strength == 0.0 or not any(emotion.pad):
        return table.neutral_style()
    if not (table.anchor or table.axis):
        raise BadTableError(f"{robot.name} cannot express emotions: its expression.toml has no anchor and no axis.")
    weights = anchor_weights(robot, emotion, strength)
    change = partial(_change, table, emotion, strength, weights)
    values = {name: _clip(table, name, table.neutral_value(name) + change(name)) for name in STYLE_PARAMETERS}
    speed, step_time = (1.0 + change(name) for name in PACE)
    if table.pace.min_speed is not None:
        speed = max(speed, table.pace.min_speed)
    tempo = max(abs(speed) ** table.pace.tempo_share, MIN_TEMPO) / max(step_time, table.pace.shortest_step)
    return Style(
        **values | {"tempo": values["tempo"] * tempo, "stride": values["stride"] * abs(speed) / tempo},
        direction=int(math.copysign(1, speed)),
        postures=_postures(table, weights),
    )


def _change(
    table: ExpressionTable, emotion: Emotion, strength: float, weights: Mapping[str, float], name: str
) -> float:
    """Return the change of a style parameter from neutral."""
    neutral = 1.0 if name in PACE else table.neutral_value(name)
    change = 0.0
    for anchor, weight in weights.items():
        value = getattr(table.anchor[anchor], name)
        change += 0.0 if value is None else weight * (value - neutral)
    if axes := table.axis.get(name):
        slopes = (axes.pleasure, axes.arousal, axes.dominance)
        change += strength * sum(slope * axis for slope, axis in zip(slopes, emotion.pad, strict=True))
    return float(change)


def _postures(table: ExpressionTable, weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Return the key poses of all anchors with their weights."""
    poses: dict[str, float] = {}
    for name, weight in weights.items():
        for pose, share in table.anchor[name].postures.items():
            poses[pose] = poses.get(pose, 0.0) + weight * share
    return tuple((pose, weight) for pose, weight in poses.items() if weight != 0.0)


def _clip(table: ExpressionTable, name: str, value: float) -> float:
    """Return a value clipped to the range of its style parameter and to that of its mapping to the body."""
    lower = STYLE_PARAMETERS[name].min
    upper = STYLE_PARAMETERS[name].max
    mapping = table.mapping(name)
    if mapping is not None:
        lower = lower if mapping.min is None else mapping.min
        upper = upper if mapping.max is None else mapping.max
    return min(max(value, lower), upper)
