"""Walking axes: which way is up and which way somebody walks, and recordings turned until that is z and x."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.errors import BadRecordingError
from strut.recording import Recording, all_seen

SHORTEST_WALK_M = 0.5  # who comes less far stands, or walks on a treadmill
_AHEAD = (  # markers on the front of a segment and on its back, in order of preference
    (("LASI", "RASI"), ("LPSI", "RPSI")),
    (("LASI", "RASI"), ("SACR",)),
    (("LTOE", "RTOE"), ("LHEE", "RHEE")),
    (("LTOE", "RTOE"), ("LANK", "RANK")),
    (("LBALL", "RBALL"), ("LANKLE", "RANKLE")),
    (("LFT1", "RFT1"), ("LFT3", "RFT3")),
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
    high = _mean_of(recording, _on(segments, ("Pelvis", "Head")) or _on(segments, ("Thigh",)))
    low = _mean_of(recording, _on(segments, ("Foot",)))
    up, name = _up(recording, np.nanmedian(high - low, axis=0))
    seen = high[all_seen(high)]
    way = _over_ground(seen[-1] - seen[0], up)
    travelled = float(np.linalg.norm(way))
    forward, notes = _forward(recording, way, _facing(recording, up))
    notes = (f"Up is {name} in the file.", *notes, "The walk was turned onto +x.")
    return WalkingAxes(np.stack([forward, np.cross(up, forward), up]), travelled, notes)


def _on(segments: Mapping[str, str], parts: tuple[str, ...]) -> list[str]:
    return [name for name, segment in segments.items() if segment.startswith(parts)]


def _up(recording: Recording, upright: Array) -> tuple[Array, str]:
    """Return the axis of the laboratory along which body and feet are above one another, and its name. Shape (3,)."""
    axis = int(np.argmax(np.abs(upright)))
    if not np.abs(upright[axis]) >= 0.8 * np.linalg.norm(upright):  # also catches NaN
        raise BadRecordingError(f"{recording.name}: body and feet are not above one another along any axis.")
    sign = np.sign(upright[axis])
    return sign * np.eye(3)[axis], f"{'-' if sign < 0 else '+'}{'xyz'[axis]}"


def _over_ground(vector: Array, up: Array) -> Array:
    return np.asarray(vector - up * (vector @ up))


def _forward(recording: Recording, way: Array, facing: Array) -> tuple[Array, tuple[str, ...]]:
    """Return the direction of a walk, or where a body faces that does not come far, and a sentence. Shape (3,)."""
    length = np.linalg.norm(way)
    if length > SHORTEST_WALK_M and way @ facing >= 0.0:
        return way / length, ()
    if length > SHORTEST_WALK_M:
        return -way / length, ("The person walks backwards; forward is where the body faces.",)
    if np.linalg.norm(facing) < 1e-3:
        raise BadRecordingError(f"{recording.name}: nobody walks, and no markers tell where the body faces.")
    note = f"The pelvis comes {length:.2f} m far; forward is where the body faces."
    return facing / np.linalg.norm(facing), (note,)


def turned_onto_x(recording: Recording, axes: WalkingAxes) -> Recording:
    """Return a recording in our axes; markers, plates and all."""
    turn = axes.lab_to_world
    plates = tuple(
        replace(
            plate,
            force_n=plate.force_n @ turn.T,
            moment_nm=plate.moment_nm @ turn.T,
            cop_m=plate.cop_m @ turn.T,
            corners_m=plate.corners_m @ turn.T,
        )
        for plate in recording.plates
    )
    return replace(
        recording, markers_m=recording.markers_m @ turn.T, plates=plates, notes=(*recording.notes, *axes.notes)
    )


def _mean_of(recording: Recording, names: list[str]) -> Array:
    """Return the mean of some markers; NaN in frames where one is missing. Shape (T, 3)."""
    seen = [name for name in names if np.isfinite(recording.marker(name)).any()]
    if not seen:
        return np.full((len(recording.markers_m), 3), np.nan)
    return np.asarray(recording.markers(seen).mean(axis=1))


def _facing(recording: Recording, up: Array) -> Array:
    """Return where markers on the front are from those on the back, over the ground; zero if unknown. Shape (3,)."""
    known = set(recording.marker_names)
    for front, back in (pair for pair in _AHEAD if {*pair[0], *pair[1]} <= known):
        ahead = recording.markers(front).mean(axis=1) - recording.markers(back).mean(axis=1)
        if all_seen(ahead).any():  # frames in which all of them are seen
            return _over_ground(np.nanmean(ahead, axis=0), up)
    return np.zeros(3)
