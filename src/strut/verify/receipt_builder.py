"""Receipt builder: the receipt of a measured draft, and how much of an emotion it expresses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strut.audit import Audit
from strut.draft import Draft, Violation
from strut.emotion import Emotion
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.travel_direction import base_track, travel_direction
from strut.plumbing.number_text import format_percent, format_speed, join_words
from strut.receipt import Reason, ReasonKind, Receipt, Verdict
from strut.robot import Robot
from strut.style import parameter_label

AS_ASKED = 0.85  # a motion with a smaller mean expressed share is weakened
SPEED_REACHED = 0.95  # of the speed that was asked for; less is a reason
MIN_WAY = 0.1  # of the height of the base, and
MIN_RETURN = 0.5  # of the farthest distance from the start: a walk that ends nearer to its start is on the spot


def cost_of_transport(robot: Robot, measured: Audit) -> float | None:
    """Return the mechanical work of all joints, braking not returned, over weight and distance; None on the spot.

    A short shuffle and a walk that returns are on the spot, too: they cost work and lead nowhere. None on wheels: the
    work of the platform's motors is unknown.
    """
    if not robot.feet:
        return None
    away_m = np.linalg.norm(measured.qpos[:, :2] - measured.qpos[0, :2], axis=1)
    if measured.distance_m < max(MIN_WAY * float(measured.qpos[:, 2].mean()), MIN_RETURN * float(away_m.max())):
        return None
    power_w = np.abs(measured.torque_nm * measured.joint_speed_rad_s).sum(axis=1)
    work_j = float(np.trapezoid(power_w, measured.time_s))
    return work_j / (robot.mass_kg * GRAVITY_M_S2 * measured.distance_m)


def planned_receipt(
    draft: Draft, *, emotion: Emotion | None, asked: float, intensity: float, binding_limits: Sequence[Violation]
) -> Receipt:
    """Return the receipt of a draft that passed every limit.

    Args:
        draft: Measured.
        emotion: The requested emotion, if any.
        asked: Requested intensity.
        intensity: Intensity of the draft.
        binding_limits: What a stronger draft would break.
    """
    reasons = [*(violation.reason for violation in binding_limits), *draft.reasons]
    if reasons and intensity < asked:
        parameters = join_words([parameter_label(name) for name in draft.expressed]) if draft.expressed else "all of it"
        text = f"{parameters} at {format_percent(intensity / asked)}"
        reasons.append(Reason(ReasonKind.WEAKENED, None, text))
    share = None
    if emotion is not None and asked > 0.0 and draft.expressed:
        share = intensity / asked * mean_share_over_time(draft) * mean_share_over_parameters(draft)
        reasons += _why_little_is_expressed(draft)
    return receipt_for(
        draft,
        emotion=emotion,
        asked=None if emotion is None else asked,
        kept=None if emotion is None else intensity * draft.kept,
        expressed_share=share,
        verdict="weakened" if reasons else "ok",
        reasons=[*reasons, *_too_slow(draft)],
    )


def _too_slow(draft: Draft) -> list[Reason]:
    """Return that a walk is slower than it was asked to be in its style; nothing if it is not, or too short to say."""
    reached_m_s = draft.figures.get("walking_speed_m_s")
    neutral_m_s = draft.figures.get("walking_speed_asked_m_s")
    if reached_m_s is None or not neutral_m_s:
        return []
    asked_m_s = neutral_m_s * (1.0 if draft.style is None else abs(draft.style.speed))
    if reached_m_s >= SPEED_REACHED * asked_m_s:
        return []
    share = format_percent(reached_m_s / asked_m_s)
    text = f"walks at {format_speed(reached_m_s)} once under way, {share} of the {format_speed(asked_m_s)} asked"
    return [Reason(ReasonKind.SLOWED, None, text)]


def mean_share_over_time(draft: Draft) -> float:
    """Return the mean share of its style that a draft expresses from the first sample to the last."""
    return 1.0 if draft.share_over_time is None else float(draft.share_over_time.mean())


def mean_share_over_parameters(draft: Draft) -> float:
    """Return the mean expressed share of the visible style parameters; a missing one counts as 0."""
    return float(np.mean(list(draft.expressed.values()))) if draft.expressed else 1.0


def _why_little_is_expressed(draft: Draft) -> list[Reason]:
    """Return why a draft expresses too little although no limit forbids more; nothing if it expresses enough.

    Even if the mean is enough, a main cue that is missing altogether is named: the others do not make up for it.
    """
    over_time = mean_share_over_time(draft)
    is_enough = over_time * mean_share_over_parameters(draft) >= AS_ASKED
    texts = []
    if not is_enough and over_time < 1.0:
        texts.append("the emotion fades in and out; more cycles express more of it")
    if is_enough:
        main = draft.robot.expression.main
        missing = [parameter_label(name) for name, share in draft.expressed.items() if name in main and share == 0.0]
        if missing:
            texts.append(f"{' and '.join(missing)}, a main cue of the emotion, is missing")
    else:
        weak = [parameter_label(name) for name, share in draft.expressed.items() if share < AS_ASKED]
        if weak:
            texts.append(f"{' and '.join(weak)} {'is' if len(weak) == 1 else 'are'} missing or weak")
    return [Reason(ReasonKind.NOT_EXPRESSED, None, text) for text in texts]


def receipt_for(
    draft: Draft,
    *,
    emotion: Emotion | None,
    asked: float | None,
    kept: float | None,
    verdict: Verdict,
    reasons: Sequence[Reason],
    expressed_share: float | None = None,
) -> Receipt:
    """Return the receipt of a measured draft."""
    robot = draft.robot
    audit = draft.measured
    duration_s = float(audit.time_s[-1] - audit.time_s[0])
    has_margin = audit.landings is None and not audit.on_lines and np.isfinite(audit.margin_m).all()
    transport_cost = cost_of_transport(robot, audit)
    figures: dict[str, Any] = {
        "speed_m_s": audit.distance_m / duration_s if robot.base_size else None,
        "task_error_mm": None,
        "soundness": _soundness(audit),
    }
    if robot.floats:
        figures |= travel_direction(base_track(draft.qpos))
    for part in audit.parts.values():
        figures |= part.receipt_figures()
    figures |= draft.figures
    return Receipt(
        robot=robot.name,
        emotion=emotion.name if emotion else None,
        pad=emotion.pad if emotion else None,
        intensity_asked=asked,
        intensity_kept=kept,
        verdict=verdict,
        reasons=tuple(reasons),
        duration_s=duration_s,
        distance_m=audit.distance_m if robot.base_size else None,
        balance_margin_mm=float(audit.margin_m.min()) * 1e3 if has_margin else None,
        joint_limit_margin_rad=float(audit.joint_limit_margin_rad.min()),
        joint_speed_use=float(np.max(np.abs(audit.joint_speed_rad_s) / robot.joint_speed_limit_rad_s)),
        torque_use=float(np.max(np.abs(audit.torque_nm) / robot.torque_limit_nm)),
        foot_slip_mm=float(audit.slip_m.max()) * 1e3 if robot.feet else None,
        penetration_mm=audit.penetration_m * 1e3,
        self_collision_mm=_self_collision_mm(audit),
        cost_of_transport=transport_cost,
        solve_s=None,
        expressed_share=expressed_share,
        not_expressed=draft.not_expressed,
        **figures,
    )


def _self_collision_mm(audit: Audit) -> float | None:
    """Return the smallest distance of bodies that do not overlap by design; None if there are none."""
    distance = audit.self_distance
    return None if distance is None or np.isinf(distance.smallest_m) else distance.smallest_m * 1e3


def _soundness(audit: Audit) -> dict[str, float | str | None] | None:
    """Return how well ground forces explain a walk with landings; None for any other motion."""
    if audit.landings is None:
        return None
    return {
        "unexplained_n": float(audit.landings.unexplained_n.max()),
        "force_disagreement": audit.force_disagreement,
        "torque_disagreement": audit.torque_disagreement,
        "unjudged": "; ".join(audit.landings.unjudged) or None,
    }
