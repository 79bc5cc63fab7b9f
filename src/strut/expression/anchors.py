"""Anchors: emotions for which a robot has a published style, and the continuous blend between them.

Every anchor is a direction from neutral in pleasure-arousal-dominance space. The direction of an emotion decides the
mix (inverse squared angles to the anchors), its distance from neutral the strength. The map is continuous, exact
at the anchors, neutral at the origin, and linear along every ray: half way to happy is happy at half intensity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from strut.emotion import Emotion, named_emotion
from strut.robot import Robot
from strut.style import Style

SLOWEST_TEMPO = 0.4  # below this the stride shrinks instead: a feeling that stops the robot marches on the spot


def anchor_weights(robot: Robot, emotion: Emotion, intensity: float) -> dict[str, float]:
    """Return how much of each of the robot's anchors an emotion at an intensity shows."""
    names = tuple(robot.table("expression")["anchor"])
    anchors = np.array([named_emotion(name).pad for name in names])
    point = np.array(emotion.pad)
    strength = float(np.linalg.norm(point))
    if strength == 0.0 or intensity == 0.0:
        return dict.fromkeys(names, 0.0)
    lengths = np.linalg.norm(anchors, axis=1)
    cross = np.linalg.norm(np.cross(anchors, point), axis=1)
    angle = np.arctan2(cross, anchors @ point)  # arccos would lose half the digits near an anchor
    near = angle < 1e-7
    share = near.astype(float) if near.any() else angle**-2.0
    share /= share.sum()
    scale = intensity * strength / float(share @ lengths)
    return {name: float(scale * weight) for name, weight in zip(names, share, strict=True)}


def style_for(robot: Robot, emotion: Emotion, intensity: float) -> Style:
    """Return what an emotion at an intensity does to the robot."""
    weights = anchor_weights(robot, emotion, intensity)
    anchors: Mapping[str, Any] = robot.table("expression")["anchor"]
    speed = 1.0 + sum(weight * (anchors[name]["speed"] - 1.0) for name, weight in weights.items())
    longer_m = sum(weight * anchors[name]["step_length_m"] for name, weight in weights.items())
    tempo = max(abs(speed), SLOWEST_TEMPO)
    stride = (1.0 + longer_m / robot.table("gait")["step_length_m"]) * abs(speed) / tempo
    return Style(
        tempo=tempo,
        direction=int(math.copysign(1, speed)),
        stride=max(stride, 0.0),
        postures=tuple((name, weight) for name, weight in weights.items() if weight != 0.0),
    )
