"""Score walk: one walk through the keyframes of a score, weakened only near the instants that break a limit.

The emotion of each keyframe is first weakened as its own steady walk needs. The walk through all of them is then
weakened towards neutral around what still breaks, and only there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np
from scipy.ndimage import distance_transform_edt, gaussian_filter1d

from strut.arrays import Array
from strut.draft import Candidate, Detail, Draft, KeyStyle, StyleOverTime, Violation
from strut.errors import OutOfRangeError, RefusedError
from strut.maths.easing import smooth_step
from strut.maths.sampling import runs
from strut.pipeline.alternatives import refusal
from strut.pipeline.candidates import Candidates, generator_for
from strut.pipeline.slowing import strongest_at_feasible_speed
from strut.plumbing.number_text import format_percent
from strut.receipt import Reason, ReasonKind, Receipt
from strut.score import Score, ScoreKey
from strut.verify.receipt_builder import mean_share_over_parameters, planned_receipt

SHARE_HZ = 1000.0  # samples of the share that is left
LEAD = 0.75  # of the usual transition: how long before a broken limit the walk weakens, and after it returns
STEP = 0.2  # of the share, each time a limit is still broken
SMOOTHING = 0.1  # of that, standard deviation; where two weakened instants are close, the share would have a kink
MAX_ROUNDS = 10
OVER_TIME = 41  # even instants at which a receipt has the intensity


@dataclass(frozen=True, slots=True, eq=False)
class KeptKeyframe:
    """What the steady walk of a keyframe keeps of its emotion.

    Args:
        keyframe: What was asked.
        intensity: Requested intensity, with that of the request.
        candidates: Of the steady walk.
        candidate: The steady walk.
        binding_limits: What a stronger one would break.
        slowed: Why it is slower than usual, if it is.
    """

    keyframe: ScoreKey
    intensity: float
    candidates: Candidates
    candidate: Candidate
    binding_limits: tuple[Violation, ...]
    slowed: tuple[Reason, ...]

    @property
    def key_style(self) -> KeyStyle:
        """The style of the steady walk."""
        style = self.candidate.draft.style
        assert style is not None, "a steady walk has a style"
        return KeyStyle(self.candidates.request.task, style, self.candidate.draft.fallback)

    @property
    def is_neutral(self) -> bool:
        """Whether the emotion is neutral, so that nothing of it can be weakened."""
        return self.intensity == 0.0 or not any(self.keyframe.emotion.pad)

    @property
    def kept_share(self) -> float:
        """Share of the requested intensity that the steady walk keeps."""
        return 1.0 if self.is_neutral else self.candidate.intensity / self.intensity * self.candidate.draft.kept

    @property
    def expressed_share(self) -> float:
        """Mean expressed share of its style parameters."""
        if self.is_neutral:
            return 1.0
        return self.candidate.intensity / self.intensity * mean_share_over_parameters(self.candidate.draft)

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why less than asked is kept, with the keyframe."""
        draft = self.candidate.draft
        own = [reason for reason in draft.reasons if reason.kind is not ReasonKind.NO_MARGIN]
        reasons = [*(violation.reason for violation in self.binding_limits), *own]
        if self.candidate.intensity < self.intensity:
            text = f"all of it at {format_percent(self.candidate.intensity / self.intensity)}"
            reasons.append(Reason(ReasonKind.WEAKENED, None, text))
        where = f"{self.keyframe.emotion.label} from {self.keyframe.at_s:.1f} s, in its steady walk"
        return tuple(replace(reason, text=f"{where}: {reason.text}") for reason in reasons)


def perform_score(candidates: Candidates, score: Score) -> tuple[Draft, Receipt, list[Reason]]:
    """Return the walk through a score, its receipt, and why it is slower than usual, if it is.

    Raises:
        RefusedError: If the walk between two keyframes breaks a limit even in neutral.
        ImpossibleStepError: If speed or turn of a keyframe is infeasible even in neutral.
    """
    if candidates.is_own_generator:
        raise OutOfRangeError("A score needs a generator that strut can build; leave yours or the score out.")
    score = score.eased(candidates.generator.usual_ease_s)
    kept = _keep_keyframes(candidates, [(key, key.intensity) for key in score.keyframes])
    styles = StyleOverTime(score, tuple(part.key_style for part in kept))
    candidate, styles, reasons = _weaken_locally(candidates, styles, kept)
    draft = candidate.draft
    all_reasons = [*dict.fromkeys(reason for part in kept for reason in part.reasons), *reasons, *draft.reasons]
    draft = replace(
        draft,
        reasons=tuple(all_reasons),
        not_expressed=tuple(dict.fromkeys(text for part in kept for text in part.candidate.draft.not_expressed)),
    )
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    receipt = replace(receipt, **_score_figures(draft, styles, kept))
    return draft, receipt, list(dict.fromkeys(reason for part in kept for reason in part.slowed))


def _keep_keyframes(candidates: Candidates, keyframes: Sequence[tuple[ScoreKey, float]]) -> list[KeptKeyframe]:
    """Return what the steady walk of each keyframe keeps, at an intensity of its own; equal walks are planned once."""
    request = candidates.request
    made = dict[Any, KeptKeyframe]()
    kept = list[KeptKeyframe]()
    for keyframe, intensity in keyframes:
        asked = request.intensity * intensity
        task = request.task.at_keyframe(keyframe)
        known = (keyframe.emotion, asked, task)
        if known not in made:
            steady = msgspec.structs.replace(
                request, score=None, emotion=keyframe.emotion, intensity=asked, task=task, strict=False
            )
            own = candidates.of_request(steady, generator_for(steady, candidates.robot, candidates.on_progress))
            strongest, own, slowed = strongest_at_feasible_speed(own)
            if strongest.candidate is None:
                raise refusal(own, strongest.binding_limits)
            made[known] = KeptKeyframe(
                keyframe, asked, own, strongest.candidate, strongest.binding_limits, tuple(slowed)
            )
        kept.append(replace(made[known], keyframe=keyframe))
    return kept


def _weaken_locally(
    candidates: Candidates, styles: StyleOverTime, kept: Sequence[KeptKeyframe]
) -> tuple[Candidate, StyleOverTime, list[Reason]]:
    """Return the walk through the styles, weakened around what breaks a limit, with its styles and why."""
    has_no_margin = any(reason.kind is ReasonKind.NO_MARGIN for part in kept for reason in part.candidate.draft.reasons)
    lead_s = LEAD * candidates.generator.usual_ease_s
    reasons = list[Reason]()
    detail = Detail("whole")
    for _ in range(MAX_ROUNDS):
        drafts = candidates.generator.drafts_over_time(styles, detail)
        candidate = candidates.first_passing(drafts, 1.0, detail, neutral=has_no_margin)
        candidates.report(candidates.request.intensity, passed=candidate.passes)
        if candidate.passes and detail.level == "final":
            return candidate, styles, [*reasons, *_weakened_reasons(styles)]
        if candidate.passes:
            detail = Detail("final")
            continue
        reasons = reasons or [violation.reason for violation in candidate.violations]
        lowered = _lower_share(styles, candidate, lead_s)
        if lowered is None:
            break
        if not styles.neutral:
            neutral = _keep_keyframes(candidates, [(key, 0.0) for key in styles.score.keyframes])
            lowered = replace(lowered, neutral=tuple(part.key_style for part in neutral))
        styles = lowered
    advice = "The walk changes too fast there; let the keyframe take over for longer (ease), or change less."
    raise RefusedError([violation.reason for violation in candidate.violations], advice)


def _lower_share(styles: StyleOverTime, candidate: Candidate, lead_s: float) -> StyleOverTime | None:
    """Return styles with one step less around the samples that break a limit; None if none is left there."""
    time_s = candidate.draft.time_s
    broken = np.zeros(len(time_s), dtype=np.bool_)
    for violation in candidate.violations:
        *earlier, last = runs(violation.broken)
        for run in earlier:
            broken[run] = True
        follows = violation.broken[
            -1
        ]  # the end is neutral, so that it only follows from a fall or a turned joint before
        broken[last.start : last.start + 1 if follows else last.stop] = True
    share_time_s = np.arange(round(time_s[-1] * SHARE_HZ) + 1) / SHARE_HZ
    share = np.ones_like(share_time_s)
    if styles.share is not None:
        share = np.interp(share_time_s, styles.share_time_s, styles.share)
    is_broken = np.zeros(len(share), dtype=np.bool_)
    is_broken[np.clip(np.round(time_s[broken] * SHARE_HZ).astype(int), 0, len(share) - 1)] = True
    if share[is_broken].max() < 0.5 * STEP:
        return None
    away_s = distance_transform_edt(~is_broken) / SHARE_HZ
    lowered = np.clip(share - STEP * smooth_step(1.0 - away_s / lead_s), 0.0, 1.0)
    smooth = gaussian_filter1d(lowered, SMOOTHING * lead_s * SHARE_HZ, mode="nearest")
    return replace(styles, share_time_s=share_time_s, share=smooth)


def _weakened_reasons(styles: StyleOverTime) -> list[Reason]:
    """Return when least of the emotions is left between the keyframes; nothing if all of them is."""
    if styles.share is None:
        return []
    lowest = int(np.argmin(styles.share))
    text = f"all of it at {format_percent(float(styles.share[lowest]))} around {styles.share_time_s[lowest]:.1f} s"
    return [Reason(ReasonKind.WEAKENED, None, text)]


def _score_figures(draft: Draft, styles: StyleOverTime, kept: Sequence[KeptKeyframe]) -> dict[str, Any]:
    """Return the entries of a receipt about a score: what is kept of each keyframe and over time."""
    time_s = draft.time_s
    weights = styles.score.weights_at(time_s)
    share = styles.share_at(time_s)
    intensity = np.array([0.0 if part.is_neutral else part.intensity for part in kept])
    kept_share = np.array([part.kept_share for part in kept])
    asked = weights @ intensity
    left = share * (weights @ (intensity * kept_share))
    shown = _fade(draft) * (weights @ (intensity * np.array([part.expressed_share for part in kept])))
    instants = np.linspace(time_s[0], time_s[-1], OVER_TIME)
    keyframes = []
    for index, part in enumerate(kept):
        in_section = weights[:, index]
        local = 1.0 if part.is_neutral or not in_section.any() else float(np.average(share, weights=in_section))
        keyframes.append(
            {
                "at_s": part.keyframe.at_s,
                "emotion": part.keyframe.emotion.label,
                "intensity_asked": part.intensity,
                "kept_share": round(part.kept_share * local, 4),
            }
        )
    is_neutral = not intensity.any()
    return {
        "intensity_asked": float(asked.mean()),
        "intensity_kept": float(left.mean()),
        "expressed_share": None if is_neutral else float(shown.mean() / asked.mean()),
        "score": {
            "keyframes": keyframes,
            "time_s": np.round(instants, 3).tolist(),
            "intensity_asked": np.round(np.interp(instants, time_s, asked), 4).tolist(),
            "intensity_kept": np.round(np.interp(instants, time_s, left), 4).tolist(),
        },
    }


def _fade(draft: Draft) -> Array:
    return np.ones_like(draft.time_s) if draft.share_over_time is None else draft.share_over_time
