"""Run: the one pipeline. A request becomes a style, a draft, and a motion that keeps every limit, with its receipt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any

import msgspec
import numpy as np

from strut.draft import Draft, Generator, Limit, OnProgress, StrongestCandidate
from strut.errors import RefusedError
from strut.models.catalogue import load_robot
from strut.motion import Motion, versions_in_use
from strut.pipeline.alternatives import slower, why_not_even_neutral
from strut.pipeline.relaxation import relaxed
from strut.pipeline.trials import Trials, generator_for
from strut.pipeline.weakening import strongest_expression
from strut.plumbing.number_text import format_percent, format_speed
from strut.receipt import Reason, ReasonKind, Receipt, intensity_of_asked
from strut.request import Request
from strut.robot import Robot
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
        robot: Who moves, where it is not the robot of that name.
        generator: What drafts, in the place of the generator of the request's task.
        limits: What judges, beside the robot's own limits.
        on_progress: Told every intensity tried and every iteration of a solver; returning True stops.

    Returns:
        The motion, with its receipt; its `meta` holds the request.

    Raises:
        RefusedError: If strict and the feeling had to be weakened, or if not even neutral keeps the limits.
        ImpossibleStepError: If a step or margin is out of the body's reach even in neutral; says what works instead.
        StoppedError: If `on_progress` returned True.

    Example:
        >>> request = strut.Request(robot="mrpete", task=strut.Crawl(cycles=3), emotion=strut.named_emotion("sad"))
        >>> strut.run(request).receipt.verdict
    """
    started = perf_counter()
    robot = load_robot(request.robot) if robot is None else robot
    request = msgspec.structs.replace(request, expression=robot.chosen_layer(request.expression))
    robot = robot.expressing(request.expression)
    drafts = generator_for(request, robot, on_progress) if generator is None else generator
    trials = Trials(request, robot, drafts, tuple(limits), on_progress)
    kept = strongest_expression(trials)
    told = tuple[Reason, ...]()
    if kept.attempt is None:
        trials, kept, told = _calmer(trials, kept)
    if request.retreat == "local":
        kept = relaxed(trials, kept)
    if kept.attempt is None:
        raise why_not_even_neutral(trials, kept.binding_limits)
    receipt = planned_receipt(
        kept.attempt.draft,
        emotion=request.emotion,
        asked=request.asked,
        intensity=kept.attempt.intensity,
        binding_limits=kept.binding_limits,
    )
    receipt = replace(receipt, expression=_told_layer(request))
    if request.strict and receipt.verdict != "ok":
        refused = replace(receipt, verdict="refused")
        raise RefusedError(refused.reasons, _unless_strict(request, receipt), refused)
    if told:  # the speed is the planner's own, not what anybody asked for
        receipt = replace(receipt, reasons=(*receipt.reasons, *told), walking_speed_asked_m_s=None)
    else:
        receipt = replace(receipt, reasons=(*receipt.reasons, *_slow_gait(trials)))
    receipt = replace(receipt, solve_s=perf_counter() - started)
    return motion_of(trials.request, kept.attempt.draft, receipt)


def _unless_strict(request: Request, receipt: Receipt) -> str:
    """Return what would come of a request that may be weakened."""
    how = "walk at" if request.task.walks else "show it at"
    dial = intensity_of_asked(receipt.intensity_kept or 0.0, request.asked)
    if receipt.intensity_kept == request.asked and receipt.expressed_share is not None:
        return f"Without --strict it would {how} {dial}, {format_percent(receipt.expressed_share)} expressed."
    return f"Without --strict it would {how} {dial}."


def _calmer(trials: Trials, faster: StrongestCandidate) -> tuple[Trials, StrongestCandidate, tuple[Reason, ...]]:
    """Return what a robot that cannot keep its gait's own speed does at the largest share of it; as it was if none."""
    for calmer in slower(trials):
        kept = strongest_expression(calmer)
        if kept.attempt is not None:
            return calmer, kept, (_slower_sentence(calmer.request, faster),)
    return trials, faster, ()


def _told_layer(request: Request) -> str | None:
    """Return the layer of expression that a receipt tells: what is published needs no word."""
    return None if request.expression == "published" else request.expression


def _slower_sentence(request: Request, faster: StrongestCandidate) -> Reason:
    """Return why a robot walks at another speed than its gait's own."""
    return _speed_sentence(getattr(request.task, "speed_m_s", 0.0), str(faster.binding_limits[0].reason))


def _slow_gait(trials: Trials) -> list[Reason]:
    """Return why the robot's own gait is slow, if it is and no other speed was asked for."""
    usual = getattr(trials.generator, "usual", {}).get("speed_m_s")
    why = getattr(trials.robot.tables.gait, "slow_because", "")
    chosen = getattr(trials.request.task, "speed_m_s", None) is not None
    return [] if usual is None or chosen or not why else [_speed_sentence(usual, why)]


def _speed_sentence(speed_m_s: float, why: str) -> Reason:
    text = f"walks at {format_speed(speed_m_s)} in neutral, because its usual speed would break a limit ({why})"
    return Reason(ReasonKind.SLOWED, None, text)


def _shown_over_time(draft: Draft) -> list[float] | None:
    """Return at 21 even instants the share of its style that a draft shows; None where it does not come and go."""
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
        "shown_over_time": _shown_over_time(draft),
        "seed": None,
        "robot_fingerprint": robot.fingerprint,
        "versions": versions_in_use(),
        **draft.meta,
        "request": named,
    }
    meta["options"] = {**meta.get("options", {}), "margin_m": request.least_margin_m, "rate_hz": request.rate_hz}
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
