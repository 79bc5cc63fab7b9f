"""Sequence of commands to a piloted robot, from text or from a keyframe animation that walks.

    "happy, curious, walk 2 m, sad"

Names are animations that come with the robot; a walk expresses the emotion of the animation before it. The standing
parts of an animation are made feasible first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from strut.animation.animation_file import load_animation
from strut.animation.request import Animate, AnimationMethod
from strut.animation.stories import story_names, story_path
from strut.emotion import Emotion, named_emotion
from strut.errors import BadTableError, OutOfRangeError, UnknownNameError
from strut.expression.blend import style_for
from strut.models.catalogue import first_robot_with
from strut.pilot.animation_request import play_request
from strut.pilot.controllers.reference import PilotRequest, StandRequest, WalkRequest, check_request
from strut.pilot.piloted_drafts import walk_in_style
from strut.pilot.plant.torque_model import control_table
from strut.pilot.request import PilotedTable, PilotedWalk
from strut.pipeline.run import run
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.schemas.eyes import eyes_of_emotion
from strut.schemas.keyframes import Animation, AnimationKey

NUMBER = r"(\d+(?:\.\d+)?)"
WALK = re.compile(rf"walk(?:\s+(forwards?|backwards?|left|right))?\s+{NUMBER}\s*(m|s)(?:\s+at\s+{NUMBER}\s*(?:m/s)?)?")
STAND = re.compile(rf"(?:stand|wait)\s+{NUMBER}\s*s")
MAX_WALK_S = 300.0  # a longer walk is probably a typing error
EXAMPLES = ("walk 2 m", "walk left 0.5 m", "walk 3 s at 0.6 m/s", "stand 2 s")


@dataclass(frozen=True, slots=True, eq=False)
class SequencePart:
    """One command of a sequence.

    Args:
        name: Title for people.
        request: Request to the pilot.
        eyes: Expressions of the eyes, each with its start in seconds since the part began.
        reasons: Why the part is slower or weaker than requested.
        emotion: Name of the emotion that it expresses; None for none.
    """

    name: str
    request: PilotRequest
    eyes: tuple[tuple[float, str], ...] = ()
    reasons: tuple[Reason, ...] = ()
    emotion: str | None = None


def parse_sequence(robot: Robot, text: str) -> tuple[SequencePart, ...]:
    """Return the parts of a sequence, separated by commas; raises UnknownNameError for an unknown part.

    Example:
        >>> [part.name for part in parse_sequence(strut.load_robot("cassie"), "stand 1 s, walk 2 m")]
    """
    _require_pilot(robot)
    animations = story_names(robot.name) + story_names(robot.name, walking=True)
    commands: list[Animation | SequencePart] = []  # parsed completely before animations are made feasible
    emotion = named_emotion("neutral")
    for command in (part.strip().lower() for part in text.split(",")):
        if command in animations:
            animation = load_animation(story_path(robot.name, command))
            emotion = named_emotion(animation.emotion)
            commands.append(animation)
        elif match := WALK.fullmatch(command):
            commands.append(_walk_part(robot, match, emotion))
        elif match := STAND.fullmatch(command):
            stand = StandRequest(float(match[1]))
            commands.append(SequencePart(command, stand))
        else:
            kind = "part of a sequence" if " " in command or "," in text else "story"
            raise UnknownNameError(kind, command, (*animations, *EXAMPLES), f"`strut robots {robot.name}`")
    parts: list[SequencePart] = []
    for item in commands:
        parts += animation_sequence(robot, item) if isinstance(item, Animation) else (item,)
    return tuple(parts)


def animation_sequence(
    robot: Robot, animation: Animation, *, method: AnimationMethod = "mass", margin_m: float | None = None
) -> tuple[SequencePart, ...]:
    """Return a keyframe animation as a sequence: standing parts are made feasible, walks keep speed and height."""
    _require_pilot(robot)
    parts: list[SequencePart] = []
    standing: list[AnimationKey] = []
    for number, frame in enumerate(animation.keyframe):
        standing.append(frame)
        if frame.mode == "walk":
            parts += _standing_part(robot, animation, standing, method, margin_m)
            standing = []
            parts.append(_walking_part(robot, animation, frame, animation.keyframe[number + 1]))
    return (*parts, *_standing_part(robot, animation, standing, method, margin_m))


def _require_pilot(robot: Robot) -> None:
    if robot.tables.control is None or not isinstance(robot.tables.gait, PilotedTable):
        able = first_robot_with("control.toml")
        raise BadTableError(f"{robot.name} has no controllers of its own, so it cannot perform a sequence; try {able}.")


def _walk_part(robot: Robot, match: re.Match[str], emotion: Emotion) -> SequencePart:
    """Return a walk that expresses an emotion; a speed that the text does not give is clipped to the command range."""
    text = match[0]
    direction, number, unit, speed_text = match.groups()
    gait = robot.gait
    assert isinstance(gait, PilotedTable)
    side = {"left": 1.0, "right": -1.0}.get(direction or "", 0.0)
    usual_m_s = gait.sideways_m_s if side else gait.speed_m_s
    speed_m_s = float(speed_text) if speed_text else usual_m_s
    if (direction or "").startswith("back"):
        speed_m_s = -speed_m_s
    task = PilotedWalk(speed_m_s=0.0 if side else speed_m_s, sideways_m_s=side * speed_m_s)
    walk = walk_in_style(robot, task, style_for(robot, emotion))
    amount = float(number)
    walk = replace(walk, distance_m=amount) if unit == "m" else replace(walk, distance_m=None, duration_s=amount)
    command = control_table(robot).command
    reasons: tuple[Reason, ...] = ()
    if not speed_text:
        possible = replace(
            walk,
            forward_m_s=float(np.clip(walk.forward_m_s, *command.forward_m_s)),
            left_m_s=float(np.clip(walk.left_m_s, *command.sideways_m_s)),
        )
        if possible != walk:
            reason = f"'{text}' is as fast as {robot.name} can walk that way, slower than {emotion.label} asks for"
            reasons = (Reason(ReasonKind.SLOWED, LimitName.COMMAND, reason),)
        walk = possible
    try:
        check_request(walk, command, float(robot.standing_qpos[2]))
    except OutOfRangeError as error:
        raise OutOfRangeError(f"'{text}' when {emotion.label}: {error}") from error
    duration_s = amount / math.hypot(walk.forward_m_s, walk.left_m_s) if unit == "m" else amount
    if duration_s > MAX_WALK_S:
        raise OutOfRangeError(
            f"'{text}' would take {duration_s:.0f} s; a walk of a sequence takes at most {MAX_WALK_S:g} s."
        )
    return SequencePart(text, walk, ((0.0, eyes_of_emotion(emotion.name)),), reasons, emotion.name)


def _standing_part(
    robot: Robot, animation: Animation, frames: Sequence[AnimationKey], method: AnimationMethod, margin_m: float | None
) -> list[SequencePart]:
    """Return the feasible motion through standing keyframes; nothing for a single keyframe."""
    if len(frames) < 2:
        return []
    start_s = frames[0].time_s
    keyframes = tuple(
        msgspec.structs.replace(frame, time_s=frame.time_s - start_s, mode="stand", speed_m_s=(0.0, 0.0))
        for frame in frames
    )
    task = Animate(animation=msgspec.structs.replace(animation, keyframe=keyframes), method=method)
    emotion = named_emotion(animation.emotion)
    motion = run(Request(robot=robot.name, task=task, emotion=emotion, margin_m=margin_m), robot=robot)
    assert motion.receipt is not None
    eyes = tuple((float(time_s), str(expression)) for time_s, expression in motion.meta["eyes"])
    reasons = motion.receipt.reasons if motion.receipt.verdict == "weakened" else ()
    return [SequencePart(animation.title, play_request(motion, robot), eyes, reasons, animation.emotion)]


def _walking_part(robot: Robot, animation: Animation, frame: AnimationKey, next_frame: AnimationKey) -> SequencePart:
    """Return the walk from a keyframe to the next, at the height of the next."""
    forward, left = frame.speed_m_s
    walk = WalkRequest(
        forward,
        left,
        height_m=float(robot.standing_qpos[2]) + next_frame.base_m[2],
        duration_s=next_frame.time_s - frame.time_s,
    )
    return SequencePart(f"walk at {forward:g} m/s", walk, ((0.0, frame.eyes),), emotion=animation.emotion)
