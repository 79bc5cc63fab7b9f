"""Score file: keyframes of emotion, intensity, speed and turn over time, in seconds or in beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from strut.emotion import MAX_INTENSITY, Emotion, named_emotion
from strut.errors import OutOfRangeError, UnknownNameError
from strut.schemas.fields import NotNegative, Positive, Table, Text, Vector
from strut.schemas.toml_file import WrongFieldError

LONGEST_S = 600.0

Intensity = Annotated[float, msgspec.Meta(ge=0.0, le=MAX_INTENSITY)]
BeatsPerMinute = Annotated[float, msgspec.Meta(ge=20.0, le=400.0)]


@dataclass(frozen=True, slots=True)
class TimeFault:
    """A time of a score that does not fit the others.

    Args:
        keyframe: Index of the keyframe; None for the end of the score.
        field: `at` or `ease`; `end` without a keyframe.
        reason: The end of a sentence about it.
    """

    keyframe: int | None
    field: str
    reason: str


def time_fault(at: Sequence[float], ease: Sequence[float | None], end: float, longest: float) -> TimeFault | None:
    """Return the first time that does not fit; None if all do. Times are in seconds, or all in beats.

    Args:
        at: When each keyframe begins.
        ease: How long each takes over; None for the usual duration.
        end: When the score ends.
        longest: Longest score.
    """
    if not math.isfinite(end) or end > longest:
        return TimeFault(None, "end", f"is {end:g}; a score ends at {longest:g} at the latest.")
    for index, (begin, duration) in enumerate(zip(at, ease, strict=True)):
        if index == 0 and begin != 0.0:
            return TimeFault(0, "at", f"is {begin:g}; the first keyframe begins at 0.")
        if index and not begin > at[index - 1]:  # also catches NaN
            return TimeFault(index, "at", f"is {begin:g}; it must be later than {at[index - 1]:g}, the one before.")
        following = at[index + 1] if index + 1 < len(at) else end
        if index + 1 == len(at) and not end > begin:
            return TimeFault(None, "end", f"is {end:g}; it must be later than {begin:g}, the last keyframe.")
        if duration is not None and following > begin and not 0.0 < duration <= following - begin:
            room = following - begin
            return TimeFault(index, "ease", f"is {duration:g}; it must be above 0 and at most {room:g}, its section.")
    return None


class KeyframeTable(Table, frozen=True):
    """From when on the walk shows which emotion, and how.

    Args:
        at: When it begins to take over.
        emotion: Name of the emotion; or
        pad: its pleasure, arousal and dominance.
        intensity: 0 is neutral, 1 as published.
        speed_m_s: Ahead in neutral, backwards if negative; the robot's own if left out.
        turn_deg_s: To the left, per second.
        ease: How long it takes over.
    """

    at: NotNegative
    emotion: Text | None = None
    pad: Vector | None = None
    intensity: Intensity = 1.0
    speed_m_s: float | None = None
    turn_deg_s: float = 0.0
    ease: Positive | None = None

    def __post_init__(self) -> None:
        if (self.emotion is None) == (self.pad is None):
            raise WrongFieldError(("emotion",), "or pad is needed, and not both.")
        for field in ("speed_m_s", "turn_deg_s"):
            if not math.isfinite(getattr(self, field) or 0.0):
                raise WrongFieldError((field,), "must be a finite number.")
        try:
            _ = self.shown_emotion
        except (UnknownNameError, OutOfRangeError) as error:
            field = "pad" if self.emotion is None else "emotion"
            raise WrongFieldError((field,), f"does not fit: {error}") from error

    @property
    def shown_emotion(self) -> Emotion:
        """The emotion, by its name or coordinates."""
        return named_emotion(self.emotion) if self.pad is None else Emotion(*self.pad)  # type: ignore[arg-type]


class ScoreTable(Table, frozen=True):
    """Keyframes of a walk.

    Args:
        keyframe: In the order of time, the first at 0.
        end: When the walk stops.
        bpm: Beats per minute; then `at`, `ease` and `end` count beats, and otherwise seconds.
    """

    keyframe: Annotated[list[KeyframeTable], msgspec.Meta(min_length=1)]
    end: Positive
    bpm: BeatsPerMinute | None = None

    def __post_init__(self) -> None:
        fault = time_fault(
            [key.at for key in self.keyframe], [key.ease for key in self.keyframe], self.end, LONGEST_S / self.beat_s
        )
        if fault is not None:
            path = () if fault.keyframe is None else ("keyframe", fault.keyframe)
            raise WrongFieldError((*path, fault.field), fault.reason)

    @property
    def beat_s(self) -> float:
        """Seconds of a beat; 1 where times are in seconds."""
        return 1.0 if self.bpm is None else 60.0 / self.bpm
