"""Perform: a robot does a task with its hand and shows a feeling with the rest. The one function that users call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from time import perf_counter
from typing import Literal, get_args

import numpy as np

from strut.acting.audience import checked_user
from strut.acting.performance import Part, Performance, Player
from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.errors import BadTableError, OutOfRangeError, RefusedError, UnreachablePathError
from strut.kinematics.task_priority import Law
from strut.motion import Motion
from strut.planning.hand_path import HandPath
from strut.planning.hand_task import hand_task
from strut.proof.audit import Audit, Shortfall, audit, shortfalls
from strut.proof.gate import Attempt, strongest
from strut.proof.tally import receipt_for
from strut.robot import Array, Robot
from strut.robots.catalogue import load_robot
from strut.style import Style
from strut.styling.features import expressive_style

Platform = Literal["led", "free"]
SETTLED_S = 3.0  # gaze counts from here on, or from a third of a shorter motion
LARGEST_HAND_ERROR_M, LARGEST_HAND_TURN_RAD = 1e-3, 5e-3
LARGEST_GAZE_ERROR_RAD = 0.002
_GAZE_SEARCH_HZ = 25.0
_GAZE_STEP = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A performance at some intensity, what it needs, and the style that it shows in the end."""

    performance: Performance
    measured: Audit
    style: Style | None
    gaze_asked: float


def perform(
    robot: Robot | str,
    task: HandPath | str,
    emotion: Emotion | str | None = "neutral",
    *,
    intensity: float = 1.0,
    user_m: Sequence[float] | Array | None = None,
    target_m: Sequence[float] | Array | None = None,
    duration_s: float = 10.0,
    rate_hz: float = 100.0,
    law: Law = "corrected",
    platform: Platform = "led",
    strict: bool = False,
    on_attempt: Callable[[float, bool], None] | None = None,
) -> Motion:
    """Do a task with a hand and show an emotion with whatever the task leaves free.

    Args:
        robot: Who performs, or its name.
        task: A task of the robot by name, or a path of the hand.
        emotion: What it feels, or the feeling's name; None leaves everything but the hand at rest.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        user_m: Eyes of the person it performs for, in world; the robot's own guess if None. Shape (3,).
        target_m: What to point at, for tasks that point. Shape (3,).
        duration_s: Of a task given by name.
        rate_hz: Samples per second.
        law: `corrected` tracks the head, `paper` is the published law, which does not.
        platform: `led` along the task's own path or kept where it is; `free` to help hand and head.
        strict: Raise RefusedError instead of weakening.
        on_attempt: Called with each intensity tried and whether it passed.

    Returns:
        The motion, with its receipt.

    Raises:
        UnreachablePathError: If the hand cannot follow its path.
        RefusedError: If `strict` and the feeling had to be weakened, or if not even neutral keeps the limits.
    """
    started = perf_counter()
    robot = load_robot(robot) if isinstance(robot, str) else robot
    if robot.floats:
        raise BadTableError(
            f"{robot.name} stands on its feet; only robots that are bolted down or on wheels can perform."
        )
    emotion = named_emotion(emotion) if isinstance(emotion, str) else emotion
    intensity = checked_intensity(intensity)
    if law not in get_args(Law):
        raise OutOfRangeError(f"The law is '{law}'; choose {' or '.join(get_args(Law))}.")
    if not math.isfinite(rate_hz) or not 20.0 <= rate_hz <= 1000.0:
        raise OutOfRangeError(f"The rate is {rate_hz:g} samples per second; choose 20 to 1000.")
    target = None if target_m is None else np.asarray(target_m, dtype=float)
    path = hand_task(robot, task, duration_s=duration_s, target_m=target) if isinstance(task, str) else task
    path = replace(path, platform=None) if platform == "free" else path
    user = np.asarray(robot.table("chains")["head"]["user_m"] if user_m is None else user_m, dtype=float)
    samples = max(2, round(path.duration_s * rate_hz) + 1)
    part = Part(robot, path, None, user, law, np.linspace(0.0, path.duration_s, samples), _steps(rate_hz))
    checked_user(robot, user, Player(part).settled())

    def attempt(at: float) -> Attempt[Candidate]:
        candidate = _candidate(part, None if emotion is None else expressive_style(emotion, at))
        broken = shortfalls(robot, candidate.measured, margin_m=0.0)
        if on_attempt:
            on_attempt(at, not broken)
        return Attempt(at, candidate, tuple(broken))

    kept = strongest(intensity if emotion is not None else 0.0, attempt)
    if kept.attempt is None:
        reasons = [shortfall.sentence for shortfall in kept.stopped_by]
        raise RefusedError(reasons, "Not even the neutral performance keeps its limits.")
    motion = _finished(part, emotion, intensity, kept.attempt, kept.stopped_by)
    assert motion.receipt is not None
    if strict and motion.receipt.verdict != "ok":
        receipt = replace(motion.receipt, verdict="refused")
        raise RefusedError(receipt.reasons, f"Without --strict it would show {receipt.intensity_kept:.2f}.", receipt)
    return replace(motion, receipt=replace(motion.receipt, solve_s=perf_counter() - started))


def _steps(rate_hz: float) -> int:
    """Return integration steps per sample: none longer than 10 ms, or the hand would feel the feeling."""
    return max(1, math.ceil(100.0 / rate_hz - 1e-9))


def _candidate(part: Part, style: Style | None) -> Candidate:
    """Return the performance of a style, looking away less where the head cannot look away as far as asked."""
    asked = 0.5 if style is None else style.gaze
    performance = Player(replace(part, style=style)).play()
    _check_hand(part.path, performance)
    if style is not None and part.law == "corrected" and gaze_error_rad(performance) > LARGEST_GAZE_ERROR_RAD:
        style = replace(style, gaze=_gaze_within_reach(part, style))
        performance = Player(replace(part, style=style)).play()
        _check_hand(part.path, performance)
    contact = np.zeros((len(part.time_s), 0), dtype=np.bool_)
    return Candidate(performance, audit(part.robot, part.time_s, performance.qpos, contact), style, asked)


def _check_hand(path: HandPath, performance: Performance) -> None:
    off, turned = performance.hand_error_m, performance.hand_turn_rad
    failing = (off > LARGEST_HAND_ERROR_M) | (turned > LARGEST_HAND_TURN_RAD)
    if failing.any():
        frame = int(np.argmax(failing))
        raise UnreachablePathError(path.name, frame, performance.time_s[frame], float(off[frame]), float(turned[frame]))


def gaze_error_rad(performance: Performance) -> float:
    """Return the largest angle of the head from its goal once it has had time to settle."""
    duration_s = performance.time_s[-1] - performance.time_s[0]
    settled = performance.time_s - performance.time_s[0] >= min(SETTLED_S, duration_s / 3.0)
    return float(performance.gaze_error_rad[settled].max())


def _gaze_within_reach(part: Part, style: Style) -> float:
    """Return the gaze nearest to the style's that the head can keep up with: more direct, or else more averted."""
    duration_s = part.path.duration_s
    samples = max(2, round(duration_s * _GAZE_SEARCH_HZ) + 1)
    coarse = replace(part, time_s=np.linspace(0.0, duration_s, samples), steps=1)

    def keeps_up(gaze: float) -> bool:
        played = Player(replace(coarse, style=replace(style, gaze=gaze))).play()
        return gaze_error_rad(played) < LARGEST_GAZE_ERROR_RAD

    for end in (1.0, 0.0):
        if not keeps_up(end):
            continue
        fails, works = style.gaze, end
        while abs(works - fails) > _GAZE_STEP:
            middle = (fails + works) / 2.0
            fails, works = (fails, middle) if keeps_up(middle) else (middle, works)
        return works
    place = ", ".join(f"{value:g}" for value in part.user_m)
    raise RefusedError(
        [f"gaze: while its hand is busy the head can look neither at the user at ({place}) m nor away"],
        "Move the user, or let the platform help with --platform free.",
    )


def _finished(
    part: Part, emotion: Emotion | None, asked: float, attempt: Attempt[Candidate], stopped_by: tuple[Shortfall, ...]
) -> Motion:
    found, robot = attempt.candidate, part.robot
    reasons = [shortfall.sentence for shortfall in stopped_by]
    kept = attempt.intensity
    shown = found.gaze_asked if found.style is None else found.style.gaze
    if shown != found.gaze_asked:
        end = 1.0 if shown > found.gaze_asked else 0.0
        kept *= (end - shown) / (end - found.gaze_asked)
        reasons.append(
            f"gaze: the head reaches its end, so directness is {shown:.2f} instead of {found.gaze_asked:.2f}"
        )
    receipt = receipt_for(
        robot,
        found.measured,
        emotion=emotion,
        asked=None if emotion is None else asked,
        kept=None if emotion is None else kept,
        verdict="weakened" if reasons else "ok",
        reasons=reasons,
    )
    receipt = replace(
        receipt,
        task_error_mm=float(found.performance.hand_error_m.max()) * 1e3,
        gaze_error_rad=None if emotion is None else gaze_error_rad(found.performance),
        redundancy=found.performance.redundancy,
    )
    style = (
        None
        if found.style is None
        else {word: getattr(found.style, word) for word in ("jerkiness", "activity", "gaze")}
    )
    return Motion(
        robot=robot.name,
        time_s=part.time_s,
        qpos=found.performance.qpos,
        joint_names=robot.joint_names,
        contact=found.measured.contact,
        foot_names=(),
        torque_nm=found.measured.torque_nm,
        receipt=receipt,
        meta={
            "emotion": None if emotion is None else emotion.name,
            "pad": None if emotion is None else list(emotion.pad),
            "intensity": kept,
            "style": style,
            "task": {**part.path.options, "hand": part.path.hand, "platform": "led" if part.path.platform else "free"},
            "options": {
                "user_m": part.user_m.tolist(),
                "law": part.law,
                "rate_hz": 1.0 / (part.time_s[1] - part.time_s[0]),
            },
            "seed": None,
            "robot_fingerprint": robot.fingerprint,
            "versions": {name: version(name) for name in ("strut", "mujoco", "numpy", "scipy")},
        },
    )
