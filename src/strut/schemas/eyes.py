"""eyes.toml: positions and colours of a robot's eyes; and the lids and the gaze of each expression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from strut.schemas.fields import Color, Positive, Table, Text, Vector

Eyes = Literal["neutral", "happy", "sad", "angry", "wide", "half", "closed", "left", "right", "up", "down"]
EYES: tuple[Eyes, ...] = get_args(Eyes)


class EyeLook(NamedTuple):
    """An expression of a pair of eyes, in degrees.

    Args:
        upper: Elevation of the upper lid's edge: 90 is open, 0 covers the upper half.
        lower: Elevation of the lower lid's edge: -90 is open.
        tilt: Of the lids; positive lowers them on the side of the nose.
        left: Gaze to the left of the robot.
        up: Gaze upwards.
    """

    upper: float
    lower: float = -70.0
    tilt: float = 0.0
    left: float = 0.0
    up: float = 0.0


LOOKS: Mapping[Eyes, EyeLook] = {
    "neutral": EyeLook(upper=46.0),
    "happy": EyeLook(upper=56.0, lower=-12.0, up=8.0),
    "sad": EyeLook(upper=24.0, lower=-60.0, tilt=-26.0, up=-14.0),
    "angry": EyeLook(upper=22.0, lower=-42.0, tilt=28.0),
    "wide": EyeLook(upper=90.0, lower=-90.0, up=4.0),
    "half": EyeLook(upper=8.0, lower=-52.0),
    "closed": EyeLook(upper=-34.0, lower=-26.0),
    "left": EyeLook(upper=54.0, left=30.0),
    "right": EyeLook(upper=54.0, left=-30.0),
    "up": EyeLook(upper=74.0, up=26.0),
    "down": EyeLook(upper=24.0, up=-26.0),
}


EYES_OF_EMOTION: Mapping[str, Eyes] = {
    "happy": "happy",
    "proud": "happy",
    "sad": "sad",
    "angry": "angry",
    "fearful": "wide",
    "curious": "wide",
    "surprised": "wide",
    "tired": "half",
}


def eyes_of_emotion(emotion: str | None) -> Eyes:
    """Return the eyes that go with an emotion, for motions that do not say anything about eyes."""
    return EYES_OF_EMOTION.get(emotion or "", "neutral")


class EyesTable(Table, frozen=True):
    """A pair of balls with lids on one link.

    Args:
        link: The link that carries them.
        left_m: Centre of the left ball, in the frame of the link.
        right_m: Of the right one.
        radius_m: Of both.
        white: Colour of the balls: red, green, blue and opacity.
        iris: Of the irises.
        pupil: Of the pupils.
        lid: Of the lids.
        forward: Direction of the neutral gaze, in the frame of the link.
        up: Upward direction of the face, in the same frame.
    """

    link: Text
    left_m: Vector
    right_m: Vector
    radius_m: Positive
    white: Color = (0.97, 0.97, 0.94, 1.0)
    iris: Color = (0.10, 0.55, 0.55, 1.0)
    pupil: Color = (0.06, 0.06, 0.08, 1.0)
    lid: Color = (0.30, 0.31, 0.34, 1.0)
    forward: Vector = (1.0, 0.0, 0.0)
    up: Vector = (0.0, 0.0, 1.0)
