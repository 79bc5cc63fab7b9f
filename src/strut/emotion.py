"""Emotion: a point in pleasure-arousal-dominance space, with a name if it has one."""

from __future__ import annotations

import math
import tomllib
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from strut.errors import OutOfRangeError, UnknownNameError
from strut.plumbing.argument_types import coerce_fields

MAX_INTENSITY = 1.5  # stronger than 1.5 times the published poses, gestures change their meaning


@dataclass(frozen=True, slots=True)
class Emotion:
    """A point in pleasure-arousal-dominance space; each axis in [-1, 1], the origin is neutral."""

    pleasure: float
    arousal: float
    dominance: float = 0.0
    name: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        coerce_fields(self)
        for axis in ("pleasure", "arousal", "dominance"):
            value = getattr(self, axis)
            if not -1.0 <= value <= 1.0:  # also catches NaN
                raise OutOfRangeError(f"{axis} is {value:g}; rescale it to [-1, 1].")
            object.__setattr__(self, axis, float(value))  # so that files have 1.0 for 1

    @property
    def pad(self) -> tuple[float, float, float]:
        """Pleasure, arousal and dominance."""
        return (self.pleasure, self.arousal, self.dominance)

    @property
    def label(self) -> str:
        """The name, or the coordinates of an emotion without one."""
        return self.name or f"({self.pleasure:g}, {self.arousal:g}, {self.dominance:g})"


def emotions() -> dict[str, dict[str, Any]]:
    """Return the table of named emotions of `emotions.toml`: coordinates, synonyms, confirmation.

    Example:
        >>> strut.emotions()["sad"]["pad"]
    """
    return deepcopy(_emotions())


@cache
def _emotions() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("strut").joinpath("emotions.toml").read_text("utf-8"))


def named_emotion(name: str) -> Emotion:
    """Return the emotion with a name or one of its synonyms ('anger' for 'angry').

    Example:
        >>> strut.named_emotion("anger").name
        'angry'
    """
    table = _emotions()
    wanted = name.strip().lower()
    for known, entry in table.items():
        if wanted == known or wanted in entry["also_called"]:
            pleasure, arousal, dominance = entry["pad"]
            return Emotion(pleasure, arousal, dominance, name=known)
    raise UnknownNameError("emotion", name, tuple(table), "`strut emotions`")


def checked_intensity(intensity: float) -> float:
    """Return `intensity` as a float; raises OutOfRangeError unless it is from 0 to 1.5."""
    if not math.isfinite(intensity) or not 0.0 <= intensity <= MAX_INTENSITY:
        raise OutOfRangeError(
            f"Intensity is {intensity:g}; choose 0 (neutral) to {MAX_INTENSITY:g} (1 is as published)."
        )
    return float(intensity)
