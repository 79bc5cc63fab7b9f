"""Score: the emotions of one walk over time, as keyframes with eased transitions."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from strut.arrays import Array
from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.errors import FileError, OutOfRangeError, ScoreError
from strut.maths.easing import smooth_step
from strut.plumbing.argument_types import coerce_fields
from strut.plumbing.regular_file import check_regular
from strut.schemas.score import LONGEST_S, ScoreTable, time_fault
from strut.schemas.toml_file import TomlFile

USUAL_EASE_S = 1.0  # of a transition
SECTION_S = 4.0  # of an emotion in a text that does not say how long
_ENTRY = re.compile(r"\s*(?P<emotion>[^\d,]*?[^\d,\s])\s*(?:\s(?P<seconds>\d+\.?\d*|\.\d+)\s*s?)?\s*")
_SECONDS = re.compile(r"\s\d*\.?\d+\s*s?\s*$")


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """From when on a walk shows which emotion, and how.

    Args:
        at_s: When it begins to take over, on the clock of the motion.
        emotion: The emotion.
        intensity: 0 is neutral, 1 as published.
        speed_m_s: Ahead in neutral, backwards if negative; that of the walk if None.
        turn_rad_s: To the left.
        ease_s: How long it takes over; what is usual for the gait if None, and at most half of its section.
    """

    at_s: float
    emotion: Emotion
    intensity: float = 1.0
    speed_m_s: float | None = None
    turn_rad_s: float = 0.0
    ease_s: float | None = None

    def __post_init__(self) -> None:
        coerce_fields(self)
        checked_intensity(self.intensity)


@dataclass(frozen=True, slots=True)
class Score:
    """The emotions of one walk over time, from standing to standing.

    Args:
        keyframes: In the order of time, the first at 0.
        duration_s: When the walk stops; it ends with the gait cycle that is nearest.
    """

    keyframes: tuple[ScoreKey, ...]
    duration_s: float

    def __post_init__(self) -> None:
        coerce_fields(self)
        object.__setattr__(self, "keyframes", tuple(self.keyframes))
        if not self.keyframes:
            raise OutOfRangeError("A score needs at least one keyframe.")
        at_s = [key.at_s for key in self.keyframes]
        fault = time_fault(at_s, [key.ease_s for key in self.keyframes], self.duration_s, LONGEST_S)
        if fault is not None:
            which = "end" if fault.keyframe is None else f"{fault.field} of keyframe {fault.keyframe + 1}"
            raise OutOfRangeError(f"The {which} of a score {fault.reason}")

    @classmethod
    def read(cls, path: Path | str) -> Self:
        """Read a score file; raises ScoreError with line and field.

        Example:
            >>> strut.Score.read("dance.toml").duration_s
        """
        try:
            check_regular(Path(path))
            text = Path(path).read_text("utf-8")
        except UnicodeDecodeError as error:
            raise ScoreError(str(path), "", f"is not UTF-8 text: {error.reason}.") from error
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror}.") from error
        table = TomlFile(text, str(path), ScoreError).decode(ScoreTable)
        beat_s = table.beat_s
        keyframes = tuple(
            ScoreKey(
                at_s=key.at * beat_s,
                emotion=key.shown_emotion,
                intensity=key.intensity,
                speed_m_s=key.speed_m_s,
                turn_rad_s=math.radians(key.turn_deg_s),
                ease_s=None if key.ease is None else key.ease * beat_s,
            )
            for key in table.keyframe
        )
        return cls(keyframes, table.end * beat_s)

    @classmethod
    def of_sections(cls, sections: Sequence[tuple[str | Emotion, float]]) -> Self:
        """Return the score of emotions one after the other, each with its duration in seconds.

        Example:
            >>> strut.Score.of_sections([("neutral", 3.0), ("happy", 4.0)]).duration_s
            7.0
        """
        keyframes = list[ScoreKey]()
        begin_s = 0.0
        for emotion, seconds in sections:
            if not seconds > 0.0:  # also catches NaN
                raise OutOfRangeError(f"A section of a score lasts {seconds:g} s; it must last more than 0 s.")
            keyframes.append(ScoreKey(begin_s, named_emotion(emotion) if isinstance(emotion, str) else emotion))
            begin_s += seconds
        return cls(tuple(keyframes), begin_s)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Return the score of a text such as `neutral 3s, happy 4s, sad`; without seconds, an emotion lasts 4 s."""
        sections = list[tuple[str | Emotion, float]]()
        for entry in text.split(","):
            match = _ENTRY.fullmatch(entry)
            if match is None:
                example = "neutral 3s, happy 4s, sad"
                raise OutOfRangeError(f"'{entry.strip()}' is no section of a score; write for instance '{example}'.")
            seconds = match["seconds"]
            sections.append((match["emotion"], SECTION_S if seconds is None else float(seconds)))
        return cls.of_sections(sections)

    @property
    def ends_s(self) -> tuple[float, ...]:
        """When the section of each keyframe ends."""
        return (*(key.at_s for key in self.keyframes[1:]), self.duration_s)

    def eased(self, usual_s: float) -> Self:
        """Return the score with a usual duration of the transitions that have none, at most half of their section."""
        keys = zip(self.keyframes, self.ends_s, strict=True)
        eased = [
            replace(key, ease_s=min(usual_s, (end_s - key.at_s) / 2.0)) if key.ease_s is None else key
            for key, end_s in keys
        ]
        return replace(self, keyframes=tuple(eased))

    def weights_at(self, time_s: Array) -> Array:
        """Return the weight of each keyframe; they add up to 1. Shapes (T,) in, (T, n) out."""
        taken_over = np.zeros((len(time_s), len(self.keyframes) + 1))
        taken_over[:, 0] = 1.0
        for index, key in enumerate(self.eased(USUAL_EASE_S).keyframes):
            if index and key.ease_s is not None:
                taken_over[:, index] = smooth_step((time_s - key.at_s) / key.ease_s)
        return np.asarray(taken_over[:, :-1] - taken_over[:, 1:])

    @property
    def label(self) -> str:
        """The emotions in their order, for people: `neutral, happy, sad`."""
        return ", ".join(key.emotion.label for key in self.keyframes)


def is_score_text(text: str) -> bool:
    """Return whether a text names several emotions or how long one lasts, and not one emotion alone."""
    return "," in text or _SECONDS.search(text) is not None


def as_score(score: Score | Path | str | Sequence[tuple[str | Emotion, float]]) -> Score:
    """Return a score from itself, from a file, from a text such as `neutral 3s, happy 4s`, or from its sections."""
    if isinstance(score, Score):
        return score
    if isinstance(score, Path) or (isinstance(score, str) and score.endswith(".toml")):
        return Score.read(score)
    return Score.from_text(score) if isinstance(score, str) else Score.of_sections(score)
