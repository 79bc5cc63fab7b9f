"""Recording verdict: what markers add to the verdict on a walk, and how sure the verdict is.

`strut.verify` judges the samples of a motion file. Two faults are only in the markers: names that were exchanged, and
jitter. A verdict near a limit says so, with the uncertainty of the figure: the spread over movements, events and
footprints that explain the markers as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.mocap.forces.landing_transient import SMOOTHED_HZ
from strut.mocap.gait_trial import GaitTrial
from strut.mocap.markers.marker_checks import marker_noise_m
from strut.plumbing.number_text import format_percent
from strut.receipt import LimitName, Reason, ReasonKind, Receipt
from strut.recording import Recording, are_seen
from strut.verify.recorded_walk import (
    MAX_AT_LANDINGS,
    MAX_AT_LANDINGS_M,
    MAX_PENETRATION_M,
    MAX_SLIP_M,
    MAX_SOLE_HEIGHT_M,
    MAX_TORQUE_ERROR,
    MAX_UNEXPLAINED,
    MAX_UNEXPLAINED_M,
)

EXCHANGED = ("swap", "exchange")  # kinds of faults after which angles are those of other points of the body
NOTED_NOISE_M = 0.001  # cameras of laboratories jitter by 0.63 mm at most in 37 recordings
MAX_NOISE_SHARE = 0.10  # of the weight, by which jitter alone may blur the vertical force; its error is half of that
NEAR_SD = 2.0  # a figure this many standard deviations from its limit is near it


@dataclass(frozen=True, slots=True)
class _Figure:
    """A figure of a receipt with its limit: key, words, limit, and factor and unit for people."""

    key: str
    words: str
    limit: float
    scale: float
    unit: str

    def of(self, receipt: Receipt) -> float | None:
        """Return the value of a receipt."""
        assert receipt.soundness is not None
        value = receipt.soundness[self.key] if self.key in receipt.soundness else getattr(receipt, self.key)
        return None if value is None else float(value)


FIGURES = (  # friction is left out: forces are kept within it
    _Figure("unexplained_weight", "forces leave of the weight unexplained", MAX_UNEXPLAINED, 100.0, "%"),
    _Figure("landing_weight", "forces at landings leave of the weight unexplained", MAX_AT_LANDINGS, 100.0, "%"),
    _Figure("unexplained_moment_weight_m", "moments leave unexplained over the weight", MAX_UNEXPLAINED_M, 1e3, "mm"),
    _Figure(
        "landing_moment_weight_m", "moments at landings leave unexplained over the weight", MAX_AT_LANDINGS_M, 1e3, "mm"
    ),
    _Figure(
        "torque_disagreement", "torques differ from what movement and forces need by", MAX_TORQUE_ERROR, 100.0, "%"
    ),
    _Figure("penetration_mm", "a foot is in the ground by", 1e3 * MAX_PENETRATION_M, 1.0, "mm"),
    _Figure("highest_mm", "a foot that should stand is above the ground by", 1e3 * MAX_SOLE_HEIGHT_M, 1.0, "mm"),
    _Figure("foot_slip_mm", "a foot that stands slides", 1e3 * MAX_SLIP_M, 1.0, "mm"),
)


def judge_recording(trial: GaitTrial, receipt: Receipt) -> Receipt:
    """Return a receipt that is refused, too, if names of markers were exchanged or markers jitter too much."""
    reasons = [
        Reason(ReasonKind.LIMIT, LimitName.FILE, f"the markers {' and '.join(fault.markers)} have each other's names")
        for fault in trial.faults
        if fault.kind in EXCHANGED
    ]
    noise_m = marker_noise_m(trial.recording)
    share = force_noise_share(trial.recording, noise_m)
    if share > MAX_NOISE_SHARE:
        text = (
            f"markers jitter by {1e3 * noise_m:.1f} mm, which alone blurs the vertical force by "
            f"{format_percent(share)} of the weight (at most {format_percent(MAX_NOISE_SHARE)})"
        )
        reasons.append(Reason(ReasonKind.LIMIT, LimitName.FILE, text))
    if not reasons:
        return receipt
    return replace(receipt, verdict="refused", reasons=(*receipt.reasons, *reasons))


def force_noise_share(recording: Recording, noise_m: float) -> float:
    """Return the error of the vertical force over the weight that the jitter of the markers causes.

    Jitter is white up to half of the frame rate; the acceleration of the mean of all markers below the bandwidth f of
    the force has the variance (2 pi)^4 f^5 / 5 times its spectral density 2 s^2 / rate.
    """
    markers = max(float(are_seen(recording.markers_m).mean(axis=0).sum()), 1.0)
    density = 2.0 * noise_m**2 / markers / recording.rate_hz
    return float(np.sqrt((2.0 * np.pi) ** 4 * SMOOTHED_HZ**5 / 5.0 * density) / GRAVITY_M_S2)


def noise_notes(recording: Recording) -> tuple[str, ...]:
    """Return a note if markers jitter more than those of usual cameras."""
    noise_m = marker_noise_m(recording)
    if noise_m < NOTED_NOISE_M:
        return ()
    share = force_noise_share(recording, noise_m)
    return (
        f"Markers jitter by {1e3 * noise_m:.1f} mm (standard deviation of a coordinate), which alone blurs the "
        f"vertical force by {format_percent(share, 1)} of the weight.",
    )


def near_limit_notes(receipt: Receipt, sampled: Sequence[Receipt]) -> tuple[str, ...]:
    """Return a note for each figure that is as near to its limit as it is unsure.

    Args:
        receipt: Of the walk.
        sampled: Of movements that explain the markers as well.
    """
    notes = []
    for figure in FIGURES:
        value = figure.of(receipt)
        values = [own for one in sampled if (own := figure.of(one)) is not None]
        if value is None or len(values) < 2:
            continue
        sd = float(np.sqrt(np.mean((np.array(values) - value) ** 2)))
        if abs(value - figure.limit) < NEAR_SD * sd:
            shown, uncertain, limit = (f"{figure.scale * one:.1f}" for one in (value, sd, figure.limit))
            notes.append(
                f"Near a limit: {figure.words} {shown} {figure.unit} (± {uncertain}), at most {limit} {figure.unit}."
            )
    return tuple(notes)
