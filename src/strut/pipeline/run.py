"""Run: the one pipeline. A request becomes a style, a draft, and a motion that keeps every limit, with its receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from strut.draft import Draft, Generator, Limit, OnProgress
from strut.errors import RefusedError
from strut.models.catalogue import load_robot
from strut.motion import Motion, versions_in_use
from strut.pipeline.alternatives import refusal
from strut.pipeline.candidates import Candidates, generator_for
from strut.pipeline.relaxation import relax_locally
from strut.pipeline.score_walk import perform_score
from strut.pipeline.slowing import slower_than_usual, strongest_at_feasible_speed
from strut.plumbing.number_text import format_percent
from strut.receipt import Reason, Receipt, intensity_of_asked
from strut.request import Request
from strut.robot import Robot
from strut.simulation.servo_bound import servo_bound
from strut.verify.receipt_builder import planned_receipt


def run(
    request: Request,
    *,
    robot: Robot | None = None,
    generator: Generator | None = None,
    limits: Sequence[Limit] = (),
    on_progress: OnProgress | None = None,
) -> Motion:
    """Do what is asked, as strongly as the body allows.

    Args:
        request: What is asked.
        robot: The robot, if it is not the robot of that name.
        generator: A generator in the place of that of the request's task.
        limits: Further limits beside the robot's own.
        on_progress: Called with every intensity that is tried and every iteration of a solver; returning True stops.

    Returns:
        The motion, with its receipt; its `meta` holds the request.

    Raises:
        RefusedError: If strict and the emotion had to be weakened, or if not even neutral keeps the limits.
        ImpossibleStepError: If an option is infeasible even in neutral; names the nearest feasible value.
        StoppedError: If `on_progress` returned True.

    Example:
        >>> sad = strut.named_emotion("sad")
        >>> request = strut.Request(robot="mrpete", task=strut.gaits.Crawl(cycles=3), emotion=sad)
        >>> strut.run(request).receipt.verdict
    """
    started = perf_counter()
    robot = load_robot(request.robot) if robot is None else robot
    request = msgspec.structs.replace(request, expression=robot.chosen_layer(request.expression))
    robot = robot.expressing(request.expression)
    is_own_generator = generator is not None
    if generator is None:
        generator = generator_for(request, robot, on_progress)
    candidates = Candidates(request, robot, generator, tuple(limits), on_progress, is_own_generator=is_own_generator)
    if request.score is not None:
        draft, receipt, slowed = perform_score(candidates, request.score)
    else:
        draft, receipt, candidates, slowed = _perform_emotion(candidates)
    if request.task.walks:
        receipt = replace(receipt, **servo_bound(robot, receipt.balance_margin_mm))
    receipt = replace(receipt, expression=None if request.expression == "published" else request.expression)
    if request.strict and receipt.verdict != "ok":
        refused = replace(receipt, verdict="refused")
        raise RefusedError(refused.reasons, _unless_strict(request, receipt), refused)
    if slowed:  # the speed is the planner's own, so that it was not asked for
        receipt = replace(receipt, walking_speed_asked_m_s=None)
    elif generator.slow_because:
        slowed = [slower_than_usual(generator.usual_options["speed_m_s"], generator.slow_because)]
    receipt = replace(receipt, reasons=(*receipt.reasons, *slowed), solve_s=perf_counter() - started)
    return motion_of(candidates.request, draft, receipt)


def _perform_emotion(candidates: Candidates) -> tuple[Draft, Receipt, Candidates, list[Reason]]:
    """Return the strongest expression of one emotion, its receipt, its candidates, and why it is slower than usual."""
    request = candidates.request
    strongest, candidates, slowed = strongest_at_feasible_speed(candidates)
    if request.retreat == "local":
        strongest = relax_locally(candidates, strongest)
    if strongest.candidate is None:
        raise refusal(candidates, strongest.binding_limits)
    draft = strongest.candidate.draft
    receipt = planned_receipt(
        draft,
        emotion=request.emotion,
        asked=request.asked,
        intensity=strongest.candidate.intensity,
        binding_limits=strongest.binding_limits,
    )
    return draft, receipt, candidates, slowed


def _unless_strict(request: Request, receipt: Receipt) -> str:
    """Return what the request would give if it were not strict."""
    how = "walk at" if request.task.walks else "show it at"
    intensity = intensity_of_asked(receipt.intensity_kept or 0.0, request.asked)
    if receipt.intensity_kept == request.asked and receipt.expressed_share is not None:
        share = format_percent(receipt.expressed_share)
        return f"Without --strict it would {how} intensity {request.asked:.2f}, {share} expressed."
    return f"Without --strict it would {how} {intensity}."


def _share_over_time(draft: Draft) -> list[float] | None:
    """Return the share of its style that a draft expresses at 21 even instants; None if it is constant."""
    if draft.share_over_time is None:
        return None
    instants = np.linspace(draft.time_s[0], draft.time_s[-1], 21)
    return [round(share, 4) for share in np.interp(instants, draft.time_s, draft.share_over_time).tolist()]


def motion_of(request: Request, draft: Draft, receipt: Receipt) -> Motion:
    """Return the motion of a measured draft; its `meta` says how it was made."""
    robot = draft.robot
    needs = draft.measured
    emotion = request.emotion
    named = request.as_dict() | {"robot": robot.name}
    meta: dict[str, Any] = {
        "emotion": emotion and emotion.name,
        "pad": emotion and list(emotion.pad),
        "intensity": receipt.intensity_kept,
        "shown_over_time": _share_over_time(draft),
        "seed": None,
        "robot_fingerprint": robot.fingerprint,
        "versions": versions_in_use(),
        **draft.meta,
        "request": named,
    }
    meta["options"] = {**meta.get("options", {}), "margin_m": request.min_margin_m, "rate_hz": request.rate_hz}
    balanced = needs.limit_set == "standing"
    return Motion(
        robot=robot.name,
        time_s=draft.time_s,
        qpos=draft.qpos,
        joint_names=robot.joint_names,
        contact=draft.contact,
        foot_names=robot.foot_names,
        torque_nm=needs.torque_nm if draft.torque_nm is None else draft.torque_nm,
        ground_force_n=_ground_force(draft),
        cop_in_world=needs.cop_in_world if balanced and robot.feet else draft.cop_in_world,
        balance_margin_m=needs.margin_m if balanced and robot.feet else None,
        receipt=receipt,
        meta=meta,
    )


def _ground_force(draft: Draft) -> Any:
    """Return the force on each foot (T, n_feet, 3); None without feet."""
    if not draft.robot.feet:
        return None
    return draft.measured.ground_force_n if draft.ground_force_n is None else draft.ground_force_n
