"""Walking axes: which way is up and which way somebody walks, and recordings turned until that is z and x."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from strut.errors import BadRecordingError
from strut.recording import ForcePlate, Recording, all_seen
from strut.robot import Array

SHORTEST_WALK_M = 0.5  # who comes less far stands, or walks on a treadmill
_AHEAD = (  # markers on the front of a segment and on its back, in order of preference
    (("LASI", "RASI"), ("LPSI", "RPSI")),
    (("LASI", "RASI"), ("SACR",)),
    (("LTOE", "RTOE"), ("LHEE", "RHEE")),
    (("LTOE", "RTOE"), ("LANK", "RANK")),
    (("LBALL", "RBALL"), ("LANKLE", "RANKLE")),
)


@dataclass(frozen=True, slots=True, eq=False)
class WalkingAxes:
    """How a laboratory's axes lie: rotation to ours (3, 3), travelled way, and sentences about what was found."""

    lab_to_world: Array
    travelled_m: float
    notes: tuple[str, ...]


def find_walking_axes(recording: Recording, segments: Mapping[str, str]) -> WalkingAxes:
    """Return the axes of a recording, from the heights of body and feet and from the way of the pelvis.

    Args:
        recording: In the laboratory's axes.
        segments: The segment of each marker that counts, by the marker's name.

    Raises:
        BadRecordingError: If body and feet are not above one another along any axis.
    """
    high = _mean_of(recording, [name for name, segment in segments.items() if segment in ("Pelvis", "Head")])
    if not np.isfinite(high).any():
        high = _mean_of(recording, [name for name, segment in segments.items() if segment.startswith("Thigh")])
    low = _mean_of(recording, [name for name, segment in segments.items() if segment.startswith("Foot")])
    upright = np.nanmedian(high - low, axis=0)
    axis = int(np.argmax(np.abs(upright)))
    if not np.isfinite(upright).all() or np.abs(upright[axis]) < 0.8 * np.linalg.norm(upright):
        raise BadRecordingError(f"{recording.name}: body and feet are not above one another along any axis.")
    up = np.sign(upright[axis]) * np.eye(3)[axis]
    seen = np.flatnonzero(all_seen(high))
    way = high[seen[-1]] - high[seen[0]]
    way = way - up * (way @ up)
    travelled = float(np.linalg.norm(way))
    facing = _facing(recording, up)
    forward, notes = way, [f"Up is {'-' if up[axis] < 0 else '+'}{'xyz'[axis]} in the file."]
    if travelled < SHORTEST_WALK_M:
        forward = facing
        if np.linalg.norm(facing) < 1e-3:
            raise BadRecordingError(f"{recording.name}: nobody walks, and no markers tell where the body faces.")
        notes.append(f"The pelvis comes {travelled:.2f} m far; forward is where the body faces.")
    elif way @ facing < 0.0:
        forward = -way
        notes.append("The person walks backwards; forward is where the body faces.")
    forward = forward / np.linalg.norm(forward)
    degrees = np.degrees(np.arctan2(*_in_plane(forward, axis)))
    notes.append(f"The walk was turned onto +x (it went at {degrees:.0f} degrees in the file's ground plane).")
    return WalkingAxes(np.stack([forward, np.cross(up, forward), up]), travelled, tuple(notes))


def turned_onto_x(recording: Recording, axes: WalkingAxes) -> Recording:
    """Return a recording in our axes; markers, plates and all."""
    turn = axes.lab_to_world
    plates = tuple(
        ForcePlate(
            plate.name,
            plate.rate_hz,
            plate.force_n @ turn.T,
            plate.moment_nm @ turn.T,
            plate.cop_m @ turn.T,
            plate.corners_m @ turn.T,
        )
        for plate in recording.plates
    )
    return replace(
        recording, markers_m=recording.markers_m @ turn.T, plates=plates, notes=(*recording.notes, *axes.notes)
    )


def _in_plane(forward: Array, axis: int) -> tuple[float, float]:
    first, second = (axis + 1) % 3, (axis + 2) % 3
    return float(forward[second]), float(forward[first])


def _mean_of(recording: Recording, names: list[str]) -> Array:
    """Return the mean of some markers; NaN in frames where one is missing. Shape (T, 3)."""
    if not names:
        return np.full((len(recording.markers_m), 3), np.nan)
    seen = [name for name in names if np.isfinite(recording.marker(name)).any()]
    return np.asarray(recording.markers(seen).mean(axis=1)) if seen else np.full((len(recording.markers_m), 3), np.nan)


def _facing(recording: Recording, up: Array) -> Array:
    """Return where markers on the front are from those on the back, over the ground; zero if unknown. Shape (3,)."""
    known = set(recording.marker_names)
    for front, back in _AHEAD:
        if not {*front, *back} <= known:
            continue
        ahead = recording.markers(front).mean(axis=1) - recording.markers(back).mean(axis=1)
        if all_seen(ahead).any():  # frames in which all of them are seen
            mean = np.nanmean(ahead, axis=0)
            return np.asarray(mean - up * (mean @ up))
    return np.zeros(3)
