"""Plate events: heel strike and toe off of the foot that stands on a force plate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.capture.events.foot_paths import FootPath
from strut.capture.markers.gaps import runs_of
from strut.recording import ForcePlate, GaitEvent, Side

THRESHOLD_N = 20.0  # from which force on somebody stands on a plate
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


def plate_stances(plates: Sequence[ForcePlate], feet: Sequence[FootPath], rate_hz: float) -> tuple[PlateStance, ...]:
    """Return which foot stands on which plate, and when; what two feet load at once is left out.

    Args:
        plates: In world, z up.
        feet: Paths of both feet.
        rate_hz: Of the paths.
    """
    found = [
        _stance(plate, first, last, foot, rate_hz)
        for plate in plates
        for first, last in _loaded_runs(plate)
        for foot in _whose(plate, first, last, feet, rate_hz)
    ]
    return _merged(sorted(found, key=lambda stance: stance.start_s))


def _loaded_runs(plate: ForcePlate) -> list[tuple[int, int]]:
    """Return first and last sample of each time that somebody stands on a plate."""
    up = plate.force_n[:, 2]
    long = [run for run in runs_of(up > THRESHOLD_N) if (run[1] - run[0]) / plate.rate_hz >= SHORTEST_STANCE_S]
    return [(first, last) for first, last in long if up[first : last + 1].max() >= LIGHTEST_PEAK_N]


def _stance(plate: ForcePlate, first: int, last: int, foot: FootPath, rate_hz: float) -> PlateStance:
    up = plate.force_n[:, 2]
    return PlateStance(
        foot.side,
        plate.name,
        _crossing(up, first - 1, THRESHOLD_N) / plate.rate_hz,
        _crossing(up, last, THRESHOLD_N) / plate.rate_hz,
        lands=first > 0 and _inside(plate, first, foot.heel_m, rate_hz),
        leaves=last + 1 < len(up) and _inside(plate, last, foot.toe_m, rate_hz),
    )


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


def _whose(plate: ForcePlate, first: int, last: int, feet: Sequence[FootPath], rate_hz: float) -> list[FootPath]:
    """Return the foot nearest to the centre of pressure all the time; none if it is not always the same one."""
    samples = np.linspace(first + 0.15 * (last - first), last - 0.15 * (last - first), 7).astype(int)
    nearest = {_nearest(plate.cop_m[sample], feet, round(sample / plate.rate_hz * rate_hz)) for sample in samples}
    known = nearest - {None}
    return [foot for foot in feet if known == {foot.side}]


def _nearest(place: Array, feet: Sequence[FootPath], frame: int) -> Side | None:
    """Return the foot nearest to a place in a frame; None if none is near."""
    if frame >= len(feet[0].toe_m):
        return None
    away = {foot.side: _distance(place, foot.heel_m[frame], foot.toe_m[frame]) for foot in feet}
    side = min(away, key=away.__getitem__)
    return side if away[side] < FARTHEST_M else None


def _distance(place: Array, heel: Array, toe: Array) -> float:
    """Return how far a point is from the line between heel and toe over the ground; infinite if one is unseen."""
    along = toe[:2] - heel[:2]
    share = np.clip((place[:2] - heel[:2]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
    return float(np.nan_to_num(np.linalg.norm(place[:2] - heel[:2] - share * along), nan=np.inf))


def _inside(plate: ForcePlate, sample: int, end_m: Array, rate_hz: float) -> bool:
    """Return whether heel or toes are over the plate at a sample, and not at its edge. Path of the end (T, 3)."""
    frame = round(sample / plate.rate_hz * rate_hz)
    if frame >= len(end_m) or not np.isfinite(end_m[frame]).all():
        return False
    x = plate.corners_m[0] - plate.corners_m[1]
    y = plate.corners_m[1] - plate.corners_m[2]
    offset = end_m[frame] - plate.centre_m
    return all(
        abs(offset @ side) / np.linalg.norm(side) < float(np.linalg.norm(side)) / 2.0 - EDGE_M for side in (x, y)
    )


def _merged(stances: Sequence[PlateStance]) -> tuple[PlateStance, ...]:
    """Return stances; a foot on two plates at once is one: it lands on the first and leaves the last."""
    merged = list[PlateStance]()
    for one in stances:
        same = [other for other in merged if other.side == one.side and other.stop_s > one.start_s]
        if same:
            merged[merged.index(same[0])] = _joined(same[0], one)
        else:
            merged.append(one)
    return tuple(merged)


def _joined(first: PlateStance, second: PlateStance) -> PlateStance:
    last = max(first, second, key=lambda stance: stance.stop_s)
    return replace(first, plate=f"{first.plate}, {second.plate}", stop_s=last.stop_s, leaves=last.leaves)
