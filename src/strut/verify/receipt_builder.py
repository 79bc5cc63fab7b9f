"""Receipt builder: the one receipt of a measured draft, and how much of a feeling it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from strut.audit import STANDS_STILL_M, Audit
from strut.draft import Draft, Violation
from strut.emotion import Emotion
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.travel_direction import base_track, travel_direction
from strut.plumbing.number_text import format_percent
from strut.receipt import WEAKENED, Receipt, Verdict
from strut.robot import Robot
from strut.style import parameter_label

AS_ASKED = 0.85  # a motion that shows less of a feeling, on average over time and words, is weakened


def cost_of_transport(robot: Robot, measured: Audit) -> float | None:
    """Return the mechanical work of all joints, braking not returned, over weight and distance; None on the spot.

    None on wheels, too: nobody knows what the platform's motors take.
    """
    if measured.distance_m < STANDS_STILL_M or not robot.feet:
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
        emotion: What was to be shown, if anything.
        asked: Intensity that was asked for.
        intensity: Intensity of the draft.
        binding_limits: What a stronger draft would have broken.
    """
    kept = intensity * draft.kept
    over_time = shown_over_time(draft)
    over_words = shown_over_words(draft)
    reasons = [*(violation.sentence for violation in binding_limits), *draft.reasons]
    reasons += _all_weakened(draft, intensity / asked) if reasons and intensity < asked else []
    shown = None
    if emotion is not None and asked > 0.0 and draft.words:
        shown = intensity / asked * over_time * over_words
        reasons += _too_little(draft, over_time, over_words)
    return receipt_for(
        draft,
        emotion=emotion,
        asked=None if emotion is None else asked,
        kept=None if emotion is None else kept,
        shown=shown,
        verdict="weakened" if reasons else "ok",
        reasons=reasons,
    )


def _all_weakened(draft: Draft, share: float) -> list[str]:
    """Return that all words of a feeling are weakened alike, and which these are."""
    names = ", ".join(parameter_label(word) for word in draft.words)
    return [f"{WEAKENED}all of it{f' ({names})' if names else ''} at {format_percent(share)}"]


def shown_over_time(draft: Draft) -> float:
    """Return the mean share of its style that a draft shows from the first sample to the last."""
    return 1.0 if draft.shown is None else float(draft.shown.mean())


def shown_over_words(draft: Draft) -> float:
    """Return the mean share of the visible words of its style that a draft shows; words left out count as 0."""
    return float(np.mean(list(draft.words.values()))) if draft.words else 1.0


def _too_little(draft: Draft, over_time: float, over_words: float) -> list[str]:
    """Return why a draft shows less than it should, if it does."""
    said = []
    if over_time * over_words < AS_ASKED and over_time < 1.0:
        said.append("shown: the feeling comes and goes; a longer motion shows more of it")
    if over_time * over_words >= AS_ASKED:
        said += _main_words_lacking(draft)
    missing = [parameter_label(word) for word, share in draft.words.items() if share < AS_ASKED]
    if over_time * over_words < AS_ASKED and missing:
        said.append(f"shown: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing or weak")
    return said


def _main_words_lacking(draft: Draft) -> list[str]:
    """Return that a main cue of the feeling is not shown at all, if that is so: the rest does not make up for it."""
    main = draft.robot.expression.main
    lacking = [parameter_label(word) for word, share in draft.words.items() if word in main and share == 0.0]
    return [f"shown: {' and '.join(lacking)}, a main cue of the feeling, is missing"] if lacking else []


def receipt_for(
    draft: Draft,
    *,
    emotion: Emotion | None,
    asked: float | None,
    kept: float | None,
    verdict: Verdict,
    reasons: Sequence[str],
    shown: float | None = None,
) -> Receipt:
    """Return the receipt of a measured draft."""
    robot = draft.robot
    needs = draft.measured
    duration_s = float(needs.time_s[-1] - needs.time_s[0])
    judged = needs.landings is None and np.isfinite(needs.margin_m).all()
    balanced = judged and not needs.on_lines  # a line has no inside
    speed_m_s = needs.distance_m / duration_s if robot.base_size else None
    measured = {"speed_m_s": speed_m_s, "left_out": draft.left_out, "soundness": _soundness(needs)}
    direction = travel_direction(base_track(draft.qpos)) if robot.floats else {}
    figures = measured | direction | _task_figures(needs) | dict(draft.figures)
    return Receipt(
        robot=robot.name,
        emotion=emotion.name if emotion else None,
        pad=emotion.pad if emotion else None,
        intensity_asked=asked,
        intensity_kept=kept,
        verdict=verdict,
        reasons=tuple(reasons),
        duration_s=duration_s,
        distance_m=needs.distance_m if robot.base_size else None,
        balance_margin_mm=float(needs.margin_m.min()) * 1e3 if balanced else None,
        joint_limit_margin_rad=float(needs.joint_limit_margin_rad.min()),
        joint_speed_use=float(np.max(np.abs(needs.joint_speed_rad_s) / robot.joint_speed_limit_rad_s)),
        torque_use=float(np.max(np.abs(needs.torque_nm) / robot.torque_limit_nm)),
        foot_slip_mm=float(needs.slip_m.max()) * 1e3 if robot.feet else None,
        penetration_mm=needs.penetration_m * 1e3,
        self_collision_mm=None if needs.self_distance is None else needs.self_distance.smallest_m * 1e3,
        cost_of_transport=cost_of_transport(robot, needs),
        solve_s=None,
        shown=shown,
        **figures,
    )


def _task_figures(needs: Audit) -> dict[str, Any]:
    """Return how well a hand did its task."""
    if needs.task is None:
        return {"task_error_mm": None}
    return {
        "task_error_mm": float(needs.task.hand_error_m.max()) * 1e3,
        "gaze_error_rad": needs.task.largest_gaze_error_rad,
        "redundancy": needs.task.redundancy,
    }


def _soundness(needs: Audit) -> dict[str, float | str | None] | None:
    """Return what a look at a walk with landings found besides its needs."""
    if needs.landings is None:
        return None
    return {
        "unexplained_n": float(needs.landings.unexplained_n.max()),
        "force_disagreement": needs.force_disagreement,
        "torque_disagreement": needs.torque_disagreement,
        "unjudged": "; ".join(needs.landings.unjudged) or None,
    }
