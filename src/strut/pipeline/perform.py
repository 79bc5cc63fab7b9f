"""Perform: a robot does a task with its hand and shows a feeling with the rest. The one function that users call."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from time import perf_counter
from typing import Literal, get_args

import numpy as np

from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.errors import BadTableError, OutOfRangeError, RefusedError, UnreachablePathError
from strut.expression.blend import style_for
from strut.generators.hand_path import HandPath
from strut.generators.hand_task import hand_task
from strut.kinematics.task_priority import Law
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.audience import checked_user
from strut.pipeline.performance import Part, Player
from strut.pipeline.performance_candidate import PerformanceCandidate, performance_candidate
from strut.receipt import Receipt
from strut.robot import Array, Robot
from strut.verify.audit import DEFAULT_MARGIN_M, Shortfall, shortfalls
from strut.verify.gate import Attempt, strongest
from strut.verify.receipt_builder import receipt_for
from strut.verify.task_audit import task_shortfalls

Platform = Literal["led", "free"]


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
    margin_m: float = DEFAULT_MARGIN_M,
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
        margin_m: How far inside the wheels the centre of pressure must stay, for robots on a platform.
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
    if not (math.isfinite(margin_m) and margin_m >= 0.0):
        raise OutOfRangeError(f"The balance margin is {margin_m:g} m; it must be a number of at least 0.")
    if not math.isfinite(rate_hz) or not 20.0 <= rate_hz <= 1000.0:
        raise OutOfRangeError(f"The rate is {rate_hz:g} samples per second; choose 20 to 1000.")
    target = None if target_m is None else np.asarray(target_m, dtype=float)
    path = hand_task(robot, task, duration_s=duration_s, target_m=target) if isinstance(task, str) else task
    path = replace(path, platform=None) if platform == "free" else path
    user = np.asarray(robot.table("chains")["head"]["user_m"] if user_m is None else user_m, dtype=float)
    samples = max(2, round(path.duration_s * rate_hz) + 1)
    part = Part(robot, path, None, user, law, np.linspace(0.0, path.duration_s, samples), _steps(rate_hz))
    checked_user(robot, user, Player(part).settled())

    def attempt(at: float) -> Attempt[PerformanceCandidate]:
        candidate = performance_candidate(part, None if emotion is None else style_for(robot, emotion, at))
        broken = shortfalls(robot, candidate.measured, margin_m=margin_m)
        broken += task_shortfalls(candidate.performance, gaze_counts=law != "paper")
        if on_attempt:
            on_attempt(at, not broken)
        return Attempt(at, candidate, tuple(broken))

    try:
        kept = strongest(intensity if emotion is not None else 0.0, attempt)
    except UnreachablePathError as error:
        if "target_m" not in path.options:
            raise
        place = ", ".join(f"{value:g}" for value in path.options["target_m"])
        raise OutOfRangeError(
            f"The {path.hand} hand of {robot.name} cannot point at ({place}) m; choose a target in front of it."
        ) from error
    if kept.attempt is None:
        raise RefusedError([shortfall.sentence for shortfall in kept.stopped_by], _advice(path, kept.stopped_by))
    receipt = _receipt(part, emotion, intensity, kept.attempt, kept.stopped_by)
    if strict and receipt.verdict != "ok":
        receipt = replace(receipt, verdict="refused")
        raise RefusedError(receipt.reasons, f"Without --strict it would show {receipt.intensity_kept:.2f}.", receipt)
    receipt = replace(receipt, solve_s=perf_counter() - started)
    return _motion(part, emotion, kept.attempt.candidate, receipt, margin_m)


def _steps(rate_hz: float) -> int:
    """Return integration steps per sample: none longer than 10 ms, or the hand would feel the feeling."""
    return max(1, math.ceil(100.0 / rate_hz - 1e-9))


def _advice(path: HandPath, stopped_by: Sequence[Shortfall]) -> str:
    """Return what to do if nothing can be performed at all."""
    neutral = "Not even the neutral performance keeps its limits"
    if "target_m" in path.options:
        return f"{neutral}; choose a target in front of it."
    if any(shortfall.limit in ("platform", "joint speed", "torque") for shortfall in stopped_by):
        return f"{neutral}; give it more time with --duration, or move the user in front of the robot."
    return f"{neutral}."


def _receipt(
    part: Part,
    emotion: Emotion | None,
    asked: float,
    attempt: Attempt[PerformanceCandidate],
    stopped_by: tuple[Shortfall, ...],
) -> Receipt:
    found = attempt.candidate
    reasons = [shortfall.sentence for shortfall in stopped_by]
    kept = attempt.intensity
    shown = found.gaze_asked if found.style is None else found.style.gaze
    if shown != found.gaze_asked:
        end = 1.0 if shown > found.gaze_asked else 0.0
        kept *= abs(end - shown) / abs(end - found.gaze_asked)
        reasons.append(
            f"gaze: the head reaches its end, so directness is {shown:.2f} instead of {found.gaze_asked:.2f}"
        )
    receipt = receipt_for(
        part.robot,
        found.measured,
        emotion=emotion,
        asked=None if emotion is None else asked,
        kept=None if emotion is None else kept,
        verdict="weakened" if reasons else "ok",
        reasons=reasons,
    )
    return replace(
        receipt,
        task_error_mm=float(found.performance.hand_error_m.max()) * 1e3,
        gaze_error_rad=found.performance.largest_gaze_error_rad,
        redundancy=found.performance.redundancy,
    )


def _motion(
    part: Part, emotion: Emotion | None, found: PerformanceCandidate, receipt: Receipt, margin_m: float
) -> Motion:
    words = ("jerkiness", "activity", "gaze")
    path, rate_hz = part.path, 1.0 / float(part.time_s[1] - part.time_s[0])
    return Motion(
        robot=part.robot.name,
        time_s=part.time_s,
        qpos=found.performance.qpos,
        joint_names=part.robot.joint_names,
        contact=found.measured.contact,
        foot_names=(),
        torque_nm=found.measured.torque_nm,
        receipt=receipt,
        meta={
            "emotion": None if emotion is None else emotion.name,
            "pad": None if emotion is None else list(emotion.pad),
            "intensity": receipt.intensity_kept,
            "style": None if found.style is None else {word: getattr(found.style, word) for word in words},
            "task": {**path.options, "hand": path.hand, "platform": "led" if path.platform else "free"},
            "options": {"user_m": part.user_m.tolist(), "law": part.law, "rate_hz": rate_hz, "margin_m": margin_m},
            "seed": None,
            "robot_fingerprint": part.robot.fingerprint,
            "versions": {name: version(name) for name in ("strut", "mujoco", "numpy", "scipy")},
        },
    )
