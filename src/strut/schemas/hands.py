"""chains.toml, tasks.toml and study.toml: frames of hands and head, tasks of hands, and a published session."""

from __future__ import annotations

from collections.abc import Mapping

from strut.schemas.fields import Count, Positive, Table, Text, Vector


class Head(Table, frozen=True):
    """The frame whose x axis is the gaze, and the position of the user's eyes.

    Args:
        frame: Frame of the head.
        user_m: Usual place of the user's eyes in world.
    """

    frame: Text
    user_m: Vector


class Gain(Table, frozen=True):
    """Feedback gains of hand, head and posture.

    Args:
        hand_per_s: Of the pose of the hand.
        head_per_s: Of the orientation of the head.
        posture_per_s: Of the posture.
    """

    hand_per_s: Positive
    head_per_s: Positive
    posture_per_s: Positive


class ChainsTable(Table, frozen=True):
    """Frames of hands and head, by name.

    Args:
        hand: Frame at the end of each arm, by name of the hand.
        head: The head, and where the user is.
        gain: How fast errors decay.
    """

    hand: Mapping[str, str]
    head: Head
    gain: Gain


class Swing(Table, frozen=True):
    """A joint that swings about its posture."""

    amplitude_rad: float
    frequency_hz: Positive


class PostureTask(Table, frozen=True, tag_field="kind", tag="posture"):
    """An arm that holds a posture and swings joints about it."""

    hand: Text
    posture_rad: Mapping[str, float]
    swing: Mapping[str, Swing] = {}


class RouteTask(Table, frozen=True, tag_field="kind", tag="route"):
    """A hand carried level along offsets while the platform drives along stations of x, y and yaw."""

    hand: Text
    posture_rad: Mapping[str, float]
    hand_offset_m: tuple[Vector, ...]
    platform: tuple[Vector, ...]


class PointTask(Table, frozen=True, tag_field="kind", tag="point"):
    """A hand whose x axis points at a target; `from_m` is the elbow and `reach_m` the length of the forearm."""

    hand: Text
    posture_rad: Mapping[str, float]
    from_m: Vector
    reach_m: Positive
    raise_s: Positive
    target_m: Vector


TaskTable = PostureTask | RouteTask | PointTask


class Levels(Table, frozen=True):
    """The low and the high level of the coordinates of emotions."""

    low: float
    high: float


class StudyEmotion(Table, frozen=True):
    """An emotion by its coordinates."""

    pad: Vector


class StudyTable(Table, frozen=True):
    """A session of motions that people rated."""

    task: Text
    duration_s: Positive
    user_m: Vector
    practice_motions: Count
    emotion_motions: Count
    levels: Levels
    emotion: Mapping[str, StudyEmotion]
