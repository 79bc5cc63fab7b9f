"""Walk: a robot walks with a feeling. The one function that users call; the gate and the receipt come with it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version
from time import perf_counter
from typing import Literal, get_args

import numpy as np

from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.engines.interior_point import OnIteration
from strut.errors import BadTableError, ImpossibleStepError, OutOfRangeError, RefusedError, UnknownNameError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.crawl_candidate import X_COSTS, Balance, CrawlCandidate, CrawlRequest, crawl_attempt
from strut.pipeline.human_walk import human_walk
from strut.receipt import Verdict
from strut.robot import Array, Robot
from strut.verify.audit import DEFAULT_MARGIN_M, Shortfall
from strut.verify.gate import COARSE, Attempt, Kept, strongest_proved
from strut.verify.receipt_builder import receipt_for
from strut.verify.relaxation import deepened

Retreat = Literal["global", "local"]
OnAttempt = Callable[[float, bool], None]
FEWEST_CYCLES = 2  # one to take on a pose, one to leave it
MOST_CYCLES = 1000
LARGEST_LENGTH_M = 10.0
_SEARCH_RATE_HZ = 25.0
_SEARCH_CYCLES = 5  # fade in, one steady cycle, fade out: every further cycle repeats the steady one
_NEUTRAL_CYCLES = 3  # starts, walks, stops: there is no pose to fade
_MOST_RELAXING = 12


def walk(
    robot: Robot | str,
    emotion: Emotion | str = "neutral",
    *,
    intensity: float = 1.0,
    cycles: int = 10,
    step_length_m: float | None = None,
    step_height_m: float | None = None,
    margin_m: float = DEFAULT_MARGIN_M,
    balance: Balance = "xy",
    retreat: Retreat = "global",
    strict: bool = False,
    rate_hz: float = 100.0,
    on_attempt: OnAttempt | None = None,
    on_iteration: OnIteration | None = None,
) -> Motion:
    """Plan a walk that shows an emotion as strongly as the body allows.

    Args:
        robot: Who walks, or its name.
        emotion: What it feels, or the feeling's name.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        cycles: Whole gait cycles.
        step_length_m: Neutral step length; the robot's own if None.
        step_height_m: Neutral step height; the robot's own if None.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon.
        balance: Body sways in `y` alone, as published, or in `xy`.
        retreat: What cannot be kept is weakened for the whole walk (`global`) or only while a limit is near (`local`).
        strict: Raise RefusedError instead of weakening.
        rate_hz: Samples per second.
        on_attempt: Called with each intensity tried and whether it passed.
        on_iteration: Called with every iteration where a solver finds the walk; may return True to stop.

    Returns:
        The motion, with its receipt.

    Raises:
        RefusedError: If `strict` and the feeling had to be weakened, or if not even neutral keeps the limits.
        ImpossibleStepError: If the wanted step or margin is out of the body's reach even in neutral.
    """
    started = perf_counter()
    robot = load_robot(robot) if isinstance(robot, str) else robot
    emotion = named_emotion(emotion) if isinstance(emotion, str) else emotion
    intensity = checked_intensity(intensity)
    if robot.table("gait").get("kind") == "synthesis":
        return human_walk(
            robot,
            emotion,
            intensity=intensity,
            cycles=cycles,
            strict=strict,
            rate_hz=rate_hz,
            on_attempt=on_attempt,
            on_iteration=on_iteration,
        )
    if robot.table("gait").get("kind") == "steps":
        raise BadTableError(f"{robot.name} does not crawl; a robot that walks in steps to a goal takes `walk_to`.")
    if robot.table("gait").get("kind") != "crawl":
        raise BadTableError(f"{robot.name} cannot walk yet: its gait.toml names no gait that strut knows.")
    if balance not in get_args(Balance):
        raise UnknownNameError("balance", balance, get_args(Balance), "`strut walk --help`")
    if retreat not in get_args(Retreat):
        raise UnknownNameError("retreat", retreat, get_args(Retreat), "`strut walk --help`")
    request = CrawlRequest(robot, emotion, cycles, step_length_m, step_height_m, margin_m, balance, rate_hz)
    _check_numbers(request)
    told = on_attempt or (lambda _intensity, _passed: None)
    kept = _gated(request, intensity, told)
    if retreat == "local":
        kept = _relaxed(request, intensity, kept, told)
    if kept.attempt is None:
        raise _why_not_even_neutral(request, kept)
    motion = _finished(request, intensity, kept.attempt, kept.stopped_by)
    assert motion.receipt is not None
    if strict and motion.receipt.verdict != "ok":
        receipt = replace(motion.receipt, verdict="refused")
        raise RefusedError(receipt.reasons, f"Without --strict it would walk at {receipt.intensity_kept:.2f}.", receipt)
    return replace(motion, receipt=replace(motion.receipt, solve_s=perf_counter() - started))


def _check_numbers(request: CrawlRequest) -> None:
    if not FEWEST_CYCLES <= request.cycles <= MOST_CYCLES or request.cycles != int(request.cycles):
        raise OutOfRangeError(f"cycles is {request.cycles}; choose {FEWEST_CYCLES} to {MOST_CYCLES}.")
    if not math.isfinite(request.rate_hz) or not 20.0 <= request.rate_hz <= 1000.0:
        raise OutOfRangeError(f"The rate is {request.rate_hz:g} samples per second; choose 20 to 1000.")
    lengths = {
        "step length": request.step_length_m,
        "step height": request.step_height_m,
        "balance margin": request.margin_m,
    }
    for name, length_m in lengths.items():
        if length_m is not None and not (math.isfinite(length_m) and length_m >= 0.0):
            raise OutOfRangeError(f"The {name} is {length_m:g} m; it must be a number of at least 0.")
        if length_m is not None and length_m > LARGEST_LENGTH_M:
            raise OutOfRangeError(f"The {name} is {length_m:g} m; no legged robot is that large.")
    if request.step_height_m == 0.0:
        raise OutOfRangeError("The step height is 0 m, so the feet would drag; choose at least 10 mm.")


def _gated(request: CrawlRequest, intensity: float, on_attempt: OnAttempt) -> Kept[CrawlCandidate]:
    """Return the strongest crawl that passes: searched coarsely, then proved at full length and rate."""

    def search(candidate_intensity: float) -> Attempt[CrawlCandidate]:
        attempt = _coarse_attempt(request, candidate_intensity)
        on_attempt(candidate_intensity, attempt.passes)
        return attempt

    def prove(searched: Attempt[CrawlCandidate]) -> Attempt[CrawlCandidate]:
        full = _full_attempt(request, searched)
        on_attempt(full.intensity, full.passes)
        return full

    return strongest_proved(intensity, search, prove)


def _relaxed(
    request: CrawlRequest, intensity: float, kept: Kept[CrawlCandidate], on_attempt: OnAttempt
) -> Kept[CrawlCandidate]:
    """Return a crawl that relaxes where it must and so shows more on average than `kept`; else `kept` itself."""
    if kept.attempt is None or not kept.stopped_by:
        return kept
    while intensity > kept.attempt.intensity:
        attempt = _relaxing_attempt(request, intensity)
        shows_more = attempt.intensity * attempt.candidate.shown > kept.attempt.intensity
        if attempt.passes and shows_more:
            full = _full_attempt(request, attempt)
            on_attempt(intensity, full.passes)
            if full.passes:
                return Kept(full, ())
        else:
            on_attempt(intensity, False)
        intensity -= COARSE
    return kept


def _coarse_attempt(request: CrawlRequest, intensity: float) -> Attempt[CrawlCandidate]:
    """Return a short crawl at a low rate, for searching."""
    return crawl_attempt(
        request,
        intensity,
        cycles=min(request.cycles, _SEARCH_CYCLES),
        rate_hz=_SEARCH_RATE_HZ,
    )


def _relaxing_attempt(request: CrawlRequest, intensity: float) -> Attempt[CrawlCandidate]:
    """Return a crawl at a low rate whose pose relaxes wherever it would otherwise break a limit."""

    def look(share: Array | None) -> Attempt[CrawlCandidate]:
        return crawl_attempt(
            request,
            intensity,
            cycles=request.cycles,
            rate_hz=_SEARCH_RATE_HZ,
            share=share,
        )

    first = attempt = look(None)
    for _ in range(_MOST_RELAXING):
        if attempt.passes:
            break
        time_s, share = attempt.candidate.plan.time_s, attempt.candidate.share
        broken = np.any([shortfall.broken for shortfall in attempt.shortfalls], axis=0)
        attempt = look(deepened(np.ones_like(time_s) if share is None else share, broken, time_s))
    return replace(attempt, candidate=replace(attempt.candidate, relaxed_for=first.shortfalls))


def _full_attempt(request: CrawlRequest, searched: Attempt[CrawlCandidate]) -> Attempt[CrawlCandidate]:
    """Return a searched crawl at the length and rate that the user wants."""
    found = searched.candidate
    full = crawl_attempt(
        request,
        searched.intensity,
        cycles=request.cycles,
        rate_hz=request.rate_hz,
        share=found.share,
        x_costs=(found.x_cost, *(cost for cost in X_COSTS[request.balance] if cost != found.x_cost)),
    )
    return replace(full, candidate=replace(full.candidate, relaxed_for=found.relaxed_for))


def _finished(
    request: CrawlRequest, asked: float, attempt: Attempt[CrawlCandidate], stopped_by: tuple[Shortfall, ...]
) -> Motion:
    """Return the motion of an attempt that passes, with its receipt."""
    measured = attempt.candidate.measured
    kept = attempt.intensity * attempt.candidate.shown
    reasons = tuple(shortfall.sentence for shortfall in (*stopped_by, *attempt.candidate.relaxed_for))
    verdict: Verdict = "ok" if not reasons else "weakened"
    receipt = receipt_for(
        request.robot, measured, emotion=request.emotion, asked=asked, kept=kept, verdict=verdict, reasons=reasons
    )
    options = {
        "cycles": request.cycles,
        "step_length_m": request.step_length_m,
        "step_height_m": request.step_height_m,
        "margin_m": request.margin_m,
        "balance": request.balance,
        "rate_hz": request.rate_hz,
    }
    return Motion(
        robot=request.robot.name,
        time_s=measured.time_s,
        qpos=measured.qpos,
        joint_names=request.robot.joint_names,
        contact=measured.contact,
        foot_names=request.robot.foot_names,
        torque_nm=measured.torque_nm,
        ground_force_n=measured.ground_force_n,
        cop_in_world=measured.cop_in_world,
        balance_margin_m=measured.margin_m,
        receipt=receipt,
        meta={
            "emotion": request.emotion.name,
            "pad": list(request.emotion.pad),
            "intensity": kept,
            "options": options,
            "seed": None,
            "robot_fingerprint": request.robot.fingerprint,
            "versions": {name: version(name) for name in ("strut", "mujoco", "numpy", "scipy")},
        },
    )


def _why_not_even_neutral(request: CrawlRequest, kept: Kept[CrawlCandidate]) -> ImpossibleStepError | RefusedError:
    """Return the error that names what the user asked for and the largest that works instead."""
    reason = kept.stopped_by[0].sentence
    gait = request.robot.table("gait")
    asked = {
        "step length": (request.step_length_m, gait["step_length_m"], "step_length_m"),
        "step height": (request.step_height_m, gait["step_height_m"], "step_height_m"),
        "balance margin": (request.margin_m, DEFAULT_MARGIN_M, "margin_m"),
    }
    for what, (value_m, usual_m, name) in asked.items():
        if value_m is not None and value_m != usual_m:
            return ImpossibleStepError(
                what, value_m, reason, usual_m, _nearest_that_works(request, name, usual_m, value_m)
            )
    reasons = [shortfall.sentence for shortfall in kept.stopped_by]
    return RefusedError(reasons, "Not even the neutral walk keeps its limits.")


def _nearest_that_works(request: CrawlRequest, name: str, usual_m: float, asked_m: float) -> float | None:
    """Return, to a millimetre, the value of an option nearest to the one asked with which the neutral walk passes."""

    def passes(value_m: float) -> bool:
        shorter = replace(request, cycles=min(request.cycles, _NEUTRAL_CYCLES))
        changed = replace(shorter, **{name: value_m})  # type: ignore[arg-type]
        searched = _coarse_attempt(changed, 0.0)
        return searched.passes and _full_attempt(changed, searched).passes

    if not passes(usual_m):
        return None
    works_mm, fails_mm = round(usual_m * 1e3), round(asked_m * 1e3)
    while abs(fails_mm - works_mm) > 1:
        middle_mm = (works_mm + fails_mm) // 2
        works_mm, fails_mm = (middle_mm, fails_mm) if passes(middle_mm * 1e-3) else (works_mm, middle_mm)
    return works_mm * 1e-3
