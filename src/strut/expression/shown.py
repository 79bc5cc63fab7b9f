"""Shown: which words of a feeling a body has a part for, and how much of each a motion shows."""

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
    """Return the words that a verdict is about: those of the body's `main` that the feeling changes visibly.

    Example:
        >>> strut.main_words(strut.load_robot("heiman"), strut.named_emotion("sad"))
    """
    return _judged(robot, style_for(robot, emotion, intensity))


def expressed_shares(
    robot: Robot, asked: Style, shown: Style, *, reads: Collection[str] | None = None
) -> dict[str, float]:
    """Return how much of each main word's change is shown, from 0 to 1; 0 where the body has no part for the word.

    Args:
        robot: Whose expression.toml says what is neutral, what the main words are and which parts there are.
        asked: What the feeling asks for.
        shown: The same with what a motion keeps or was measured to show.
        reads: The words that whoever made the motion does something with; every word if None.

    Example:
        >>> robot, sad = strut.load_robot("heiman"), strut.named_emotion("sad")
        >>> strut.shown_shares(robot, strut.style_for(robot, sad), strut.style_for(robot, sad, 0.5))
    """
    neutral = robot.expression.neutral_style()
    shares = {}
    for word in _judged(robot, asked):
        goal, reached = (_value(style, word) - _value(neutral, word) for style in (asked, shown))
        if word == "postures":
            goal = _along(asked, asked)
            reached = _along(asked, shown)
        shares[word] = float(np.clip(reached / goal, 0.0, 1.0)) if _has_part(robot, word, reads) else 0.0
    return shares


def not_expressed(
    robot: Robot, style: Style, replaced: Mapping[str, str] | None = None, *, reads: Collection[str] | None = None
) -> tuple[str, ...]:
    """Return which words of a style are not shown at all, as sentences for the receipt.

    Args:
        robot: Who shows it.
        style: What the feeling asks for.
        replaced: Words that something else decides, each with the reason: {"tempo": "the fastest pace was asked for"}.
        reads: As for `shown_shares`.

    Example:
        >>> robot = strut.load_robot("alice")
        >>> strut.expression.not_expressed(robot, strut.style_for(robot, strut.named_emotion("sad")))
    """
    lacking = _without_part(robot, visible_parameters(robot, style), reads)
    missing = _without_part(_with_every_layer(robot), lacking, reads)
    hidden = tuple(word for word in lacking if word not in missing)
    no_part = f"{robot.name} has no part for it"
    sentences = _told_as_lacking(style, missing, no_part)
    sentences += _told_as_lacking(style, hidden, f"{no_part} as published (--expression animated moves it)")
    neutral = robot.expression.neutral_style()
    for word, reason in (replaced or {}).items():
        if abs(_value(style, word) - _value(neutral, word)) > 1e-9:
            sentences.append(f"{_told(style, word)}, {reason}")
    return tuple(sentences)


def visible_parameters(robot: Robot, style: Style) -> tuple[str, ...]:
    """Return the words that a style changes visibly against neutral."""
    return tuple(word for word in (*STYLE_PARAMETERS, "direction", "postures") if _visible(robot, style, word))


def _judged(robot: Robot, asked: Style) -> tuple[str, ...]:
    words = robot.expression.main or ("speed", *(word for word in STYLE_PARAMETERS if word not in _WALKING), "postures")
    return tuple(word for word in words if _visible(robot, asked, word))


def _visible(robot: Robot, style: Style, word: str) -> bool:
    """Return whether a word's change against neutral is one that people see."""
    if word in ("direction", "postures"):
        return style.direction < 0 if word == "direction" else _along(style, style) >= VISIBLE_POSE**2
    least = STYLE_PARAMETERS["tempo" if word == "speed" else word].visible
    return abs(_value(style, word) - _value(robot.expression.neutral_style(), word)) >= least


def _has_part(robot: Robot, word: str, reads: Collection[str] | None) -> bool:
    words = _WALKING if word == "speed" else (word,)
    return any(robot.expression.mapping(one) is not None and (reads is None or one in reads) for one in words)


def _without_part(robot: Robot, words: Collection[str], reads: Collection[str] | None) -> tuple[str, ...]:
    return tuple(word for word in words if not _has_part(robot, word, reads))


def _with_every_layer(robot: Robot) -> Robot:
    return robot.expressing("animated") if robot.expression.animated else robot


def _value(style: Style, word: str) -> float:
    return 0.0 if word == "postures" else float(getattr(style, word))


def _along(asked: Style, shown: Style) -> float:
    """Return how far the postures of one style go along those of another."""
    weights = dict(shown.postures)
    return sum(weight * weights.get(name, 0.0) for name, weight in asked.postures)


def _told_as_lacking(style: Style, words: Collection[str], reason: str) -> list[str]:
    """Return a sentence about words that are not shown, if there are some, and why."""
    told = " and ".join(_told(style, word) for word in words)
    return [f"{told}, {reason}"] if words else []


def _told(style: Style, word: str) -> str:
    """Return a word and its value as people say them."""
    if word in ("direction", "postures"):
        return "walking backwards" if word == "direction" else f"postures {', '.join(dict(style.postures))}"
    value = _value(style, word)
    if STYLE_PARAMETERS[word].unit != "rad":
        return f"{parameter_label(word)} {value:.2f}"
    way = (" forwards" if value > 0.0 else " back") if "pitch" in word else ""
    return f"{parameter_label(word)} {abs(math.degrees(value)):.0f} degrees{way}"
