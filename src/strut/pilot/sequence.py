"""Show queue: what a piloted robot shall do one after the other, from words or from a story that walks.

    "happy, curious, walk 2 m, sad"

Names are stories of the robot; a walk has the feeling of the story before it. What stands is made feasible first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from strut.animation.animation_file import load_animation
from strut.animation.request import Animate, AnimationMethod
from strut.animation.stories import story_names, story_path
from strut.emotion import Emotion, named_emotion
from strut.errors import BadTableError, OutOfRangeError, UnknownNameError
from strut.expression.blend import style_for
from strut.pilot.animation_request import play_request
from strut.pilot.controllers.reference import ShowRequest, StandRequest, WalkRequest, check_request
from strut.pilot.piloted_drafts import walk_in_style
from strut.pilot.plant.torque_model import control_table
from strut.pilot.request import PilotedTable, PilotedWalk
from strut.pipeline.run import run
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.schemas.control import CommandRange
from strut.schemas.eyes import eyes_of_emotion
from strut.schemas.keyframes import Animation, AnimationKey

NUMBER = r"(\d+(?:\.\d+)?)"
WALK = re.compile(rf"walk(?:\s+(forwards?|backwards?|left|right))?\s+{NUMBER}\s*(m|s)(?:\s+at\s+{NUMBER}\s*(?:m/s)?)?")
STAND = re.compile(rf"(?:stand|wait)\s+{NUMBER}\s*s")
USUAL_ASIDE_M_S = 0.15
LONGEST_WALK_S = 300.0
EXAMPLES = ("walk 2 m", "walk left 0.5 m", "walk 3 s at 0.6 m/s", "stand 2 s")


@dataclass(frozen=True, slots=True, eq=False)
class ShowPart:
    """One request of a show.

    Args:
        name: For people.
        request: For the pilot.
        eyes: Expressions of the eyes: seconds since it begins, and which.
        reasons: What of a story had to be slowed or weakened.
        feeling: That it shows; None if none.
    """

    name: str
    request: ShowRequest
    eyes: tuple[tuple[float, str], ...] = ()
    reasons: tuple[Reason, ...] = ()
    feeling: str | None = None


def queue_of_words(robot: Robot, text: str) -> tuple[ShowPart, ...]:
    """Return a queue from words, parted by commas; raises UnknownNameError for what is none of them.

    Example:
        >>> [part.name for part in queue_of_words(strut.load_robot("cassie"), "stand 1 s, walk 2 m")]
    """
    _require_pilot(robot)
    names = story_names(robot.name) + story_names(robot.name, walking=True)
    read: list[Animation | ShowPart] = []  # all of it before stories are made feasible in vain
    mood = named_emotion("neutral")
    for words in (part.strip().lower() for part in text.split(",")):
        if words in names:
            animation = load_animation(story_path(robot.name, words))
            mood = named_emotion(animation.emotion)
            read.append(animation)
        elif match := WALK.fullmatch(words):
            read.append(_walk(robot, words, match, mood))
        elif match := STAND.fullmatch(words):
            read.append(ShowPart(words, StandRequest(float(match[1]), height_m=_standing_m(robot))))
        else:
            kind = "part of a show" if " " in words or "," in text else "story"
            raise UnknownNameError(kind, words, (*names, *EXAMPLES), f"`strut robots {robot.name}`")
    queues = (queue_of_story(robot, one) if isinstance(one, Animation) else (one,) for one in read)
    return tuple(chain.from_iterable(queues))


def _require_pilot(robot: Robot) -> None:
    if robot.tables.control is None or not isinstance(robot.tables.gait, PilotedTable):
        raise BadTableError(f"{robot.name} has no controllers of its own, so it cannot perform a show; try cassie.")


def _standing_m(robot: Robot) -> float:
    return float(robot.standing_qpos[2])


def _walk(robot: Robot, words: str, match: re.Match[str], mood: Emotion) -> ShowPart:
    """Return a walk in a mood: so far or so long, at the speed that is said, else as fast as the mood can be."""
    way, number, unit, said = match.groups()
    own = robot.gait
    assert isinstance(own, PilotedTable)
    aside = {"left": 1.0, "right": -1.0}.get(way or "", 0.0)
    usual = USUAL_ASIDE_M_S if aside else own.speed_m_s
    speed = (float(said) if said else usual) * (-1.0 if (way or "").startswith("back") else 1.0)
    task = PilotedWalk(speed_m_s=0.0 if aside else speed, sideways_m_s=aside * speed)
    walk = walk_in_style(robot, task, style_for(robot, mood))
    ends: dict[str, Any] = {"m": {"distance_m": float(number)}, "s": {"distance_m": None, "duration_s": float(number)}}
    walk = replace(walk, **ends[unit])
    command = control_table(robot).command
    reasons: tuple[Reason, ...] = ()
    if not said:
        within = replace(
            walk,
            forward_m_s=float(np.clip(walk.forward_m_s, *command.forward_m_s)),
            left_m_s=float(np.clip(walk.left_m_s, *command.sideways_m_s)),
        )
        if within != walk:
            text = f"'{words}' is as fast as {robot.name} can walk that way, slower than {mood.label} asks for"
            reasons = (Reason(ReasonKind.SLOWED, LimitName.COMMAND, text),)
        walk = within
    _check_felt(walk, command, words, mood)
    way_m = float(number)
    pace_m_s = math.hypot(walk.forward_m_s, walk.left_m_s)
    lasts_s = way_m / pace_m_s if unit == "m" else way_m
    if lasts_s > LONGEST_WALK_S:
        raise OutOfRangeError(
            f"'{words}' would take {lasts_s:.0f} s; a walk of a show takes at most {LONGEST_WALK_S:g} s."
        )
    return ShowPart(words, walk, ((0.0, eyes_of_emotion(mood.name)),), reasons, mood.name)


def _check_felt(walk: WalkRequest, command: CommandRange, words: str, mood: Emotion) -> None:
    """Raise OutOfRangeError, with the words that were typed, if a walk that a feeling changed is out of range."""
    try:
        check_request(walk, command)
    except OutOfRangeError as error:
        raise OutOfRangeError(f"'{words}' when {mood.label}: {error}") from error


def queue_of_story(
    robot: Robot, animation: Animation, *, method: AnimationMethod = "mass", margin_m: float | None = None
) -> tuple[ShowPart, ...]:
    """Return a story as requests: what stands is made feasible piece by piece; of walks, speed and height are kept."""
    _require_pilot(robot)
    parts: list[ShowPart] = []
    standing: list[AnimationKey] = []
    for number, frame in enumerate(animation.keyframe):
        standing.append(frame)
        if frame.mode == "walk":
            parts += _stood(robot, animation, standing, method, margin_m)
            standing = []
            parts.append(_walked(robot, animation, frame, animation.keyframe[number + 1]))
    return (*parts, *_stood(robot, animation, standing, method, margin_m))


def _stood(
    robot: Robot, story: Animation, frames: Sequence[AnimationKey], method: AnimationMethod, margin_m: float | None
) -> list[ShowPart]:
    """Return the standing piece between two walks; nothing if it lasts no time."""
    if len(frames) < 2:
        return []
    start_s = frames[0].time_s
    moved = tuple(
        msgspec.structs.replace(frame, time_s=frame.time_s - start_s, mode="stand", speed_m_s=(0.0, 0.0))
        for frame in frames
    )
    task = Animate(animation=msgspec.structs.replace(story, keyframe=moved), method=method)
    felt = named_emotion(story.emotion)
    motion = run(Request(robot=robot.name, task=task, emotion=felt, margin_m=margin_m), robot=robot)
    assert motion.receipt is not None
    eyes = tuple((float(time_s), str(which)) for time_s, which in motion.meta["eyes"])
    reasons = motion.receipt.reasons if motion.receipt.verdict == "weakened" else ()
    return [ShowPart(story.title, play_request(motion, robot), eyes, reasons, story.emotion)]


def _walked(robot: Robot, story: Animation, frame: AnimationKey, then: AnimationKey) -> ShowPart:
    """Return the walk from a keyframe to the next, at whose height it arrives."""
    forward, left = frame.speed_m_s
    walk = WalkRequest(
        forward,
        left,
        height_m=_standing_m(robot) + then.base_m[2],
        duration_s=then.time_s - frame.time_s,
    )
    return ShowPart(f"walk at {forward:g} m/s", walk, ((0.0, frame.eyes),), feeling=story.emotion)
