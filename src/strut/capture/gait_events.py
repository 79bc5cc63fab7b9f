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

from strut.capture.foot_paths import FootPath, WalkingPaths
from strut.capture.gaps import runs_of
from strut.recording import EventKind, GaitEvent, Side
from strut.robot import Array

SLOWEST_M_S = 0.2  # who walks slower stands


@dataclass(frozen=True, slots=True)
class EventThresholds:
    """When a foot lands and leaves; speeds as shares of the walking speed.

    Args:
        heel_landed: Of a marker on the heel at heel strike.
        ankle_landed: Of a marker on the ankle at heel strike.
        toe_left: Of a marker on the forefoot at toe off.
        swing: Of the toes in the middle of a swing, at least.
        shortest_swing_s: Of a swing.
        heel_risen_m: Over its height in mid-stance, at heel off.
        toe_sunk_m: Over its height in mid-stance, at foot flat.
    """

    heel_landed: float = 0.36
    ankle_landed: float = 0.68
    toe_left: float = 0.90
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
    rate_hz, speed = paths.rate_hz, paths.speed_m_s
    events = list[GaitEvent]()
    swings = _swings(foot, paths, thresholds)
    landed = speed * (thresholds.heel_landed if foot.on_heel else thresholds.ankle_landed)
    strikes, leaves = list[float](), list[float]()
    for first, last in swings:
        before = _last_below(foot.toe_speed_m_s, thresholds.toe_left * speed, first)
        after = _first_below(foot.heel_speed_m_s, landed, _fastest(foot.heel_speed_m_s, first, last))
        if before is not None:
            leaves.append(before / rate_hz)
        if after is not None:
            strikes.append(after / rate_hz)
    events += [GaitEvent("heel_strike", foot.side, time_s) for time_s in strikes]
    events += [GaitEvent("toe_off", foot.side, time_s) for time_s in leaves]
    return events + _stance_events(foot, strikes, leaves, rate_hz, thresholds)


def _swings(foot: FootPath, paths: WalkingPaths, thresholds: EventThresholds) -> list[tuple[int, int]]:
    """Return first and last frame of each run in which the toes are fast."""
    with np.errstate(invalid="ignore"):
        fast = foot.toe_speed_m_s > thresholds.swing * paths.speed_m_s
    return [(a, b) for a, b in runs_of(fast) if (b - a + 1) / paths.rate_hz >= thresholds.shortest_swing_s]


def _fastest(speed: Array, first: int, last: int) -> int:
    return first + int(np.nanargmax(speed[first : last + 1])) if np.isfinite(speed[first : last + 1]).any() else last


def _last_below(values: Array, level: float, start: int) -> float | None:
    """Return where values last rise through a level before a frame, between frames; None if they do not."""
    frame = start
    while frame > 0 and np.isfinite(values[frame - 1]):
        if values[frame - 1] < level <= values[frame]:
            return frame - 1 + float((level - values[frame - 1]) / (values[frame] - values[frame - 1]))
        frame -= 1
    return None


def _first_below(values: Array, level: float, start: int) -> float | None:
    """Return where values first fall through a level after a frame, between frames; None if they do not."""
    frame = start
    while frame + 1 < len(values) and np.isfinite(values[frame + 1]):
        if values[frame + 1] < level <= values[frame]:
            return frame + float((values[frame] - level) / (values[frame] - values[frame + 1]))
        frame += 1
    return None


def _stance_events(
    foot: FootPath, strikes: Sequence[float], leaves: Sequence[float], rate_hz: float, thresholds: EventThresholds
) -> list[GaitEvent]:
    """Return foot flat and heel off of every stance, of those too that begin before the recording or end after it."""
    events = list[GaitEvent]()
    for start, stop in _stances(strikes, leaves, (len(foot.toe_m) - 1) / rate_hz):
        first, last = int(np.ceil(start * rate_hz)), int(np.floor(stop * rate_hz))
        heights = [path[first : last + 1, 2] for path in (foot.toe_m, foot.heel_m)]
        if last - first < 3 or not all(np.isfinite(height).any() for height in heights):
            continue
        toe_level, heel_level = (float(np.nanpercentile(height, 20)) for height in heights)
        flat = _first_below(foot.toe_m[:, 2], toe_level + thresholds.toe_sunk_m, max(first - 1, 0))
        flat_s = None if flat is None or not start <= flat / rate_hz < stop else flat / rate_hz
        if flat_s is None and start in strikes:
            flat_s = start  # it landed flat
        if flat_s is not None:
            events.append(GaitEvent("foot_flat", foot.side, flat_s))
        risen = _last_below(foot.heel_m[:, 2], heel_level + thresholds.heel_risen_m, last)
        if risen is not None and max(start, flat_s or 0.0) < risen / rate_hz < stop:
            events.append(GaitEvent("heel_off", foot.side, risen / rate_hz))
    return events


def _stances(strikes: Sequence[float], leaves: Sequence[float], stop_s: float) -> list[tuple[float, float]]:
    """Return from when to when a foot stands; the first may have begun before the recording, the last go on after it."""
    found = list[tuple[float, float]]()
    for start in ([0.0] if leaves and (not strikes or leaves[0] < strikes[0]) else []) + list(strikes):
        later = [time_s for time_s in (*strikes, *leaves) if time_s > start]
        stop = min(later, default=stop_s)
        if stop not in strikes:
            found.append((start, stop))
    return found


def contacts_of(
    events: Sequence[GaitEvent], time_s: Array, standing: Sequence[tuple[Side, float, float]] = ()
) -> dict[tuple[Side, str], npt.NDArray[np.bool_]]:
    """Return when heel and forefoot of each side are on the ground, by side and `heel` or `forefoot`. Shape (T,).

    What lies before the first event of a foot or after the last is the state that must have led to it.

    Args:
        events: Of both feet.
        time_s: Of the frames. Shape (T,).
        standing: Times from and to which a whole foot stands, told by something else, such as plates.
    """
    contacts = {}
    sides: tuple[Side, Side] = ("Right", "Left")
    for side in sides:
        own = [event for event in events if event.side == side]
        contacts[side, "heel"] = _state(own, time_s, "heel_strike", ("heel_off", "toe_off"))
        contacts[side, "forefoot"] = _state(own, time_s, "foot_flat", ("toe_off",), fallback="heel_strike")
        for other, start, stop in standing:
            if other == side:
                inside = (time_s >= start) & (time_s <= stop)
                contacts[side, "heel"] |= inside
                contacts[side, "forefoot"] |= inside
    return contacts


def _state(
    events: Sequence[GaitEvent],
    time_s: Array,
    on: EventKind,
    off: tuple[EventKind, ...],
    fallback: EventKind | None = None,
) -> npt.NDArray[np.bool_]:
    """Return whether the last event before each frame switched on; before the first event, the opposite of it."""
    starts = [event.time_s for event in events if event.kind == on]
    if fallback is not None:
        strikes = [event.time_s for event in events if event.kind == fallback]
        followed = [any(abs(s - t) < 0.5 and s >= t for s in starts) for t in strikes]
        starts += [t for t, there in zip(strikes, followed, strict=True) if not there]
    switches = sorted([(t, True) for t in starts] + [(e.time_s, False) for e in events if e.kind in off])
    state = np.zeros(len(time_s), dtype=bool)
    if not switches:
        return state
    state[:] = not switches[0][1]
    for when, is_on in switches:
        state[time_s >= when] = is_on
    return state
