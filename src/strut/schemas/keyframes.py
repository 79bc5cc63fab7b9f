"""Animation file: keyframes of base, feet, joints and eyes."""

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
MAX_DURATION_S = 600.0
MIN_GAP_S = 0.04  # between two keyframes: one frame


def _check_finite(path: FieldPath, values: Sequence[float]) -> None:
    for value in values:
        if not math.isfinite(value):
            raise WrongFieldError(path, f"must be finite, not {value}.")


class FootPose(Table, frozen=True):
    """A foot relative to its first stance: shift forward, left and up, and leg direction.

    A foot above the ground carries no load. The leg direction is the heading of the plane of the leg and of the foot.

    Args:
        shift_m: Forward, left and up.
        direction_deg: Heading of the leg and the foot.
    """

    shift_m: Vector = (0.0, 0.0, 0.0)
    direction_deg: float = 0.0


class AnimationKey(Table, frozen=True):
    """One pose, and the interpolation to the next.

    Args:
        time_s: Since the start.
        base_m: Base relative to its first stance: forward, left and up.
        turn_deg: Roll, pitch, yaw of the base; positive pitch bends forward.
        feet: Feet that are not at their first stance, by name.
        joints_deg: Other joints, such as arms and heads, relative to the first posture, by name.
        eyes: Expression of the eyes from this keyframe on.
        interpolation: To the next keyframe: a Bézier curve with clamped handles, or a straight line.
        leave: Length of the handle towards the next keyframe, as a share of the distance: more is a slower start.
        arrive: Length of the handle towards the previous keyframe: more is a softer arrival.
        mode: Whether the robot stands or walks until the next keyframe.
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
    """A keyframe animation, as an animator makes it; not checked against the limits of a robot.

    Args:
        title: For people.
        emotion: The emotion that it expresses; one of `strut emotions`.
        keyframe: In order of time, the first at 0.
        robot: The robot that it is made for, if any.
        about: Its content in a sentence.
        posture_deg: First posture by joint; that of the robot's folder if empty.
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
        before_s = -MIN_GAP_S
        for number, frame in enumerate(self.keyframe):
            self._check_time(number, frame.time_s, before_s)
            before_s = frame.time_s
        if self.keyframe[-1].mode == "walk":
            raise WrongFieldError(
                ("keyframe", len(self.keyframe) - 1, "mode"), "an animation ends standing; add a keyframe that stands."
            )

    def _check_time(self, number: int, time_s: float, before_s: float) -> None:
        path = ("keyframe", number, "time_s")
        if number == 0 and time_s != 0.0:
            raise WrongFieldError(path, f"is {time_s:g} s; the first keyframe is at 0.")
        if time_s > MAX_DURATION_S:
            raise WrongFieldError(path, f"is {time_s:g} s; an animation lasts at most {MAX_DURATION_S:g} s.")
        if time_s - before_s < MIN_GAP_S - 1e-9:
            raise WrongFieldError(
                path,
                f"keyframe {number + 1} is at {time_s:g} s, not {MIN_GAP_S:g} s or more after keyframe {number} "
                f"at {before_s:g} s; put keyframes in order.",
            )

    @property
    def duration_s(self) -> float:
        """Time of the last keyframe."""
        return self.keyframe[-1].time_s

    @property
    def walks(self) -> bool:
        """Whether it walks between any keyframes."""
        return any(frame.mode == "walk" for frame in self.keyframe)
