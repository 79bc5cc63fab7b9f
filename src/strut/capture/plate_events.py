"""Plate events: heel strike and toe off of the foot that stands on a force plate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.capture.foot_paths import FootPath
from strut.capture.gaps import runs_of
from strut.recording import ForcePlate, GaitEvent, Side
from strut.robot import Array

THRESHOLD_N = 20.0
SHORTEST_STANCE_S = 0.2
LIGHTEST_PEAK_N = 150.0
FARTHEST_M = 0.20  # of the centre of pressure from the foot that makes it, over the ground
EDGE_M = 0.02  # a heel or toes nearer to an edge may stand beside the plate, too


@dataclass(frozen=True, slots=True)
class PlateStance:
    """A foot on a plate: from when to when, and whether beginning and end are those of its contact with the ground."""

    side: Side
    plate: str
    start_s: float
    stop_s: float
    lands: bool
    leaves: bool


def plate_stances(
    plates: Sequence[ForcePlate], feet: Sequence[FootPath], rate_hz: float, threshold_n: float = THRESHOLD_N
) -> tuple[PlateStance, ...]:
    """Return which foot stands on which plate, and when; what two feet load at once is left out.

    Args:
        plates: In world, z up.
        feet: Paths of both feet.
        rate_hz: Of the paths.
        threshold_n: From which force on somebody stands there.
    """
    found = []
    for plate in plates:
        up = plate.force_n[:, 2]
        for first, last in runs_of(up > threshold_n):
            lasts = (last - first) / plate.rate_hz
            if lasts < SHORTEST_STANCE_S or up[first : last + 1].max() < LIGHTEST_PEAK_N:
                continue
            side = _whose(plate, first, last, feet, rate_hz)
            if side is None:
                continue
            start = _crossing(up, first - 1, threshold_n) / plate.rate_hz
            stop = _crossing(up, last, threshold_n) / plate.rate_hz
            foot = next(one for one in feet if one.side == side)
            lands = first > 0 and _inside(plate, first, foot.heel_m, rate_hz)
            leaves = last + 1 < len(up) and _inside(plate, last, foot.toe_m, rate_hz)
            found.append(PlateStance(side, plate.name, start, stop, lands, leaves))
    return _merged(found)


def plate_gait_events(stances: Sequence[PlateStance]) -> tuple[GaitEvent, ...]:
    """Return heel strikes and toe offs that plates felt, in order of time."""
    events = [GaitEvent("heel_strike", one.side, one.start_s) for one in stances if one.lands]
    events += [GaitEvent("toe_off", one.side, one.stop_s) for one in stances if one.leaves]
    return tuple(sorted(events, key=lambda event: event.time_s))


def _crossing(values: Array, frame: int, level: float) -> float:
    """Return where values pass a level between a frame and the next one."""
    if frame < 0 or frame + 1 >= len(values):
        return float(max(frame, 0))
    return frame + float((level - values[frame]) / (values[frame + 1] - values[frame]))


def _whose(plate: ForcePlate, first: int, last: int, feet: Sequence[FootPath], rate_hz: float) -> Side | None:
    """Return the foot nearest to the centre of pressure all the time; None if it is not always the same one."""
    when = np.linspace(first + 0.15 * (last - first), last - 0.15 * (last - first), 7)
    sides = set()
    for sample in when:
        place = plate.cop_m[int(sample)]
        frame = round(sample / plate.rate_hz * rate_hz)
        away = {}
        for foot in feet:
            if frame < len(foot.toe_m) and np.isfinite(place).all():
                away[foot.side] = _distance(place, foot.heel_m[frame], foot.toe_m[frame])
        near = {side: distance for side, distance in away.items() if distance < FARTHEST_M}
        if near:
            sides.add(min(near, key=near.__getitem__))
    return sides.pop() if len(sides) == 1 else None


def _distance(place: Array, heel: Array, toe: Array) -> float:
    """Return how far a point is from the line between heel and toe over the ground; infinite if the foot is unseen."""
    if not (np.isfinite(heel).all() and np.isfinite(toe).all()):
        return float("inf")
    along = toe[:2] - heel[:2]
    share = np.clip((place[:2] - heel[:2]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
    return float(np.linalg.norm(place[:2] - heel[:2] - share * along))


def _inside(plate: ForcePlate, sample: int, end_m: Array, rate_hz: float) -> bool:
    """Return whether heel or toes are over the plate at a sample, and not at its edge. Path of the end (T, 3)."""
    frame = round(sample / plate.rate_hz * rate_hz)
    if frame >= len(end_m) or not np.isfinite(end_m[frame]).all():
        return False
    x, y = plate.corners_m[0] - plate.corners_m[1], plate.corners_m[1] - plate.corners_m[2]
    offset = end_m[frame] - plate.centre_m
    return all(
        abs(offset @ side) / np.linalg.norm(side) < float(np.linalg.norm(side)) / 2.0 - EDGE_M for side in (x, y)
    )


def _merged(stances: Sequence[PlateStance]) -> tuple[PlateStance, ...]:
    """Return stances; a foot on two plates at once is one: it lands on the first and leaves the last."""
    merged = list[PlateStance]()
    for one in sorted(stances, key=lambda stance: stance.start_s):
        same = next((other for other in merged if other.side == one.side and other.stop_s > one.start_s), None)
        if same is None:
            merged.append(one)
        else:
            last = one if one.stop_s > same.stop_s else same
            both = PlateStance(
                same.side, f"{same.plate}, {one.plate}", same.start_s, last.stop_s, same.lands, last.leaves
            )
            merged[merged.index(same)] = both
    return tuple(merged)
