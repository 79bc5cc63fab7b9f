"""Step walk: a biped walks to where it is sent, with a feeling. The gate and the receipt come with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.metadata import version
from time import perf_counter
from typing import Any

from strut.balance.body_path import Law
from strut.balance.sole_margin import static_margin_m
from strut.emotion import Emotion, checked_intensity, named_emotion
from strut.errors import RefusedError
from strut.expression.blend import style_for
from strut.expression.shown import left_out
from strut.generators.footsteps import end_of
from strut.kinematics.foot_poses import standing_place
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.pace import SEARCH_STEPS, fastest, search_rate_hz
from strut.pipeline.step_candidate import Pace, StepCandidate, StepRequest, step_attempt
from strut.pipeline.step_refusal import checked_request, why_not_even_neutral
from strut.place import Footstep, Place, wrapped
from strut.receipt import Verdict
from strut.robot import Robot
from strut.verify.audit import DEFAULT_MARGIN_M, Shortfall
from strut.verify.gate import Attempt, Kept, strongest_proved
from strut.verify.receipt_builder import receipt_for

_SLOWER, _MOST_SLOWER = 1.03, 10
_SEARCH_LARGEST_USE = 0.98  # coarse samples miss the tips of fast peaks


def walk_to(
    robot: Robot | str,
    goals: Place | Sequence[Place] = (),
    emotion: Emotion | str = "neutral",
    *,
    steps: Sequence[Footstep] = (),
    intensity: float = 1.0,
    step_length_m: float | None = None,
    step_height_m: float | None = None,
    body_height_m: float | None = None,
    margin_m: float = DEFAULT_MARGIN_M,
    pace: Pace | float = "own",
    law: Law = "pressure",
    strict: bool = False,
    rate_hz: float = 50.0,
    on_attempt: Callable[[float, bool], None] | None = None,
) -> Motion:
    """Plan a walk to a goal that shows an emotion as strongly as the body allows.

    Args:
        robot: Who walks, or its name. It starts at the origin, facing x.
        goals: Where to go, the way-points before it first.
        emotion: What it feels, or the feeling's name.
        steps: Where to put the shoes, instead of goals.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        step_length_m: Longest step in neutral; the robot's own if None.
        step_height_m: How high shoes are lifted in neutral; the robot's own if None.
        body_height_m: How high the hips are carried in neutral; the robot's own if None.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon.
        pace: Speed along a straight line in neutral [m/s]; the robot's `own`; or the `fastest` that keeps every limit,
            which then replaces the feeling's own tempo.
        law: `pressure` plans the centre of pressure; `mass` the centre of mass, as published.
        strict: Raise RefusedError instead of weakening.
        rate_hz: Samples per second.
        on_attempt: Called with each intensity tried and whether it passed.

    Raises:
        RefusedError: If `strict` and the feeling had to be weakened, or if not even neutral keeps the limits.
        ImpossibleStepError: If the wanted step or margin is out of the body's reach even in neutral.
        BadFootstepsError: If one of `steps` cannot be taken even in neutral.
    """
    started = perf_counter()
    robot = load_robot(robot) if isinstance(robot, str) else robot
    emotion = named_emotion(emotion) if isinstance(emotion, str) else emotion
    places = (goals,) if isinstance(goals, Place) else tuple(goals)
    lengths = (step_length_m, step_height_m, body_height_m, margin_m)
    request = checked_request(StepRequest(robot, emotion, places, tuple(steps), *lengths, pace, law, rate_hz))
    motion = _gated(request, checked_intensity(intensity), on_attempt or (lambda _intensity, _passed: None))
    assert motion.receipt is not None
    if strict and motion.receipt.verdict != "ok":
        receipt = replace(motion.receipt, verdict="refused")
        raise RefusedError(receipt.reasons, f"Without --strict it would walk at {receipt.intensity_kept:.2f}.", receipt)
    return replace(motion, receipt=replace(motion.receipt, solve_s=perf_counter() - started))


def _gated(request: StepRequest, intensity: float, on_attempt: Callable[[float, bool], None]) -> Motion:
    """Return the strongest walk that passes: searched on its first steps, then proved in full."""
    slower: dict[float, float | None] = {}

    def search(tried: float) -> Attempt[StepCandidate | None]:
        pace = slower[tried] = fastest(request, tried) if request.pace == "fastest" else None
        attempt = step_attempt(
            request,
            tried,
            rate_hz=search_rate_hz(1.0 if pace is None else pace),
            slower=pace,
            most_steps=SEARCH_STEPS,
            largest_use=_SEARCH_LARGEST_USE,
        )
        on_attempt(tried, attempt.passes)
        return attempt

    def prove(searched: Attempt[StepCandidate | None]) -> Attempt[StepCandidate | None]:
        tried, pace = searched.intensity, slower.get(searched.intensity)
        full = step_attempt(request, tried, rate_hz=request.rate_hz, slower=pace)
        for _ in range(_MOST_SLOWER if pace is not None else 0):  # the whole walk may need more than its first steps
            if full.passes:
                break
            pace = pace * _SLOWER if pace is not None else None
            full = step_attempt(request, tried, rate_hz=request.rate_hz, slower=pace)
        on_attempt(tried, full.passes)
        return full

    kept: Kept[StepCandidate | None] = Kept(None, ())
    if request.pace != "fastest":  # most walks pass as asked, so the proof comes first and the search only if it fails
        asked: Attempt[StepCandidate | None] = Attempt(intensity, None, ())
        full = prove(asked)
        kept = Kept(full if full.passes else None, full.shortfalls)
    if kept.attempt is None:
        neutral = search(0.0)
        if neutral.passes or request.pace != "fastest":  # only the whole walk may say that not even neutral works
            neutral = prove(neutral)
        if not neutral.passes:  # then no intensity helps
            raise why_not_even_neutral(request, neutral.shortfalls)
        kept = strongest_proved(intensity, search, prove)
    if kept.attempt is None:
        raise why_not_even_neutral(request, kept.stopped_by)
    assert kept.attempt.candidate is not None
    return _finished(request, intensity, kept.attempt.intensity, kept.attempt.candidate, kept.stopped_by)


def _finished(
    request: StepRequest, asked: float, kept: float, candidate: StepCandidate, stopped_by: tuple[Shortfall, ...]
) -> Motion:
    """Return the motion of a walk that passes, with its receipt."""
    measured, robot = candidate.measured, request.robot
    verdict: Verdict = "ok" if kept >= asked else "weakened"
    receipt = receipt_for(
        robot,
        measured,
        emotion=request.emotion,
        asked=asked,
        kept=kept,
        verdict=verdict,
        reasons=[shortfall.sentence for shortfall in stopped_by],
    )
    separation_m = candidate.gait.limits.separation_m
    goal = request.goals[-1] if request.goals else end_of(Place(0.0, 0.0), candidate.steps, separation_m)
    arrived = standing_place(robot, measured.qpos[-1])
    replaced = {"tempo": "the fastest pace was asked for"} if request.pace == "fastest" else {}
    unsaid = left_out(robot, style_for(robot, request.emotion, kept), replaced)
    return Motion(
        robot=robot.name,
        time_s=measured.time_s,
        qpos=measured.qpos,
        joint_names=robot.joint_names,
        contact=measured.contact,
        foot_names=robot.foot_names,
        torque_nm=measured.torque_nm,
        ground_force_n=measured.ground_force_n,
        cop_in_world=measured.cop_in_world,
        balance_margin_m=measured.margin_m,
        receipt=replace(receipt, task_error_mm=arrived.distance_m(goal) * 1e3, left_out=unsaid),
        meta=_meta(request, kept, candidate, goal),
    )


def _meta(request: StepRequest, kept: float, candidate: StepCandidate, goal: Place) -> dict[str, Any]:
    times, gait = candidate.gait.times, candidate.gait
    options = {
        "goal": _triple(goal),
        "via": [_triple(place) for place in request.goals[:-1]],
        "own_steps": bool(request.steps),
        "step_length_m": request.step_length_m,
        "step_height_m": request.step_height_m,
        "body_height_m": request.body_height_m,
        "margin_m": request.margin_m,
        "pace": request.pace,
        "law": request.law,
        "rate_hz": request.rate_hz,
    }
    return {
        "emotion": request.emotion.name,
        "pad": list(request.emotion.pad),
        "intensity": kept,
        "options": options,
        "footsteps": [[step.foot, *_triple(step.place)] for step in candidate.steps],
        "gait": {
            "shift_s": times.shift_s,
            "swing_s": times.swing_s,
            "settle_s": times.settle_s,
            "step_length_m": gait.limits.length_m,
            "step_height_m": gait.step_height_m,
            "body_height_m": gait.body_height_m,
            "outward_m": gait.outward_m,
            "law": request.law,
            "line_speed_m_s": gait.limits.length_m / times.step_s,
            "static_margin_m": float(static_margin_m(request.robot, candidate.carried).min()),
        },
        "seed": None,
        "robot_fingerprint": request.robot.fingerprint,
        "versions": {name: version(name) for name in ("strut", "mujoco", "numpy", "scipy")},
    }


def _triple(place: Place) -> list[float]:
    return [place.x_m, place.y_m, wrapped(place.heading_rad)]
