"""Gait trial: a recording prepared for a fit: landmarks named, gaps filled, axes turned, events found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import BadRecordingError
from strut.mocap.events.foot_paths import WalkingPaths, walking_paths
from strut.mocap.events.gait_events import contact_states, find_gait_events
from strut.mocap.events.heel_strikes import refine_heel_strikes
from strut.mocap.events.plate_events import PlateStance, plate_gait_events, plate_stances
from strut.mocap.marker_fit.label_order import find_exchanged_labels
from strut.mocap.markers.gaps import Gap, fill_gaps
from strut.mocap.markers.marker_checks import MarkerFault, check_markers
from strut.mocap.markers.marker_set import Landmark, MarkerSet, match_markers
from strut.mocap.markers.medial_ankles import medial_ankle_names
from strut.mocap.markers.walking_axes import find_walking_axes, turn_onto_x
from strut.recording import AnalogChannels, ForcePlate, GaitEvent, Recording, Side, are_seen

MIN_FRAMES = 10
MIN_SEEN_SHARE = 0.05  # of the frames; a marker that is seen less often is ignored; chosen by eye
FLAT_MARGIN_S = 0.04  # after foot flat and before heel off; chosen by eye
PLATE_NEAR_S = 0.08  # an event from markers is replaced by one of a plate if they are this close; chosen by eye


@dataclass(frozen=True, slots=True, eq=False)
class GaitTrial:
    """A recording in our axes with its markers named by landmark.

    Args:
        recording: Only markers that are landmarks.
        landmarks: Of each marker, in the order of the recording.
        marker_set: Title of the marker set.
        labels: Name of each landmark in the file.
        gaps: Filled or not.
        faults: Of markers.
        paths: Of the feet; None if they cannot be found.
        events: From markers alone; empty if the person does not walk.
        stances: On plates.
        travelled_m: Horizontal distance that the pelvis travels.
    """

    recording: Recording
    landmarks: Mapping[str, Landmark]
    marker_set: str
    labels: Mapping[str, str]
    gaps: tuple[Gap, ...]
    faults: tuple[MarkerFault, ...]
    paths: WalkingPaths | None
    events: tuple[GaitEvent, ...]
    stances: tuple[PlateStance, ...]
    travelled_m: float

    @property
    def plate_events(self) -> tuple[GaitEvent, ...]:
        """Events that plates measured."""
        return plate_gait_events(self.stances)

    @property
    def best_events(self) -> tuple[GaitEvent, ...]:
        """Events from markers; at the time of the plate where a plate measured them."""
        return replace_by_plate_events(self.events, self.plate_events)

    @property
    def belt_m_s(self) -> Array:
        """Velocity of the ground; zero on a floor. Shape (3,)."""
        return np.zeros(3) if self.paths is None else self.paths.belt_m_s


def prepare_trial(recording: Recording, marker_set: MarkerSet | None = None) -> GaitTrial:
    """Return a recording prepared for a fit.

    Example:
        >>> trial = strut.mocap.prepare_trial(strut.read_recording("walk.c3d"))
        >>> [(event.kind, event.side, event.time_s) for event in trial.events]

    Raises:
        MarkerSetError: If markers that a fit needs are missing.
        BadRecordingError: If the recording is too short, or body and feet cannot be recognised.
    """
    if len(recording.markers_m) < MIN_FRAMES:
        raise BadRecordingError(
            f"{recording.name} has {len(recording.markers_m)} frames; a fit needs at least {MIN_FRAMES}."
        )
    seen = _drop_unseen_markers(recording)
    unseen = [name for name in recording.marker_names if name not in seen.marker_names]
    matched_set, labels = match_markers(seen, marker_set, unseen)
    landmarks = {name: matched_set.landmarks[name] for name in labels}
    columns = [recording.marker_names.index(label) for label in labels.values()]
    recording = replace(
        recording,
        marker_names=tuple(labels),
        markers_m=recording.markers_m[:, columns],
        residual_m=None if recording.residual_m is None else recording.residual_m[:, columns],
    )
    recording, gaps = fill_gaps(_crop_to_seen_frames(recording))
    axes = find_walking_axes(recording, {name: landmark.segment for name, landmark in landmarks.items()})
    recording = turn_onto_x(recording, axes)
    recording, landmarks, labels = _rename_medial_ankles(recording, landmarks, labels, matched_set)
    faults = check_markers(recording, recording.marker_names)
    known = {frozenset(fault.markers) for fault in faults}
    exchanged = find_exchanged_labels(recording, landmarks, labels)
    faults = (*faults, *(fault for fault in exchanged if frozenset(fault.markers) not in known))
    paths = None
    events: tuple[GaitEvent, ...] = ()
    stances: tuple[PlateStance, ...] = ()
    try:
        paths = walking_paths(recording)
    except BadRecordingError as error:
        recording = replace(recording, notes=(*recording.notes, f"Gait events were not searched for: {error}"))
    if paths is not None:
        events = refine_heel_strikes(find_gait_events(paths), paths)
        stances = plate_stances(recording.plates, paths.feet, recording.rate_hz)
    return GaitTrial(
        recording=recording,
        landmarks=landmarks,
        marker_set=matched_set.title,
        labels=labels,
        gaps=gaps,
        faults=faults,
        paths=paths,
        events=events,
        stances=stances,
        travelled_m=axes.travelled_m,
    )


def _rename_medial_ankles(
    recording: Recording, landmarks: dict[str, Landmark], labels: dict[str, str], marker_set: MarkerSet
) -> tuple[Recording, dict[str, Landmark], dict[str, str]]:
    """Return recording, landmarks and labels with ankle markers on the inner side of the feet named as such."""
    renamed = medial_ankle_names(recording)
    if not renamed or not set(renamed.values()) <= set(marker_set.landmarks):
        return recording, landmarks, labels
    names = tuple(renamed.get(name, name) for name in recording.marker_names)
    changes = ", ".join(f"{labels[old]} is {new}" for old, new in renamed.items())
    note = f"By their position, ankle markers are on the inner side of the feet: {changes}."
    return (
        replace(recording, marker_names=names, notes=(*recording.notes, note)),
        {renamed.get(name, name): marker_set.landmarks[renamed.get(name, name)] for name in landmarks},
        {renamed.get(name, name): label for name, label in labels.items()},
    )


def flat_feet(trial: GaitTrial) -> npt.NDArray[np.bool_]:
    """Return when each foot, right and left, stands flat: at rest, from foot flat to heel off. Shape (T, 2)."""
    flat = np.zeros((len(trial.recording.markers_m), 2), dtype=bool)
    if trial.paths is None:
        return flat
    for column, foot in enumerate(trial.paths.feet):
        flat[:, column] = foot.at_rest()
        if trial.events:
            flat[:, column] &= _between_flat_and_heel_off(trial, foot.side)
    return flat


def _between_flat_and_heel_off(trial: GaitTrial, side: Side) -> npt.NDArray[np.bool_]:
    time_s = trial.recording.time_s
    heel_off_s = _event_times(trial.events, "heel_off", side)
    inside = np.zeros(len(time_s), dtype=bool)
    for start_s in _event_times(trial.events, "foot_flat", side):
        stop_s = min((rise_s for rise_s in heel_off_s if rise_s > start_s), default=start_s)
        inside |= (time_s > start_s + FLAT_MARGIN_S) & (time_s < stop_s - FLAT_MARGIN_S)
    return inside


def _event_times(events: Sequence[GaitEvent], kind: str, side: Side) -> list[float]:
    return [event.time_s for event in events if (event.kind, event.side) == (kind, side)]


def contact_columns(events: Sequence[GaitEvent], trial: GaitTrial, foot_names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return contacts of named contact points (HeelRight, HalluxLeft, ...). Shape (T, n)."""
    time_s = trial.recording.time_s
    if not events:
        return np.ones((len(time_s), len(foot_names)), dtype=bool)
    contacts = contact_states(events, time_s)
    return np.column_stack([contacts[_side_and_part(name)] for name in foot_names])


def _side_and_part(name: str) -> tuple[Side, str]:
    side: Side = "Right" if name.endswith("Right") else "Left"
    return side, "heel" if name.startswith("Heel") else "forefoot"


def replace_by_plate_events(events: Sequence[GaitEvent], plate_events: Sequence[GaitEvent]) -> tuple[GaitEvent, ...]:
    """Return events of markers in order of time, each at the time of the same event of a plate if one is near."""
    replaced = []
    for event in events:
        plate_s = np.array(_event_times(plate_events, event.kind, event.side))
        distance_s = np.abs(plate_s - event.time_s)
        if distance_s.min(initial=np.inf) < PLATE_NEAR_S:
            replaced.append(replace(event, time_s=float(plate_s[distance_s.argmin()])))
        else:
            replaced.append(event)
    return tuple(sorted(replaced, key=lambda event: event.time_s))


def _drop_unseen_markers(recording: Recording) -> Recording:
    seen_share = are_seen(recording.markers_m).mean(axis=0)
    columns = np.flatnonzero(seen_share > MIN_SEEN_SHARE)
    if not len(columns):
        raise BadRecordingError(f"{recording.name} has no markers that are seen.")
    names = tuple(recording.marker_names[column] for column in columns)
    return replace(recording, marker_names=names, markers_m=recording.markers_m[:, columns], residual_m=None)


def _crop_to_seen_frames(recording: Recording) -> Recording:
    """Return a recording without the frames at both ends in which less than half of the markers are seen."""
    seen_share = are_seen(recording.markers_m).mean(axis=1)
    good = np.flatnonzero(seen_share >= 0.5)
    if len(good) < MIN_FRAMES:
        raise BadRecordingError(f"{recording.name}: half of the markers are seen in {len(good)} frames only.")
    first = int(good[0])
    stop = int(good[-1]) + 1
    if first == 0 and stop == len(seen_share):
        return recording
    start_s = first / recording.rate_hz
    note = f"Frames {first + 1} to {stop} of {len(seen_share)} are used; in the others most markers are unseen."
    return replace(
        recording,
        markers_m=recording.markers_m[first:stop],
        residual_m=None if recording.residual_m is None else recording.residual_m[first:stop],
        plates=tuple(_crop_plate(plate, start_s) for plate in recording.plates),
        analog=None if recording.analog is None else _crop_analog(recording.analog, start_s),
        events=tuple(replace(event, time_s=event.time_s - start_s) for event in recording.events),
        moments_nm_kg={name: values[first:stop] for name, values in recording.moments_nm_kg.items()},
        notes=(*recording.notes, note),
    )


def _crop_plate(plate: ForcePlate, start_s: float) -> ForcePlate:
    first = round(start_s * plate.rate_hz)
    return replace(plate, force_n=plate.force_n[first:], moment_nm=plate.moment_nm[first:], cop_m=plate.cop_m[first:])


def _crop_analog(analog: AnalogChannels, start_s: float) -> AnalogChannels:
    return replace(analog, values=analog.values[round(start_s * analog.rate_hz) :])
