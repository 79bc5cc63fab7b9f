"""Heel strikes, refined: the instant of the largest upward acceleration of the heel near the first estimate.

A foot loads within 20 ms, so forces need better heel strikes than thresholds of speed give, which are off by 15 to
45 ms in some laboratories. The ground stops a descending heel, and its marker accelerates upwards most at that moment:
a few milliseconds after the force on the plate begins, barefoot or shod, filtered or not
(benchmarks/bench_gait_events.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import find_peaks

from strut.arrays import Array
from strut.mocap.events.foot_paths import FootPath, WalkingPaths
from strut.recording import GaitEvent

SEARCHED_S = 0.065  # before and after the first estimate, which is up to 45 ms off
AFTER_FORCE_S = 0.005  # from the beginning of the force to the peak; median of the tuning half of the plate trials
FINE_S = 0.001  # between two samples of the acceleration


def refine_heel_strikes(events: Sequence[GaitEvent], paths: WalkingPaths) -> tuple[GaitEvent, ...]:
    """Return events with their heel strikes where the ground stops the heel; feet without a heel marker stay as is.

    Args:
        events: In order of time.
        paths: Of the feet.
    """
    refined = list[GaitEvent]()
    for foot in paths.feet:
        own = [event for event in events if event.side == foot.side]
        if foot.on_heel:
            own = [_refine(event, foot, paths.rate_hz) if event.kind == "heel_strike" else event for event in own]
        refined += _keep_order(own, paths.rate_hz)
    return tuple(sorted(refined, key=lambda event: event.time_s))


def heel_deceleration_m_s2(events: Sequence[GaitEvent], paths: WalkingPaths) -> float | None:
    """Return the usual peak of the upward acceleration of heel markers at heel strike; None if none is visible."""
    feet = {foot.side: foot for foot in paths.feet if foot.on_heel}
    strikes = [event for event in events if event.kind == "heel_strike" and event.side in feet]
    peaks = [
        _heel_acceleration(feet[event.side], paths.rate_hz, event.time_s)[1].max(initial=-np.inf) for event in strikes
    ]
    visible = [peak for peak in peaks if np.isfinite(peak)]
    return float(np.median(visible)) if visible else None


def _refine(strike: GaitEvent, foot: FootPath, rate_hz: float) -> GaitEvent:
    """Return a heel strike at the largest peak of the heel's acceleration; unchanged if there is no peak."""
    fine_s, acceleration = _heel_acceleration(foot, rate_hz, strike.time_s)
    peaks, _ = find_peaks(acceleration)
    if not len(peaks):
        return strike
    return replace(strike, time_s=float(fine_s[peaks[np.argmax(acceleration[peaks])]] - AFTER_FORCE_S))


def _keep_order(events: Sequence[GaitEvent], rate_hz: float) -> list[GaitEvent]:
    """Return the events of a foot at least a frame apart: events that a strike has overtaken move with it."""
    frames_s = np.arange(len(events)) / rate_hz
    ordered_s = np.maximum.accumulate([event.time_s for event in events] - frames_s) + frames_s
    return [replace(event, time_s=time_s) for event, time_s in zip(events, ordered_s.tolist(), strict=True)]


def _heel_acceleration(foot: FootPath, rate_hz: float, centre_s: float) -> tuple[Array, Array]:
    """Return times around an instant and the upward acceleration of the heel [m/s²]; empty if unseen. Shapes (n,)."""
    height = foot.heel_m[:, 2]
    time_s = np.arange(len(foot.heel_m)) / rate_hz
    window = np.abs(time_s - centre_s) < SEARCHED_S + 4.0 / rate_hz
    if window.sum() < 8 or not np.isfinite(height[window]).all():
        return np.empty(0), np.empty(0)
    fine_s = np.arange(centre_s - SEARCHED_S, centre_s + SEARCHED_S, FINE_S)
    fine_s = fine_s[(fine_s >= time_s[window][0]) & (fine_s <= time_s[window][-1])]
    acceleration = np.gradient(np.gradient(height[window], 1.0 / rate_hz), 1.0 / rate_hz)
    return fine_s, np.asarray(CubicSpline(time_s[window], acceleration)(fine_s))
