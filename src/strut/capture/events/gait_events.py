"""Gait events from markers alone: heel strike, foot flat, heel off and toe off of both feet, any number of steps.

A swing is found by the speed of the toes. Heel strike is when the heel has come to rest over the ground (a marker on it
still moves with a third of the walking speed when plates first feel it), toe off when the toes move as fast as the
body. Thresholds are shares of the walking speed; benchmarks/bench_gait_events.py tunes them on half of the recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.events.foot_paths import FootPath, WalkingPaths
from strut.capture.markers.gaps import runs_of
from strut.recording import SIDES, EventKind, GaitEvent, Side

SLOWEST_M_S = 0.2  # who walks slower stands


@dataclass(frozen=True, slots=True)
class EventThresholds:
    """When a foot lands and leaves; speeds as shares of the walking speed.

    Args:
        heel_landed: Of a marker on the heel at heel strike.
        ankle_landed: Of a marker on the ankle at heel strike.
        toe_left: Of a marker on the forefoot at toe off.
        ankle_left: Of a marker on the ankle at toe off, where the forefoot has none.
        swing: Of the toes in the middle of a swing, at least.
        shortest_swing_s: Of a swing.
        heel_risen_m: Over its height in mid-stance, at heel off.
        toe_sunk_m: Over its height in mid-stance, at foot flat.
    """

    heel_landed: float = 0.36
    ankle_landed: float = 0.68
    toe_left: float = 0.90
    ankle_left: float = 1.63
    swing: float = 1.3
    shortest_swing_s: float = 0.12
    heel_risen_m: float = 0.012
    toe_sunk_m: float = 0.008


USUAL_THRESHOLDS = EventThresholds()


def find_gait_events(paths: WalkingPaths, thresholds: EventThresholds = USUAL_THRESHOLDS) -> tuple[GaitEvent, ...]:
    """Return the events of both feet in order of time; none if nobody walks."""
    if not paths.speed_m_s > SLOWEST_M_S:
        return ()
    found = [event for foot in paths.feet for event in _events_of(foot, paths, thresholds)]
    return tuple(sorted(found, key=lambda event: event.time_s))


def _events_of(foot: FootPath, paths: WalkingPaths, thresholds: EventThresholds) -> list[GaitEvent]:
    rate_hz = paths.rate_hz
    swings = _swings(foot, paths, thresholds)
    strikes = _strikes(foot, paths, swings, thresholds)
    leaves = _leaves(foot, paths, swings, thresholds)
    events = [GaitEvent("heel_strike", foot.side, time_s) for time_s in strikes]
    events += [GaitEvent("toe_off", foot.side, time_s) for time_s in leaves]
    for start, stop in _stances(strikes, leaves, (len(foot.toe_m) - 1) / rate_hz):
        events += _stance_events(_Stance(foot, rate_hz, start, stop, start in strikes), thresholds)
    return events


Swings = Sequence[tuple[int, int]]


def _strikes(foot: FootPath, paths: WalkingPaths, swings: Swings, thresholds: EventThresholds) -> list[float]:
    """Return when the heel has come to rest after each swing [s], where that is seen."""
    landed = paths.speed_m_s * (thresholds.heel_landed if foot.on_heel else thresholds.ankle_landed)
    fastest = [_fastest(foot.heel_speed_m_s, first, last) for first, last in swings]
    return [at / paths.rate_hz for frame in fastest for at in _first_fall(foot.heel_speed_m_s, landed, frame)]


def _leaves(foot: FootPath, paths: WalkingPaths, swings: Swings, thresholds: EventThresholds) -> list[float]:
    """Return when the toes have left before each swing [s]."""
    left = paths.speed_m_s * (thresholds.toe_left if foot.on_toe else thresholds.ankle_left)
    fastest = [_fastest(foot.toe_speed_m_s, first, last) for first, last in swings]
    return [at / paths.rate_hz for frame in fastest for at in _last_rise(foot.toe_speed_m_s, left, frame)]


def _swings(foot: FootPath, paths: WalkingPaths, thresholds: EventThresholds) -> list[tuple[int, int]]:
    """Return first and last frame of each run in which the toes are fast."""
    with np.errstate(invalid="ignore"):
        fast = foot.toe_speed_m_s > thresholds.swing * paths.speed_m_s
    return [(a, b) for a, b in runs_of(fast) if (b - a + 1) / paths.rate_hz >= thresholds.shortest_swing_s]


def _fastest(speed: Array, first: int, last: int) -> int:
    return first + int(np.argmax(np.nan_to_num(speed[first : last + 1], nan=-1.0)))


def _crossings(values: Array, level: float) -> Array:
    """Return where values rise through a level, between frames."""
    before = values[:-1]
    after = values[1:]
    with np.errstate(invalid="ignore"):
        index = np.flatnonzero((before < level) & (after >= level))
    return np.asarray(index + (level - before[index]) / (after[index] - before[index]))


def _last_rise(values: Array, level: float, start: int) -> list[float]:
    """Return where values last rise through a level before a frame; none if they do not or are not seen there."""
    found = _crossings(values[: start + 1], level)[-1:].tolist()
    return [at for at in found if np.isfinite(values[int(at) : start + 1]).all()]


def _first_fall(values: Array, level: float, start: int) -> list[float]:
    """Return where values first fall through a level after a frame; none if they do not or are not seen there."""
    last = len(values) - 1
    return [last - at for at in _last_rise(values[::-1][: last - start + 1], level, last - start)]


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """A foot on the ground from when to when, and whether the landing was seen."""

    foot: FootPath
    rate_hz: float
    start_s: float
    stop_s: float
    landed: bool

    @property
    def frames(self) -> tuple[int, int]:
        """First and last frame."""
        return int(np.ceil(self.start_s * self.rate_hz)), int(np.floor(self.stop_s * self.rate_hz))

    def level(self, path: Array) -> float:
        """Return how high a path is while it rests; NaN if it is not seen. Shape (T, 3)."""
        first, last = self.frames
        heights = path[first : last + 1, 2]
        return float(np.nanpercentile(heights, 20)) if np.isfinite(heights).any() else float("nan")

    def inside(self, frames: Sequence[float], after_s: float) -> list[float]:
        """Return times of frames that lie in the stance and after a time."""
        return [at / self.rate_hz for at in frames if max(after_s, self.start_s) <= at / self.rate_hz < self.stop_s]


def _stance_events(stance: _Stance, thresholds: EventThresholds) -> list[GaitEvent]:
    """Return foot flat and heel off of a stance, as far as they are seen."""
    foot = stance.foot
    first, last = stance.frames
    sunk = stance.level(foot.toe_m) + thresholds.toe_sunk_m
    flat = stance.inside(_first_fall(foot.toe_m[:, 2], sunk, max(first - 1, 0)), 0.0)
    flat = flat or ([stance.start_s] if stance.landed else [])  # it landed flat
    risen = stance.level(foot.heel_m) + thresholds.heel_risen_m
    rises = stance.inside(_last_rise(foot.heel_m[:, 2], risen, last), max(flat, default=0.0))
    events = [GaitEvent("foot_flat", foot.side, time_s) for time_s in flat]
    return events + [GaitEvent("heel_off", foot.side, time_s) for time_s in rises]


def _stances(strikes: Sequence[float], leaves: Sequence[float], stop_s: float) -> list[tuple[float, float]]:
    """Return from when to when a foot stands; the first may begin before the recording, the last end after it."""
    first = [0.0][: int(min(leaves, default=np.inf) < min(strikes, default=np.inf))]
    starts = [*first, *strikes]
    changes = sorted([*strikes, *leaves, stop_s])
    found = [(start, next((time_s for time_s in changes if time_s > start), stop_s)) for start in starts]
    return [(start, stop) for start, stop in found if stop not in strikes]


def contacts_of(events: Sequence[GaitEvent], time_s: Array) -> dict[tuple[Side, str], npt.NDArray[np.bool_]]:
    """Return when heel and forefoot of each side are on the ground, by side and `heel` or `forefoot`. Shape (T,).

    What lies before the first event of a foot is the state that must have led to it.

    Args:
        events: Of both feet.
        time_s: Of the frames. Shape (T,).
    """
    contacts = {}
    for side in SIDES:
        own = [event for event in events if event.side == side]
        contacts[side, "heel"] = _state(own, time_s, "heel_strike", ("heel_off", "toe_off"))
        contacts[side, "forefoot"] = _state(own, time_s, "foot_flat", ("toe_off",))
    return contacts


def _state(
    events: Sequence[GaitEvent], time_s: Array, on: EventKind, off: tuple[EventKind, ...]
) -> npt.NDArray[np.bool_]:
    """Return whether the last event before each frame switched on; before the first event, the opposite of it."""
    switches = [event for event in events if event.kind in (on, *off)]
    state = np.zeros(len(time_s), dtype=bool)
    for event in switches[:1]:
        state[:] = event.kind != on
    for event in switches:
        state[time_s >= event.time_s] = event.kind == on
    return state
