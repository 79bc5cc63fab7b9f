"""Relaxation: a pose that retreats towards neutral only while a limit is near, and returns smoothly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt

from strut.arrays import Array
from strut.draft import Attempt, Detail, StrongestCandidate
from strut.maths.easing import smooth_step
from strut.pipeline.gate import COARSE
from strut.pipeline.trials import Trials

LEAD_S = 1.0  # how long before a broken limit the pose starts to relax, and how long after it returns
STEP = 0.05
_MOST_RELAXING = 12


def relaxed(trials: Trials, kept: StrongestCandidate) -> StrongestCandidate:
    """Return a motion that relaxes where it must and so shows more on average than `kept`; else `kept` itself."""
    if kept.attempt is None or not kept.binding_limits:
        return kept
    intensity = trials.request.asked
    while intensity > kept.attempt.intensity:
        attempt, share = _relaxing(trials, intensity)
        if attempt.passes and intensity * attempt.draft.kept > kept.attempt.intensity:
            full = trials.attempt(intensity, Detail("final", share, attempt.draft.variant))
            if full.passes:
                return StrongestCandidate(replace(full, draft=replace(full.draft, reasons=attempt.draft.reasons)), ())
        else:
            trials.tell(intensity, passed=False)
        intensity -= COARSE
    return kept


def _relaxing(trials: Trials, intensity: float) -> tuple[Attempt, Array | None]:
    """Return a coarse attempt that relaxes wherever it would otherwise break a limit, with its share (T,)."""
    first = attempt = trials.attempt(intensity, Detail("whole"), quiet=True)
    share = None
    for _ in range(_MOST_RELAXING):
        if attempt.passes:
            break
        time_s = attempt.draft.time_s
        broken = np.any([violation.broken for violation in attempt.violations], axis=0)
        share = deepened(np.ones_like(time_s) if share is None else share, broken, time_s)
        attempt = trials.attempt(intensity, Detail("whole", share), quiet=True)
    reasons = tuple(violation.reason for violation in first.violations)
    return replace(attempt, draft=replace(attempt.draft, reasons=reasons)), share


def deepened(share: Array, broken: npt.NDArray[np.bool_], time_s: Array) -> Array:
    """Return the share of a pose shown, a step less around the samples that break a limit. Shapes (T,), (T,), (T,)."""
    step_s = float(time_s[1] - time_s[0])
    away_s = distance_transform_edt(~broken) * step_s
    return np.clip(share - STEP * smooth_step(1.0 - away_s / LEAD_S), 0.0, 1.0)
