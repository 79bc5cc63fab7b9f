"""Relaxation: a posture that retreats towards neutral only while a limit is near, and returns smoothly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.ndimage import distance_transform_edt

from strut.arrays import Array
from strut.draft import Candidate, Detail, StrongestCandidate
from strut.maths.easing import smooth_step
from strut.pipeline.candidates import Candidates
from strut.pipeline.gate import COARSE_STEP

LEAD_S = 1.0  # how long before a broken limit the posture starts to relax, and how long after it returns
STEP = 0.05  # of the share of the posture, each time a limit is still broken
MAX_ROUNDS = 12


def relax_locally(candidates: Candidates, strongest: StrongestCandidate) -> StrongestCandidate:
    """Return a motion that relaxes near its limits and expresses more on average than `strongest`; else `strongest`."""
    if strongest.candidate is None or not strongest.binding_limits:
        return strongest
    intensity = candidates.request.asked
    while intensity > strongest.candidate.intensity:
        relaxed, share = relax_at(candidates, intensity)
        if relaxed.passes and intensity * relaxed.draft.kept > strongest.candidate.intensity:
            full = candidates.candidate(intensity, Detail("final", share, relaxed.draft.fallback))
            if full.passes:
                draft = replace(full.draft, reasons=relaxed.draft.reasons)
                return StrongestCandidate(replace(full, draft=draft), ())
        else:
            candidates.report(intensity, passed=False)
        intensity -= COARSE_STEP
    return strongest


def relax_at(candidates: Candidates, intensity: float) -> tuple[Candidate, Array | None]:
    """Return a coarse candidate that relaxes wherever it would break a limit, with the share of its posture (T,)."""
    first = candidates.candidate(intensity, Detail("whole"), quiet=True)
    candidate = first
    share = None
    for _ in range(MAX_ROUNDS):
        if candidate.passes:
            break
        time_s = candidate.draft.time_s
        broken = np.any([violation.broken for violation in candidate.violations], axis=0)
        share = lower_share(np.ones_like(time_s) if share is None else share, broken, time_s)
        candidate = candidates.candidate(intensity, Detail("whole", share), quiet=True)
    reasons = tuple(violation.reason for violation in first.violations)
    return replace(candidate, draft=replace(candidate.draft, reasons=reasons)), share


def lower_share(share: Array, broken: npt.NDArray[np.bool_], time_s: Array) -> Array:
    """Return the share of a posture, one step less around the samples that break a limit. Shapes (T,), (T,), (T,)."""
    step_s = float(time_s[1] - time_s[0])
    away_s = distance_transform_edt(~broken) * step_s
    return np.clip(share - STEP * smooth_step(1.0 - away_s / LEAD_S), 0.0, 1.0)
