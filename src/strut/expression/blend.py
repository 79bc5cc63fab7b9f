"""Blend: the style of any emotion on any body, between the emotions for which the body's words are published.

Every anchor is a direction from neutral in pleasure-arousal-dominance space. The direction of an emotion decides the
mix (inverse squared angles to the anchors), its distance from neutral the strength. The map is continuous, exact
at the anchors, neutral at the origin, and linear along every ray: half way to happy is happy at half intensity. Words
on an axis are linear in pleasure, arousal and dominance. A blend stops at the ends of a word's range.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.errors import BadTableError
from strut.robot import Robot
from strut.schemas.expression import PACE, ExpressionTable
from strut.style import STYLE_PARAMETERS, Style

SLOWEST_TEMPO = 0.4  # below this the stride shrinks instead: a feeling that stops the robot marches on the spot


def anchor_weights(robot: Robot, emotion: Emotion, intensity: float = 1.0) -> dict[str, float]:
    """Return how much of each of the robot's anchors an emotion at an intensity shows.

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
    angle = np.arctan2(cross, anchors @ point)  # arccos would lose half the digits near an anchor
    near = angle < 1e-7
    share = near.astype(float) if near.any() else angle**-2.0
    share /= share.sum()
    scale = intensity * strength / float(share @ lengths)
    return {name: float(scale * weight) for name, weight in zip(names, share, strict=True)}


def style_for(robot: Robot, emotion: Emotion, intensity: float = 1.0) -> Style:
    """Return what an emotion at an intensity does to a body; neutral if it is no feeling at all.

    Raises:
        BadTableError: If the robot's expression.toml says nothing of any feeling.

    Example:
        >>> strut.style_for(strut.load_robot("mrpete"), strut.named_emotion("sad"), 0.5).tempo
    """
    table = robot.expression
    strength = checked_intensity(intensity)
    if strength == 0.0 or not any(emotion.pad):
        return table.neutral_style()
    if not (table.anchor or table.axis):
        raise BadTableError(f"{robot.name} has no anchor and no axis in an expression.toml, so it can show no feeling.")
    weights = anchor_weights(robot, emotion, strength)
    changed = _changes(table, emotion, strength, weights)
    values = {word: _kept(table, word, table.neutral_value(word) + changed(word)) for word in STYLE_PARAMETERS}
    speed, step_time = (1.0 + changed(word) for word in PACE)
    if table.pace.least_speed is not None:
        speed = max(speed, table.pace.least_speed)
    tempo = max(abs(speed) ** table.pace.tempo_share, SLOWEST_TEMPO) / max(step_time, table.pace.shortest_step)
    return Style(
        **values | {"tempo": values["tempo"] * tempo, "stride": values["stride"] * abs(speed) / tempo},
        direction=int(math.copysign(1, speed)),
        postures=_postures(table, weights),
    )


def _changes(
    table: ExpressionTable, emotion: Emotion, strength: float, weights: dict[str, float]
) -> Callable[[str], float]:
    """Return by how much a feeling changes a word, as a function of the word."""

    def changed(word: str) -> float:
        neutral = 1.0 if word in PACE else table.neutral_value(word)
        change = 0.0
        for name, weight in weights.items():
            value = getattr(table.anchor[name], word)
            change += 0.0 if value is None else weight * (value - neutral)
        if axes := table.axis.get(word):
            slopes = (axes.pleasure, axes.arousal, axes.dominance)
            change += strength * sum(slope * axis for slope, axis in zip(slopes, emotion.pad, strict=True))
        return float(change)

    return changed


def _postures(table: ExpressionTable, weights: dict[str, float]) -> tuple[tuple[str, float], ...]:
    """Return the key poses of all anchors, each with how much of it is shown."""
    poses: dict[str, float] = {}
    for name, weight in weights.items():
        for pose, much in table.anchor[name].postures.items():
            poses[pose] = poses.get(pose, 0.0) + weight * much
    return tuple((pose, weight) for pose, weight in poses.items() if weight != 0.0)


def _kept(table: ExpressionTable, word: str, value: float) -> float:
    """Return a value within the range of the word and that of its mapping to the body."""
    mapping, (least, most) = table.mapping(word), (STYLE_PARAMETERS[word].min, STYLE_PARAMETERS[word].max)
    if mapping is not None:
        least, most = (old if own is None else own for own, old in ((mapping.least, least), (mapping.most, most)))
    return min(max(value, least), most)
