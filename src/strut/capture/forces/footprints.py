"""Footprints: where and when each foot stands, and the way that the centre of pressure takes under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.recording import SIDES, GaitEvent, Side
from strut.robot import Robot

FLAT_FROM = 0.25
FLAT_TO = 0.5  # of a stance: then a foot lies flat
USUAL_STANCE_S = 0.65
SHORTEST_DOUBLE_S = 0.06  # of double support in a walk
LONGEST_FLIGHT_S = 0.15  # between two feet, that is taken for an error of events
# The way of the centre of pressure from heel to toes as shares of the foot's length, over the share of the stance:
# means of seven stances on plates, in the half of the trials that is for tuning (benchmarks/bench_ground_forces.py).
STANCE_SHARE = np.linspace(0.0, 1.0, 11)
ALONG_FOOT = np.array([0.03, 0.10, 0.21, 0.28, 0.38, 0.485, 0.575, 0.64, 0.675, 0.70, 0.72])
INWARDS_M = 0.005  # of the middle line of a foot
HALF_WIDTH_M = 0.045
HEEL_END = 0.0
TOE_END = 0.95  # of the foot's length: where the centre of pressure can be


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """One foot on the ground.

    Args:
        side: Which foot.
        start_s: Heel strike.
        stop_s: Toe off.
        heel_m: The back end of the foot while it lies flat, over the ground. Shape (2,).
        forwards: From heel to toes. Unit vector of shape (2,).
        length_m: Of the foot.
        belt_m_s: Velocity of the ground. Shape (2,).
        seen: Whether both events were found in the recording.
    """

    side: Side
    start_s: float
    stop_s: float
    heel_m: Array
    forwards: Array
    length_m: float
    belt_m_s: Array
    seen: bool = True

    @property
    def outwards(self) -> Array:
        """Away from the other foot. Unit vector of shape (2,)."""
        x, y = self.forwards
        return np.array([-y, x]) * (1.0 if self.side == "Left" else -1.0)

    @property
    def flat_s(self) -> float:
        """When the foot lies flat."""
        return self.start_s + 0.5 * (FLAT_FROM + FLAT_TO) * (self.stop_s - self.start_s)

    def carried(self, time_s: Array) -> Array:
        """Return how far the ground has carried the foot since it lay flat. Shape (T,) in, (T, 2) out."""
        return np.outer(time_s - self.flat_s, self.belt_m_s)

    def share(self, time_s: Array) -> Array:
        """Return the share of the stance that has passed, between 0 and 1. Shape (T,)."""
        return np.clip((time_s - self.start_s) / (self.stop_s - self.start_s), 0.0, 1.0)

    def cop_path(self, time_s: Array) -> Array:
        """Return where the centre of pressure usually is. Shape (T, 2)."""
        along = np.interp(self.share(time_s), STANCE_SHARE, ALONG_FOOT) * self.length_m
        inside = self.heel_m + along[:, None] * self.forwards - INWARDS_M * self.outwards
        return np.asarray(inside + self.carried(time_s))

    def inside(self, cop_m: Array, time_s: Array) -> Array:
        """Return the places of the footprint that are nearest to some others. Shape (T, 2)."""
        away = cop_m - self.heel_m - self.carried(time_s)
        along = np.clip(away @ self.forwards, HEEL_END * self.length_m, TOE_END * self.length_m)
        out = np.clip(away @ self.outwards, -HALF_WIDTH_M, HALF_WIDTH_M)
        return np.asarray(
            self.heel_m + self.carried(time_s) + np.outer(along, self.forwards) + np.outer(out, self.outwards)
        )

    def stands(self, time_s: Array) -> npt.NDArray[np.bool_]:
        """Return when the foot is on the ground. Shape (T,)."""
        return np.asarray((time_s >= self.start_s) & (time_s <= self.stop_s))


def find_footprints(
    robot: Robot, time_s: Array, qpos: Array, events: Sequence[GaitEvent], belt_m_s: Array
) -> tuple[Footprint, ...]:
    """Return all footprints in order of time; those that begin before the recording or end after it, too.

    Args:
        robot: The person.
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        events: Heel strikes and toe offs of both feet.
        belt_m_s: Velocity of the ground. Shape (3,).
    """
    place, turn = body_poses(robot.model, [f"Foot{side}" for side in SIDES], qpos)
    found = []
    for column, side in enumerate(SIDES):
        for start_s, stop_s, seen in _stance_times(events, side):
            when = start_s + np.array([FLAT_FROM, FLAT_TO]) * (stop_s - start_s)
            flat = (time_s >= when[0]) & (time_s <= when[1])
            if not flat.any():
                flat[np.abs(time_s - when.mean()).argmin()] = True
            forwards = np.median(turn[flat, column, :2, 0], axis=0)
            forwards = forwards / np.linalg.norm(forwards)
            long_m, behind = (robot.subject.lengths_m[f"Foot{side}{part}"] for part in ("Length", "PosteriorPoint"))
            print_ = Footprint(side, start_s, stop_s, np.zeros(2), forwards, long_m, belt_m_s[:2], seen)
            ankle = np.median(place[flat, column, :2] - print_.carried(time_s[flat]), axis=0)
            found.append(replace(print_, heel_m=ankle - behind * forwards))
    found.sort(key=lambda one: one.start_s)
    if found:  # somebody carries the body in the first frame and in the last
        found[0] = replace(found[0], start_s=min(found[0].start_s, float(time_s[0])))
        last = max(range(len(found)), key=lambda index: found[index].stop_s)
        found[last] = replace(found[last], stop_s=max(found[last].stop_s, float(time_s[-1])))
    return _without_flight(found)


def _without_flight(prints: Sequence[Footprint]) -> tuple[Footprint, ...]:
    """Return footprints of a walk, of which the next always begins before the last ends; gaps are errors of events."""
    result = list(prints)
    for index in range(len(result) - 1):
        before = result[index]
        after = result[index + 1]
        apart_s = after.start_s - before.stop_s
        if before.side != after.side and -SHORTEST_DOUBLE_S < apart_s < LONGEST_FLIGHT_S:
            middle_s = 0.5 * (before.stop_s + after.start_s)
            result[index] = replace(before, stop_s=middle_s + 0.5 * SHORTEST_DOUBLE_S)
            result[index + 1] = replace(after, start_s=middle_s - 0.5 * SHORTEST_DOUBLE_S)
    return tuple(result)


def _stance_times(events: Sequence[GaitEvent], side: Side) -> list[tuple[float, float, bool]]:
    """Return beginnings and ends of stances; one that is not seen is as long before or after as others are long."""
    own = _contact_changes(events, side)
    found = [(*stance, True) for stance in _whole_stances(own)]
    lengths = [stop - start for one in SIDES for start, stop in _whole_stances(_contact_changes(events, one))]
    usual_s = float(np.median(lengths)) if lengths else USUAL_STANCE_S
    if own and own[0].kind == "toe_off":
        found.insert(0, (own[0].time_s - usual_s, own[0].time_s, False))
    if own and own[-1].kind == "heel_strike":
        found.append((own[-1].time_s, own[-1].time_s + usual_s, False))
    return found


def _contact_changes(events: Sequence[GaitEvent], side: Side) -> list[GaitEvent]:
    own = [event for event in events if event.side == side and event.kind in ("heel_strike", "toe_off")]
    return sorted(own, key=lambda event: event.time_s)


def _whole_stances(changes: Sequence[GaitEvent]) -> list[tuple[float, float]]:
    return [
        (one.time_s, other.time_s)
        for one, other in pairwise(changes)
        if (one.kind, other.kind) == ("heel_strike", "toe_off")
    ]
