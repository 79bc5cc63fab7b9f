"""Expressed share: which style parameters of an emotion a body can express, and how much of each a motion expresses."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from strut.emotion import Emotion
from strut.expression.blend import style_for
from strut.robot import Robot
from strut.style import STYLE_PARAMETERS, Style, parameter_label

VISIBLE_POSE = 0.02  # smallest share of a key pose that people see
_WALKING = ("tempo", "stride")  # judged as their product, the speed


def main_parameters(robot: Robot, emotion: Emotion, intensity: float = 1.0) -> tuple[str, ...]:
    """Return the parameters that a verdict is about: those of the robot's `main` that the emotion changes visibly.

    Example:
        >>> strut.expression.main_parameters(strut.load_robot("heiman"), strut.named_emotion("sad"))
    """
    return _judged_parameters(robot, style_for(robot, emotion, intensity))


def expressed_shares(
    robot: Robot, asked: Style, kept: Style, *, reads: Collection[str] | None = None
) -> dict[str, float]:
    """Return how much of the change of each main parameter is expressed, from 0 to 1; 0 if the body has no part for it.

    Args:
        robot: Its expression.toml says what is neutral, which parameters are the main ones and which parts there are.
        asked: The style of the emotion.
        kept: The style that a motion keeps, or was measured to have.
        reads: The parameters that the generator of the motion uses; every parameter if None.

    Example:
        >>> robot, sad = strut.load_robot("heiman"), strut.named_emotion("sad")
        >>> strut.expression.expressed_shares(robot, strut.style_for(robot, sad), strut.style_for(robot, sad, 0.5))
    """
    neutral = robot.expression.neutral_style()
    shares = {}
    for name in _judged_parameters(robot, asked):
        if not _has_part(robot, name, reads):
            shares[name] = 0.0
            continue
        if name == "postures":
            goal = _posture_overlap(asked, asked)
            reached = _posture_overlap(asked, kept)
        else:
            goal = _value(asked, name) - _value(neutral, name)
            reached = _value(kept, name) - _value(neutral, name)
        shares[name] = float(np.clip(reached / goal, 0.0, 1.0))
    return shares


def not_expressed(
    robot: Robot, style: Style, replaced: Mapping[str, str] | None = None, *, reads: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return which parameters of a style are not expressed at all, as sentences for the receipt.

    Args:
        robot: The robot.
        style: The style of the emotion.
        replaced: Parameters that another option decides, with the reason:
            {"tempo": "the fastest pace was asked for"}.
        reads: As for `expressed_shares`.

    Example:
        >>> robot = strut.load_robot("alice")
        >>> strut.expression.not_expressed(robot, strut.style_for(robot, strut.named_emotion("sad")))
    """
    every_layer = robot.expressing("animated") if robot.expression.animated else robot
    lacking = [name for name in visible_parameters(robot, style) if not _has_part(robot, name, reads)]
    missing = [name for name in lacking if not _has_part(every_layer, name, reads)]
    hidden = [name for name in lacking if name not in missing]
    no_part = f"{robot.name} has no part for it"
    sentences = []
    if missing:
        sentences.append(f"{_describe(style, missing)}, {no_part}")
    if hidden:
        sentences.append(f"{_describe(style, hidden)}, {no_part} as published (--expression animated moves it)")
    neutral = robot.expression.neutral_style()
    for name, reason in (replaced or {}).items():
        if abs(_value(style, name) - _value(neutral, name)) > 1e-9:
            sentences.append(f"{_describe(style, [name])}, {reason}")
    return tuple(sentences)


def visible_parameters(robot: Robot, style: Style) -> tuple[str, ...]:
    """Return the parameters that a style changes visibly against neutral."""
    return tuple(name for name in (*STYLE_PARAMETERS, "direction", "postures") if _is_visible(robot, style, name))


def _judged_parameters(robot: Robot, asked: Style) -> tuple[str, ...]:
    every = ("speed", *(name for name in STYLE_PARAMETERS if name not in _WALKING), "postures")
    return tuple(name for name in robot.expression.main or every if _is_visible(robot, asked, name))


def _is_visible(robot: Robot, style: Style, name: str) -> bool:
    """Return whether people see the change of a parameter against neutral."""
    if name == "direction":
        return style.direction < 0
    if name == "postures":
        return _posture_overlap(style, style) >= VISIBLE_POSE**2
    min_change = STYLE_PARAMETERS["tempo" if name == "speed" else name].visible
    return abs(_value(style, name) - _value(robot.expression.neutral_style(), name)) >= min_change


def _has_part(robot: Robot, name: str, reads: Collection[str] | None) -> bool:
    names = _WALKING if name == "speed" else (name,)
    return any(robot.expression.mapping(part) is not None and (reads is None or part in reads) for part in names)


def _value(style: Style, name: str) -> float:
    return 0.0 if name == "postures" else float(getattr(style, name))


def _posture_overlap(asked: Style, kept: Style) -> float:
    """Return the dot product of the posture weights of two styles."""
    weights = dict(kept.postures)
    return sum(weight * weights.get(name, 0.0) for name, weight in asked.postures)


def _describe(style: Style, names: Collection[str]) -> str:
    """Return parameters with their values for people: `lift 1.50 and trunk pitch 12 degrees forwards`."""
    return " and ".join(_describe_one(style, name) for name in names)


def _describe_one(style: Style, name: str) -> str:
    if name == "direction":
        return "walking backwards"
    if name == "postures":
        return f"postures {', '.join(dict(style.postures))}"
    value = _value(style, name)
    label = parameter_label(name)
    if STYLE_PARAMETERS[name].unit != "rad":
        return f"{label} {value:.2f}"
    side = (" forwards" if value > 0.0 else " back") if "pitch" in name else ""
    return f"{label} {abs(math.degrees(value)):.0f} degrees{side}"
