"""An animation file: keyframes of a story that a body tells with its base, its feet, its joints and its eyes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

import msgspec

from strut.emotion import named_emotion
from strut.errors import UnknownNameError
from strut.schemas.eyes import Eyes
from strut.schemas.fields import NotNegative, Table, Text, Vector
from strut.schemas.toml_file import FieldPath, WrongFieldError

Interpolation = Literal["bezier", "linear"]
Mode = Literal["stand", "walk"]
Handle = Annotated[float, msgspec.Meta(gt=0.0, le=1.0)]
LONGEST_STORY_S = 600.0
SHORTEST_GAP_S = 0.04  # between two keyframes: one frame


def _check_finite(path: FieldPath, values: Sequence[float]) -> None:
    for value in values:
        if not math.isfinite(value):
            raise WrongFieldError(path, f"must be finite, not {value}.")


class FootPose(Table, frozen=True):
    """Where a foot is, against where it stands at first: shift forward, left and up, and leg direction.

    A foot that is up carries nothing. The leg direction is the heading of the leg's plane, and so of the foot.
    """

    shift_m: Vector = (0.0, 0.0, 0.0)
    direction_deg: float = 0.0


class AnimationKey(Table, frozen=True):
    """One pose of a story, and how it goes on from there.

    Args:
        time_s: When.
        base_m: Base forward and left of where it stands at first, and up: from there too, so 0 is as it stands.
        turn_deg: Roll, pitch, yaw of the base; positive pitch bends forward.
        feet: Feet that are not where they stand at first, by name.
        joints_deg: Other joints, such as arms and heads, against the posture at the start, by name.
        eyes: Expression of the eyes from here on.
        interpolation: Of the way to the next keyframe: a Bézier curve with clamped handles, or a straight line.
        leave: Length of the handle towards the next keyframe, as a share of the way: more is a slower start.
        arrive: Length of the handle towards the keyframe before: more is a softer arrival.
        mode: What is done from here to the next keyframe.
        speed_m_s: Of a walk, forward and left.
    """

    time_s: NotNegative
    base_m: Vector = (0.0, 0.0, 0.0)
    turn_deg: Vector = (0.0, 0.0, 0.0)
    feet: Mapping[str, FootPose] = {}
    joints_deg: Mapping[str, float] = {}
    eyes: Eyes = "neutral"
    interpolation: Interpolation = "bezier"
    leave: Handle = 1.0 / 3.0
    arrive: Handle = 1.0 / 3.0
    mode: Mode = "stand"
    speed_m_s: tuple[float, float] = (0.0, 0.0)

    def __post_init__(self) -> None:
        if self.mode == "stand" and self.speed_m_s != (0.0, 0.0):
            raise WrongFieldError(("speed_m_s",), 'is for a walk; write mode = "walk" or leave it out.')
        for name in ("base_m", "turn_deg", "speed_m_s"):
            _check_finite((name,), getattr(self, name))
        for foot, pose in self.feet.items():
            _check_finite(("feet", foot, "shift_m"), (*pose.shift_m, pose.direction_deg))
        for joint, angle in self.joints_deg.items():
            _check_finite(("joints_deg", joint), (angle,))


class Animation(Table, frozen=True):
    """A story in keyframes, as an animator draws it: nobody has looked yet whether a body can do it.

    Args:
        title: For people.
        emotion: What it shows; one of `strut emotions`.
        keyframe: In the order of time, the first at 0.
        robot: Who was drawn, if it matters.
        about: The story in a sentence.
        posture_deg: How the body stands at first, by joint; as its folder says if empty.
    """

    title: Text
    emotion: Text
    keyframe: tuple[AnimationKey, ...]
    robot: Text | None = None
    about: str = ""
    posture_deg: Mapping[str, float] = {}

    def __post_init__(self) -> None:
        try:
            named_emotion(self.emotion)
        except UnknownNameError as error:
            raise WrongFieldError(("emotion",), f"is unknown: {error}") from error
        if len(self.keyframe) < 2:
            raise WrongFieldError(("keyframe",), f"needs at least 2, it has {len(self.keyframe)}.")
        before_s = -SHORTEST_GAP_S
        for number, frame in enumerate(self.keyframe):
            self._check_time(number, frame.time_s, before_s)
            before_s = frame.time_s
        if self.keyframe[-1].mode == "walk":
            raise WrongFieldError(("keyframe", len(self.keyframe) - 1, "mode"), "a story ends standing; end it so.")

    def _check_time(self, number: int, time_s: float, before_s: float) -> None:
        place = ("keyframe", number, "time_s")
        if number == 0 and time_s != 0.0:
            raise WrongFieldError(place, f"is {time_s:g} s; the first keyframe is at 0.")
        if time_s > LONGEST_STORY_S:
            raise WrongFieldError(place, f"is {time_s:g} s; a story lasts {LONGEST_STORY_S:g} s at most.")
        if time_s - before_s < SHORTEST_GAP_S - 1e-9:
            raise WrongFieldError(
                place,
                f"keyframe {number + 1} is at {time_s:g} s, not {SHORTEST_GAP_S:g} s or more after keyframe {number} "
                f"at {before_s:g} s; put keyframes in order.",
            )

    @property
    def duration_s(self) -> float:
        """How long it lasts as drawn."""
        return self.keyframe[-1].time_s

    @property
    def walks(self) -> bool:
        """Whether it walks anywhere."""
        return any(frame.mode == "walk" for frame in self.keyframe)
