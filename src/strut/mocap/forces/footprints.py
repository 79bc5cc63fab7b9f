"""Footprints: where and when each foot stands, and the usual path of the centre of pressure under it."""

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

FLAT_SHARE = (0.25, 0.5)  # of a stance in which a foot lies flat; chosen by eye
USUAL_STANCE_S = 0.65  # if no whole stance is seen
MIN_DOUBLE_SUPPORT_S = 0.06  # in a walk; chosen by eye
MAX_FLIGHT_S = 0.15  # a gap between two stances up to this is an error of the events; chosen by eye
# Path of the centre of pressure from heel to toes, as a share of the foot's length over the share of the stance: mean
# of seven stances on plates, in the tuning half of the trials (benchmarks/bench_ground_forces.py).
STANCE_SHARE = np.linspace(0.0, 1.0, 11)
ALONG_FOOT = np.array([0.03, 0.10, 0.21, 0.28, 0.38, 0.485, 0.575, 0.64, 0.675, 0.70, 0.72])
INWARD_M = 0.005  # of that path from the middle line of the foot
HALF_WIDTH_M = 0.045  # of a sole; chosen by eye
HEEL_END = 0.0  # share of the foot's length; the centre of pressure is never behind it
TOE_END = 0.95  # share of the foot's length; the centre of pressure is never ahead of it


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """One foot on the ground.

    Args:
        side: Right or Left.
        start_s: Heel strike.
        stop_s: Toe off.
        heel_m: Back end of the flat foot, over the ground. Shape (2,).
        forward: From heel to toes. Unit vector of shape (2,).
        length_m: Of the foot.
        belt_m_s: Velocity of the ground. Shape (2,).
        is_complete: Whether both events are in the recording.
    """

    side: Side
    start_s: float
    stop_s: float
    heel_m: Array
    forward: Array
    length_m: float
    belt_m_s: Array
    is_complete: bool = True

    @property
    def outward(self) -> Array:
        """Away from the other foot. Unit vector of shape (2,)."""
        x, y = self.forward
        return np.array([-y, x]) * (1.0 if self.side == "Left" else -1.0)

    @property
    def flat_s(self) -> float:
        """Time at which the foot lies flat at `heel_m`."""
        return self.start_s + 0.5 * sum(FLAT_SHARE) * (self.stop_s - self.start_s)

    def belt_displacement(self, time_s: Array) -> Array:
        """Return how far the ground has carried the foot since it lay flat. Shape (T,) in, (T, 2) out."""
        return np.outer(time_s - self.flat_s, self.belt_m_s)

    def stance_share(self, time_s: Array) -> Array:
        """Return the share of the stance that has passed, between 0 and 1. Shape (T,)."""
        return np.clip((time_s - self.start_s) / (self.stop_s - self.start_s), 0.0, 1.0)

    def usual_cop(self, time_s: Array) -> Array:
        """Return the usual centre of pressure. Shape (T, 2)."""
        along = np.interp(self.stance_share(time_s), STANCE_SHARE, ALONG_FOOT) * self.length_m
        at_flat = self.heel_m + along[:, None] * self.forward - INWARD_M * self.outward
        return np.asarray(at_flat + self.belt_displacement(time_s))

    def clamp_cop(self, cop_m: Array, time_s: Array) -> Array:
        """Return the points of the footprint nearest to centres of pressure. Shape (T, 2)."""
        offset = cop_m - self.heel_m - self.belt_displacement(time_s)
        along = np.clip(offset @ self.forward, HEEL_END * self.length_m, TOE_END * self.length_m)
        aside = np.clip(offset @ self.outward, -HALF_WIDTH_M, HALF_WIDTH_M)
        on_foot = np.outer(along, self.forward) + np.outer(aside, self.outward)
        return np.asarray(self.heel_m + self.belt_displacement(time_s) + on_foot)

    def is_standing(self, time_s: Array) -> npt.NDArray[np.bool_]:
        """Return when the foot is on the ground. Shape (T,)."""
        return np.asarray((time_s >= self.start_s) & (time_s <= self.stop_s))


def find_footprints(
    robot: Robot, time_s: Array, qpos: Array, events: Sequence[GaitEvent], belt_m_s: Array
) -> tuple[Footprint, ...]:
    """Return all footprints in order of time, also those that begin before the recording or end after it.

    Args:
        robot: The person.
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        events: Heel strikes and toe offs of both feet.
        belt_m_s: Velocity of the ground. Shape (3,).
    """
    ankle_m, foot_to_world = body_poses(robot.model, [f"Foot{side}" for side in SIDES], qpos)
    footprints = []
    for column, side in enumerate(SIDES):
        length_m = robot.subject.lengths_m[f"Foot{side}Length"]
        heel_to_ankle_m = robot.subject.lengths_m[f"Foot{side}PosteriorPoint"]
        for start_s, stop_s, is_complete in _stance_times(events, side):
            flat_s = start_s + np.array(FLAT_SHARE) * (stop_s - start_s)
            is_flat = (time_s >= flat_s[0]) & (time_s <= flat_s[1])
            if not is_flat.any():
                is_flat[np.abs(time_s - flat_s.mean()).argmin()] = True
            forward = np.median(foot_to_world[is_flat, column, :2, 0], axis=0)
            forward = forward / np.linalg.norm(forward)
            at_origin = Footprint(side, start_s, stop_s, np.zeros(2), forward, length_m, belt_m_s[:2], is_complete)
            displacement = at_origin.belt_displacement(time_s[is_flat])
            ankle = np.median(ankle_m[is_flat, column, :2] - displacement, axis=0)
            footprints.append(replace(at_origin, heel_m=ankle - heel_to_ankle_m * forward))
    footprints.sort(key=lambda footprint: footprint.start_s)
    if footprints:  # a foot carries the body in the first frame and in the last
        footprints[0] = replace(footprints[0], start_s=min(footprints[0].start_s, float(time_s[0])))
        last = max(range(len(footprints)), key=lambda index: footprints[index].stop_s)
        footprints[last] = replace(footprints[last], stop_s=max(footprints[last].stop_s, float(time_s[-1])))
    return _close_flight_gaps(footprints)


def _close_flight_gaps(footprints: Sequence[Footprint]) -> tuple[Footprint, ...]:
    """Return footprints of which the next always begins before the last ends: short gaps are errors of events."""
    result = list(footprints)
    for index in range(len(result) - 1):
        before = result[index]
        after = result[index + 1]
        gap_s = after.start_s - before.stop_s
        if before.side != after.side and -MIN_DOUBLE_SUPPORT_S < gap_s < MAX_FLIGHT_S:
            middle_s = 0.5 * (before.stop_s + after.start_s)
            result[index] = replace(before, stop_s=middle_s + 0.5 * MIN_DOUBLE_SUPPORT_S)
            result[index + 1] = replace(after, start_s=middle_s - 0.5 * MIN_DOUBLE_SUPPORT_S)
    return tuple(result)


def _stance_times(events: Sequence[GaitEvent], side: Side) -> list[tuple[float, float, bool]]:
    """Return start and stop of stances, and whether both are seen; an unseen one is placed by the median stance."""
    own = _contact_changes(events, side)
    whole = [_whole_stances(_contact_changes(events, other)) for other in SIDES]
    durations_s = [stop - start for stances in whole for start, stop in stances]
    usual_s = float(np.median(durations_s)) if durations_s else USUAL_STANCE_S
    stances = [(start_s, stop_s, True) for start_s, stop_s in _whole_stances(own)]
    if own and own[0].kind == "toe_off":
        stances.insert(0, (own[0].time_s - usual_s, own[0].time_s, False))
    if own and own[-1].kind == "heel_strike":
        stances.append((own[-1].time_s, own[-1].time_s + usual_s, False))
    return stances


def _contact_changes(events: Sequence[GaitEvent], side: Side) -> list[GaitEvent]:
    own = [event for event in events if event.side == side and event.kind in ("heel_strike", "toe_off")]
    return sorted(own, key=lambda event: event.time_s)


def _whole_stances(changes: Sequence[GaitEvent]) -> list[tuple[float, float]]:
    return [
        (first.time_s, second.time_s)
        for first, second in pairwise(changes)
        if (first.kind, second.kind) == ("heel_strike", "toe_off")
    ]
