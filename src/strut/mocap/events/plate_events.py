"""Plate events: heel strike and toe off of the foot that stands on a force plate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.mocap.events.foot_paths import FootPath
from strut.mocap.markers.gaps import find_runs
from strut.recording import ForcePlate, GaitEvent, Side

THRESHOLD_N = 20.0  # of vertical force, from which a foot stands on the plate; usual in gait laboratories
MIN_STANCE_S = 0.2  # a shorter load is no stance; chosen by eye
MIN_PEAK_N = 150.0  # a lighter load is no stance; chosen by eye
MAX_COP_DISTANCE_M = 0.20  # horizontal, from the centre of pressure to the foot that makes it; chosen by eye
EDGE_M = 0.02  # a heel or toes nearer to an edge may also stand beside the plate; chosen by eye


@dataclass(frozen=True, slots=True)
class PlateStance:
    """A foot on a plate.

    Args:
        side: Right or Left.
        plate: Name of the plate, or of several with commas between them.
        start_s: First load.
        stop_s: Last load.
        lands: Whether `start_s` is the heel strike.
        leaves: Whether `stop_s` is the toe off.
    """

    side: Side
    plate: str
    start_s: float
    stop_s: float
    lands: bool
    leaves: bool


def plate_stances(plates: Sequence[ForcePlate], feet: Sequence[FootPath], rate_hz: float) -> tuple[PlateStance, ...]:
    """Return which foot stands on which plate, and when; loads of two feet at once are left out.

    Args:
        plates: In world, z up.
        feet: Paths of both feet.
        rate_hz: Of the paths.
    """
    stances = []
    for plate in plates:
        for first, last in _loaded_runs(plate):
            foot = _foot_on_plate(plate, first, last, feet, rate_hz)
            if foot is not None:
                stances.append(_stance(plate, first, last, foot, rate_hz))
    return _merge(sorted(stances, key=lambda stance: stance.start_s))


def plate_gait_events(stances: Sequence[PlateStance]) -> tuple[GaitEvent, ...]:
    """Return the heel strikes and toe offs that plates measured, in order of time."""
    events = [GaitEvent("heel_strike", stance.side, stance.start_s) for stance in stances if stance.lands]
    events += [GaitEvent("toe_off", stance.side, stance.stop_s) for stance in stances if stance.leaves]
    return tuple(sorted(events, key=lambda event: event.time_s))


def _loaded_runs(plate: ForcePlate) -> list[tuple[int, int]]:
    """Return first and last sample of each load on a plate that is long and large enough for a stance."""
    vertical = plate.force_n[:, 2]
    return [
        (first, last)
        for first, last in find_runs(vertical > THRESHOLD_N)
        if (last - first) / plate.rate_hz >= MIN_STANCE_S and vertical[first : last + 1].max() >= MIN_PEAK_N
    ]


def _stance(plate: ForcePlate, first: int, last: int, foot: FootPath, rate_hz: float) -> PlateStance:
    vertical = plate.force_n[:, 2]
    return PlateStance(
        side=foot.side,
        plate=plate.name,
        start_s=_crossing(vertical, first - 1, THRESHOLD_N) / plate.rate_hz,
        stop_s=_crossing(vertical, last, THRESHOLD_N) / plate.rate_hz,
        lands=first > 0 and _is_over(plate, first, foot.heel_m, rate_hz),
        leaves=last + 1 < len(vertical) and _is_over(plate, last, foot.toe_m, rate_hz),
    )


def _crossing(values: Array, frame: int, level: float) -> float:
    """Return where values pass a level between a frame and the next one, in frames."""
    if frame < 0 or frame + 1 >= len(values):
        return float(max(frame, 0))
    return frame + float((level - values[frame]) / (values[frame + 1] - values[frame]))


def _foot_on_plate(
    plate: ForcePlate, first: int, last: int, feet: Sequence[FootPath], rate_hz: float
) -> FootPath | None:
    """Return the foot that is nearest to the centre of pressure all the time; None if it is not always the same one."""
    margin = 0.15 * (last - first)  # the centre of pressure of a small load is uncertain
    samples = np.linspace(first + margin, last - margin, 7).astype(int)
    nearest = {_nearest_side(plate.cop_m[sample], feet, round(sample / plate.rate_hz * rate_hz)) for sample in samples}
    sides = nearest - {None}
    return next((foot for foot in feet if sides == {foot.side}), None)


def _nearest_side(point: Array, feet: Sequence[FootPath], frame: int) -> Side | None:
    """Return the side of the foot nearest to a point in a frame; None if both are far."""
    if frame >= len(feet[0].toe_m):
        return None
    distance = {foot.side: _horizontal_distance(point, foot.heel_m[frame], foot.toe_m[frame]) for foot in feet}
    side = min(distance, key=distance.__getitem__)
    return side if distance[side] < MAX_COP_DISTANCE_M else None


def _horizontal_distance(point: Array, heel: Array, toe: Array) -> float:
    """Return the distance of a point from the segment between heel and toe; infinite if one of them is unseen."""
    along = toe[:2] - heel[:2]
    share = np.clip((point[:2] - heel[:2]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0)
    return float(np.nan_to_num(np.linalg.norm(point[:2] - heel[:2] - share * along), nan=np.inf))


def _is_over(plate: ForcePlate, sample: int, path_m: Array, rate_hz: float) -> bool:
    """Return whether a marker is over the plate at a sample, and not near its edge. Shape (T, 3)."""
    frame = round(sample / plate.rate_hz * rate_hz)
    if frame >= len(path_m) or not np.isfinite(path_m[frame]).all():
        return False
    offset = path_m[frame] - plate.centre_m
    sides = (plate.corners_m[0] - plate.corners_m[1], plate.corners_m[1] - plate.corners_m[2])
    return all(abs(offset @ side) / np.linalg.norm(side) < float(np.linalg.norm(side)) / 2.0 - EDGE_M for side in sides)


def _merge(stances: Sequence[PlateStance]) -> tuple[PlateStance, ...]:
    """Return stances; overlapping ones of a foot on two plates become one: it lands on the first, leaves the last."""
    merged = list[PlateStance]()
    for stance in stances:
        overlapping = [
            index for index, other in enumerate(merged) if other.side == stance.side and other.stop_s > stance.start_s
        ]
        if overlapping:
            merged[overlapping[0]] = _join(merged[overlapping[0]], stance)
        else:
            merged.append(stance)
    return tuple(merged)


def _join(first: PlateStance, second: PlateStance) -> PlateStance:
    last = max(first, second, key=lambda stance: stance.stop_s)
    return replace(first, plate=f"{first.plate}, {second.plate}", stop_s=last.stop_s, leaves=last.leaves)
