"""Walking axes: find where up and forward are in the axes of a laboratory; turn recordings to x forward, z up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.errors import BadRecordingError
from strut.recording import Recording, are_seen

MIN_WALK_M = 0.5  # a pelvis that travels less belongs to a standing person or to a walk on a treadmill; chosen by eye
MIN_UPRIGHT = 0.8  # cosine of the angle between the body and the vertical axis; chosen by eye
_FRONT_AND_BACK = (  # markers on the front of a segment and on its back, in order of preference
    (("LASI", "RASI"), ("LPSI", "RPSI")),
    (("LASI", "RASI"), ("SACR",)),
    (("LTOE", "RTOE"), ("LHEE", "RHEE")),
    (("LTOE", "RTOE"), ("LANK", "RANK")),
    (("LBALL", "RBALL"), ("LANKLE", "RANKLE")),
    (("LFT1", "RFT1"), ("LFT3", "RFT3")),
)


@dataclass(frozen=True, slots=True, eq=False)
class WalkingAxes:
    """Rotation from the axes of a laboratory to ours (3, 3), distance that the pelvis travels, and notes."""

    lab_to_world: Array
    travelled_m: float
    notes: tuple[str, ...]


def find_walking_axes(recording: Recording, segments: Mapping[str, str]) -> WalkingAxes:
    """Return the axes of a recording, from the heights of body and feet and the path of the pelvis.

    Args:
        recording: In the axes of the laboratory.
        segments: Segment of each marker to use, by the name of the marker.

    Raises:
        BadRecordingError: If the body is not above the feet along any axis.
    """
    pelvis = _mean_path(recording, _markers_on(segments, ("Pelvis", "Head")) or _markers_on(segments, ("Thigh",)))
    feet = _mean_path(recording, _markers_on(segments, ("Foot",)))
    up, up_name = _find_up(recording, np.nanmedian(pelvis - feet, axis=0))
    seen = pelvis[are_seen(pelvis)]
    travel = _horizontal_part(seen[-1] - seen[0], up)
    forward, notes = _find_forward(recording, travel, _facing(recording, up))
    return WalkingAxes(
        lab_to_world=np.stack([forward, np.cross(up, forward), up]),
        travelled_m=float(np.linalg.norm(travel)),
        notes=(f"Up is {up_name} in the file.", *notes, "The walk was turned onto +x."),
    )


def turn_onto_x(recording: Recording, axes: WalkingAxes) -> Recording:
    """Return a recording in our axes, with its force plates."""
    rotation = axes.lab_to_world
    plates = tuple(
        replace(
            plate,
            force_n=plate.force_n @ rotation.T,
            moment_nm=plate.moment_nm @ rotation.T,
            cop_m=plate.cop_m @ rotation.T,
            corners_m=plate.corners_m @ rotation.T,
        )
        for plate in recording.plates
    )
    markers_m = recording.markers_m @ rotation.T
    return replace(recording, markers_m=markers_m, plates=plates, notes=(*recording.notes, *axes.notes))


def _markers_on(segments: Mapping[str, str], parts: tuple[str, ...]) -> list[str]:
    return [name for name, segment in segments.items() if segment.startswith(parts)]


def _mean_path(recording: Recording, names: list[str]) -> Array:
    """Return the mean of some markers; NaN in frames where one is missing. Shape (T, 3)."""
    seen = [name for name in names if np.isfinite(recording.marker(name)).any()]
    if not seen:
        return np.full((len(recording.markers_m), 3), np.nan)
    return np.asarray(recording.markers(seen).mean(axis=1))


def _horizontal_part(vector: Array, up: Array) -> Array:
    return np.asarray(vector - up * (vector @ up))


def _find_up(recording: Recording, feet_to_pelvis: Array) -> tuple[Array, str]:
    """Return the axis of the laboratory along which the body is above the feet, and its name. Shape (3,)."""
    axis = int(np.argmax(np.abs(feet_to_pelvis)))
    if not np.abs(feet_to_pelvis[axis]) >= MIN_UPRIGHT * np.linalg.norm(feet_to_pelvis):  # also catches NaN
        raise BadRecordingError(f"{recording.name}: body and feet are not above one another along any axis.")
    sign = np.sign(feet_to_pelvis[axis])
    return sign * np.eye(3)[axis], f"{'-' if sign < 0 else '+'}{'xyz'[axis]}"


def _find_forward(recording: Recording, travel: Array, facing: Array) -> tuple[Array, tuple[str, ...]]:
    """Return the direction of the walk, or of the facing body if it does not travel, and notes. Shape (3,)."""
    length = np.linalg.norm(travel)
    if length > MIN_WALK_M and travel @ facing >= 0.0:
        return travel / length, ()
    if length > MIN_WALK_M:
        return -travel / length, ("The person walks backwards; forward is where the body faces.",)
    if np.linalg.norm(facing) < 1e-3:
        raise BadRecordingError(
            f"{recording.name}: the person does not walk, and no markers show where the body faces."
        )
    note = f"The pelvis travels {length:.2f} m; forward is where the body faces."
    return facing / np.linalg.norm(facing), (note,)


def _facing(recording: Recording, up: Array) -> Array:
    """Return the horizontal vector from markers on the back to markers on the front; zero if unknown. Shape (3,)."""
    names = set(recording.marker_names)
    for front, back in _FRONT_AND_BACK:
        if not {*front, *back} <= names:
            continue
        back_to_front = recording.markers(front).mean(axis=1) - recording.markers(back).mean(axis=1)
        if are_seen(back_to_front).any():
            return _horizontal_part(np.nanmean(back_to_front, axis=0), up)
    return np.zeros(3)
