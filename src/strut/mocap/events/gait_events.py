"""Gait events from markers alone: heel strike, foot flat, heel off and toe off of both feet, any number of steps.

A swing is a time in which the toes are fast. Heel strike is when the heel has slowed down over the ground (a marker on
it still moves at a third of the walking speed when plates first measure a force), toe off when the toes move as fast as
the body. Thresholds are shares of the walking speed; benchmarks/bench_gait_events.py tunes some on half of the
recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.mocap.events.foot_paths import FootPath, WalkingPaths
from strut.mocap.markers.gaps import find_runs
from strut.recording import SIDES, EventKind, GaitEvent, Side

MIN_WALKING_SPEED_M_S = 0.2  # a slower person stands; chosen by eye


@dataclass(frozen=True, slots=True)
class EventThresholds:
    """When a foot lands and leaves. Speeds are shares of the walking speed.

    `heel_landed`, `ankle_landed`, `toe_left` are tuned (benchmarks/bench_gait_events.py); the others are chosen by eye.

    Args:
        heel_landed: Speed of a heel marker at heel strike.
        ankle_landed: Speed of an ankle marker at heel strike.
        toe_left: Speed of a forefoot marker at toe off.
        ankle_left: Speed of an ankle marker at toe off, where the forefoot has no marker.
        swing: Smallest speed of the toes in the middle of a swing.
        min_swing_s: Shortest swing.
        heel_risen_m: Height of the heel over its height in mid-stance, at heel off.
        toe_sunk_m: Height of the toes over their height in mid-stance, at foot flat.
    """

    heel_landed: float = 0.36
    ankle_landed: float = 0.68
    toe_left: float = 0.90
    ankle_left: float = 1.63
    swing: float = 1.3
    min_swing_s: float = 0.12
    heel_risen_m: float = 0.012
    toe_sunk_m: float = 0.008


USUAL_THRESHOLDS = EventThresholds()


def find_gait_events(paths: WalkingPaths, thresholds: EventThresholds = USUAL_THRESHOLDS) -> tuple[GaitEvent, ...]:
    """Return the events of both feet in order of time; none if the person stands."""
    if not paths.speed_m_s > MIN_WALKING_SPEED_M_S:
        return ()
    events = [event for foot in paths.feet for event in _events_of_foot(foot, paths, thresholds)]
    return tuple(sorted(events, key=lambda event: event.time_s))


def _events_of_foot(foot: FootPath, paths: WalkingPaths, thresholds: EventThresholds) -> list[GaitEvent]:
    rate_hz = paths.rate_hz
    swings = _find_swings(foot, paths, thresholds)

    heel_landed = paths.speed_m_s * (thresholds.heel_landed if foot.on_heel else thresholds.ankle_landed)
    toe_left = paths.speed_m_s * (thresholds.toe_left if foot.on_toe else thresholds.ankle_left)
    strikes_s = list[float]()
    leaves_s = list[float]()
    for first, last in swings:
        fastest_heel = _fastest_frame(foot.heel_speed_m_s, first, last)
        strikes_s += [at / rate_hz for at in _first_fall(foot.heel_speed_m_s, heel_landed, fastest_heel)]
        fastest_toe = _fastest_frame(foot.toe_speed_m_s, first, last)
        leaves_s += [at / rate_hz for at in _last_rise(foot.toe_speed_m_s, toe_left, fastest_toe)]

    events = [GaitEvent("heel_strike", foot.side, time_s) for time_s in strikes_s]
    events += [GaitEvent("toe_off", foot.side, time_s) for time_s in leaves_s]
    for start_s, stop_s in _stance_times(strikes_s, leaves_s, (len(foot.toe_m) - 1) / rate_hz):
        stance = _Stance(foot, rate_hz, start_s, stop_s, landing_seen=start_s in strikes_s)
        events += _events_of_stance(stance, thresholds)
    return events


def _find_swings(foot: FootPath, paths: WalkingPaths, thresholds: EventThresholds) -> list[tuple[int, int]]:
    """Return first and last frame of each swing."""
    with np.errstate(invalid="ignore"):
        is_fast = foot.toe_speed_m_s > thresholds.swing * paths.speed_m_s
    runs = find_runs(is_fast)
    return [(first, last) for first, last in runs if (last - first + 1) / paths.rate_hz >= thresholds.min_swing_s]


def _fastest_frame(speed: Array, first: int, last: int) -> int:
    return first + int(np.argmax(np.nan_to_num(speed[first : last + 1], nan=-1.0)))


def _find_rises(values: Array, level: float) -> Array:
    """Return where values rise through a level, in frames and parts of frames."""
    before = values[:-1]
    after = values[1:]
    with np.errstate(invalid="ignore"):
        index = np.flatnonzero((before < level) & (after >= level))
    return np.asarray(index + (level - before[index]) / (after[index] - before[index]))


def _last_rise(values: Array, level: float, frame: int) -> list[float]:
    """Return where values last rise through a level before a frame; empty if they do not, or are unseen between."""
    rises = _find_rises(values[: frame + 1], level)[-1:].tolist()
    return [at for at in rises if np.isfinite(values[int(at) : frame + 1]).all()]


def _first_fall(values: Array, level: float, frame: int) -> list[float]:
    """Return where values first fall through a level after a frame; empty if they do not, or are unseen between."""
    last = len(values) - 1
    return [last - at for at in _last_rise(values[::-1][: last - frame + 1], level, last - frame)]


@dataclass(frozen=True, slots=True, eq=False)
class _Stance:
    """A foot on the ground from `start_s` to `stop_s`."""

    foot: FootPath
    rate_hz: float
    start_s: float
    stop_s: float
    landing_seen: bool

    @property
    def frames(self) -> tuple[int, int]:
        """First and last frame."""
        return int(np.ceil(self.start_s * self.rate_hz)), int(np.floor(self.stop_s * self.rate_hz))

    def resting_height(self, path: Array) -> float:
        """Return the height of a marker while it rests; NaN if it is not seen. Shape (T, 3)."""
        first, last = self.frames
        heights = path[first : last + 1, 2]
        return float(np.nanpercentile(heights, 20)) if np.isfinite(heights).any() else float("nan")

    def times_within(self, frames: Sequence[float], after_s: float) -> list[float]:
        """Return the times of those frames that are in the stance and not before `after_s`."""
        return [at / self.rate_hz for at in frames if max(after_s, self.start_s) <= at / self.rate_hz < self.stop_s]


def _events_of_stance(stance: _Stance, thresholds: EventThresholds) -> list[GaitEvent]:
    """Return foot flat and heel off of a stance, as far as they are seen."""
    foot = stance.foot
    first, last = stance.frames
    toe_low = stance.resting_height(foot.toe_m) + thresholds.toe_sunk_m
    flat_s = stance.times_within(_first_fall(foot.toe_m[:, 2], toe_low, max(first - 1, 0)), 0.0)
    if not flat_s and stance.landing_seen:
        flat_s = [stance.start_s]  # the foot landed flat
    heel_high = stance.resting_height(foot.heel_m) + thresholds.heel_risen_m
    heel_off_s = stance.times_within(_last_rise(foot.heel_m[:, 2], heel_high, last), max(flat_s, default=0.0))
    events = [GaitEvent("foot_flat", foot.side, time_s) for time_s in flat_s]
    return events + [GaitEvent("heel_off", foot.side, time_s) for time_s in heel_off_s]


def _stance_times(strikes_s: Sequence[float], leaves_s: Sequence[float], end_s: float) -> list[tuple[float, float]]:
    """Return start and stop of each stance; the first may begin before the recording, the last may end after it."""
    starts = list(strikes_s)
    if min(leaves_s, default=np.inf) < min(strikes_s, default=np.inf):
        starts = [0.0, *starts]
    changes = sorted([*strikes_s, *leaves_s, end_s])
    stances = [(start, next((time_s for time_s in changes if time_s > start), end_s)) for start in starts]
    return [(start, stop) for start, stop in stances if stop not in strikes_s]


def contact_states(events: Sequence[GaitEvent], time_s: Array) -> dict[tuple[Side, str], npt.NDArray[np.bool_]]:
    """Return when heel and forefoot of each side are on the ground, by side and `heel` or `forefoot`. Shape (T,).

    Before the first event of a foot, the state is the one that this event ends.

    Args:
        events: Of both feet.
        time_s: Of the frames. Shape (T,).
    """
    contacts = {}
    for side in SIDES:
        own = [event for event in events if event.side == side]
        contacts[side, "heel"] = _is_on(own, time_s, "heel_strike", ("heel_off", "toe_off"))
        contacts[side, "forefoot"] = _is_on(own, time_s, "foot_flat", ("toe_off",))
    return contacts


def _is_on(
    events: Sequence[GaitEvent], time_s: Array, on: EventKind, off: tuple[EventKind, ...]
) -> npt.NDArray[np.bool_]:
    """Return whether the last event before each frame is `on`; before the first event, the opposite of that event."""
    switches = [event for event in events if event.kind in (on, *off)]
    state = np.zeros(len(time_s), dtype=bool)
    if switches:
        state[:] = switches[0].kind != on
    for event in switches:
        state[time_s >= event.time_s] = event.kind == on
    return state
