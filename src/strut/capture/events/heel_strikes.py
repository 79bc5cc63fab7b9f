"""Heel strikes once more: at the largest upward acceleration of the heel near the event.

A foot loads within 20 ms, so forces need heel strikes better than thresholds of speed give them. The ground stops a
heel that comes down, and pushes the marker on it up hardest then: on plates a few milliseconds after the force begins,
barefoot or shod, filtered or not, where thresholds are off by 15 to 45 ms in one laboratory and not in another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.signal import find_peaks

from strut.arrays import Array
from strut.capture.events.foot_paths import FootPath, WalkingPaths
from strut.recording import GaitEvent

SEARCHED_S = 0.065  # before and after the event: thresholds of speed are up to 45 ms off
AFTER_FORCE_S = 0.005  # the peak comes so long after the force begins; median on the half of the trials for tuning
FINE_S = 0.001


def refined_heel_strikes(events: Sequence[GaitEvent], paths: WalkingPaths) -> tuple[GaitEvent, ...]:
    """Return events whose heel strikes are where heels are stopped, as far as there is a marker on the heel.

    Args:
        events: In order of time.
        paths: Of the feet.
    """
    found = list[GaitEvent]()
    for foot in paths.feet:
        own = [_refined(event, foot, paths.rate_hz) for event in events if event.side == foot.side]
        found += _in_order(own, paths.rate_hz)
    return tuple(sorted(found, key=lambda event: event.time_s))


def _refined(event: GaitEvent, foot: FootPath, rate_hz: float) -> GaitEvent:
    if event.kind != "heel_strike" or not foot.on_heel:
        return event
    return replace(event, time_s=_stopped_s(foot, rate_hz, event.time_s))


def _in_order(events: Sequence[GaitEvent], rate_hz: float) -> list[GaitEvent]:
    """Return events of a foot at least a frame apart: what follows a strike that was moved behind it is moved, too."""
    frames_s = np.arange(len(events)) / rate_hz
    moved_s = np.maximum.accumulate([event.time_s for event in events] - frames_s) + frames_s
    return [replace(event, time_s=time_s) for event, time_s in zip(events, moved_s.tolist(), strict=True)]


def heel_push_m_s2(events: Sequence[GaitEvent], paths: WalkingPaths) -> float | None:
    """Return how hard markers on the heels are usually pushed up at heel strike; None if no landing is seen so well."""
    feet = {foot.side: foot for foot in paths.feet if foot.on_heel}
    strikes = [event for event in events if event.kind == "heel_strike" and event.side in feet]
    pushes = [_push(feet[event.side], paths.rate_hz, event.time_s)[1].max(initial=-np.inf) for event in strikes]
    found = [push for push in pushes if np.isfinite(push)]
    return float(np.median(found)) if found else None


def _stopped_s(foot: FootPath, rate_hz: float, near_s: float) -> float:
    """Return when a heel is pushed up hardest near a time, less the usual delay; that time if there is no peak."""
    fine_s, push = _push(foot, rate_hz, near_s)
    peaks, _ = find_peaks(push)
    if not len(peaks):
        return near_s
    return float(fine_s[peaks[np.argmax(push[peaks])]] - AFTER_FORCE_S)


def _push(foot: FootPath, rate_hz: float, near_s: float) -> tuple[Array, Array]:
    """Return times near a time, and the upward acceleration of a heel then; none if it is not seen. Shapes (n,)."""
    height = foot.heel_m[:, 2]
    time_s = np.arange(len(foot.heel_m)) / rate_hz
    around = np.abs(time_s - near_s) < SEARCHED_S + 4.0 / rate_hz
    if around.sum() < 8 or not np.isfinite(height[around]).all():
        return np.empty(0), np.empty(0)
    fine_s = np.arange(near_s - SEARCHED_S, near_s + SEARCHED_S, FINE_S)
    fine_s = fine_s[(fine_s >= time_s[around][0]) & (fine_s <= time_s[around][-1])]
    push = np.gradient(np.gradient(height[around], 1.0 / rate_hz), 1.0 / rate_hz)
    return fine_s, np.asarray(CubicSpline(time_s[around], push)(fine_s))
