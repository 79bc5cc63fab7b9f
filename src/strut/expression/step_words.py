"""Step words: what a feeling does to a walk of steps, in the words of a robot's published anchors."""

from __future__ import annotations

import math

from strut.emotion import Emotion
from strut.expression.anchors import SLOWEST_TEMPO, anchor_weights
from strut.robot import Robot
from strut.style import Style

LEAST_FACTOR = 0.2  # a feeling shrinks steps, lifts and sways to no less than this


def step_style(robot: Robot, emotion: Emotion, intensity: float) -> Style:
    """Return what an emotion at an intensity does to a robot that walks in steps.

    Half of a change of speed, as a factor, is pace and half step length, as people do it.
    """
    anchors = robot.table("expression")["anchor"]
    weights = anchor_weights(robot, emotion, intensity)

    def blended(word: str, neutral: float) -> float:
        return neutral + sum(weight * (float(anchors[name][word]) - neutral) for name, weight in weights.items())

    pace = math.sqrt(max(blended("speed", 1.0), SLOWEST_TEMPO**2))
    return Style(
        tempo=pace,
        stride=pace,
        lift=max(blended("lift", 1.0), LEAST_FACTOR),
        sway=max(blended("sway", 1.0), LEAST_FACTOR),
        body_height=max(blended("body_height", 1.0), LEAST_FACTOR),
        trunk_pitch_rad=math.radians(blended("trunk_deg", 0.0)),
        head_pitch_rad=math.radians(blended("head_deg", 0.0)),
    )
