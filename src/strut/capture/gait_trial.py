"""Gait trial: a recording made ready for a fit: landmarks named, gaps filled, axes turned, events found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.events.foot_paths import WalkingPaths, walking_paths
from strut.capture.events.gait_events import contacts_of, find_gait_events
from strut.capture.events.heel_strikes import refined_heel_strikes
from strut.capture.events.plate_events import PlateStance, plate_gait_events, plate_stances
from strut.capture.markers.foot_side import foot_landmarks
from strut.capture.markers.gaps import Gap, filled_gaps
from strut.capture.markers.marker_checks import MarkerFault, check_markers
from strut.capture.markers.marker_mapping import Landmark, MarkerSet, match_markers
from strut.capture.markers.walking_axes import find_walking_axes, turned_onto_x
from strut.errors import BadRecordingError
from strut.recording import AnalogChannels, ForcePlate, GaitEvent, Recording, Side, all_seen

FEWEST_FRAMES = 10
SEEN_SHARE = 0.05  # of the frames, below which a marker does not count as there
FLAT_MARGIN_S = 0.04  # after foot flat and before heel off
PLATE_NEAR_S = 0.08  # an event from markers is replaced by that of a plate if they are so near


@dataclass(frozen=True, slots=True, eq=False)
class GaitTrial:
    """A recording in our axes with its markers named by landmark.

    Args:
        recording: Only markers that are landmarks.
        landmarks: Of each marker, in the order of the recording.
        marker_set: Title of the marker set.
        labels: What the file calls each landmark.
        gaps: Filled or not.
        faults: Of markers.
        paths: Of the feet; None if nobody walks.
        events: From markers alone.
        stances: On plates.
        travelled_m: Way of the pelvis.
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
        """What plates felt."""
        return plate_gait_events(self.stances)

    @property
    def best_events(self) -> tuple[GaitEvent, ...]:
        """Events from markers, those that a plate felt at the plate's time."""
        return with_plates(self.events, self.plate_events)

    @property
    def belt_m_s(self) -> Array:
        """Velocity of the ground; zero on a floor. Shape (3,)."""
        return np.zeros(3) if self.paths is None else self.paths.belt_m_s


def prepare_trial(recording: Recording, marker_set: MarkerSet | None = None) -> GaitTrial:
    """Return a recording made ready.

    Example:
        >>> trial = strut.prepare_trial(strut.read_recording("walk.c3d"))
        >>> [(event.kind, event.side, event.time_s) for event in trial.events]

    Raises:
        MarkerSetError: If markers that a fit needs are missing.
        BadRecordingError: If it is too short, or body and feet cannot be told.
    """
    if len(recording.markers_m) < FEWEST_FRAMES:
        raise BadRecordingError(
            f"{recording.name} has {len(recording.markers_m)} frames; a fit needs at least {FEWEST_FRAMES}."
        )
    seen = _without_unseen(recording)
    unseen = [name for name in recording.marker_names if name not in seen.marker_names]
    chosen, labels = match_markers(seen, marker_set, unseen)
    landmarks = {name: chosen.landmarks[name] for name in labels}
    index = [recording.marker_names.index(label) for label in labels.values()]
    own = replace(
        recording,
        marker_names=tuple(labels),
        markers_m=recording.markers_m[:, index],
        residual_m=None if recording.residual_m is None else recording.residual_m[:, index],
    )
    own, gaps = filled_gaps(_with_seen_frames(own))
    axes = find_walking_axes(own, {name: landmark.segment for name, landmark in landmarks.items()})
    own = turned_onto_x(own, axes)
    own, landmarks, labels = _by_place(own, landmarks, labels, chosen)
    faults = check_markers(own, own.marker_names)
    paths, own = _paths(own)
    events = refined_heel_strikes(find_gait_events(paths), paths) if paths is not None else ()
    stances = plate_stances(own.plates, paths.feet, own.rate_hz) if paths is not None else ()
    return GaitTrial(own, landmarks, chosen.title, labels, gaps, faults, paths, events, stances, axes.travelled_m)


def _by_place(
    recording: Recording, landmarks: dict[str, Landmark], labels: dict[str, str], marker_set: MarkerSet
) -> tuple[Recording, dict[str, Landmark], dict[str, str]]:
    """Return a recording, its landmarks and labels in which markers of the feet are what their places say."""
    renamed = foot_landmarks(recording)
    if not renamed or not set(renamed.values()) <= set(marker_set.landmarks):
        return recording, landmarks, labels
    names = tuple(renamed.get(name, name) for name in recording.marker_names)
    said = ", ".join(f"{labels[old]} is {new}" for old, new in renamed.items())
    note = f"By their places, ankle markers are on the inner side of the feet: {said}."
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
    flats, rises = (_times(trial.events, kind, side) for kind in ("foot_flat", "heel_off"))
    inside = np.zeros(len(time_s), dtype=bool)
    for start in flats:
        stop = min((rise for rise in rises if rise > start), default=start)
        inside |= (time_s > start + FLAT_MARGIN_S) & (time_s < stop - FLAT_MARGIN_S)
    return inside


def _times(events: Sequence[GaitEvent], kind: str, side: Side) -> list[float]:
    return [event.time_s for event in events if (event.kind, event.side) == (kind, side)]


def contact_columns(events: Sequence[GaitEvent], trial: GaitTrial, foot_names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Return contacts of named contact points (HeelRight, HalluxLeft, ...). Shape (T, n)."""
    time_s = trial.recording.time_s
    if not events:
        return np.ones((len(time_s), len(foot_names)), dtype=bool)
    contacts = contacts_of(events, time_s)
    return np.column_stack([contacts[_side_and_part(name)] for name in foot_names])


def _side_and_part(name: str) -> tuple[Side, str]:
    side: Side = "Right" if name.endswith("Right") else "Left"
    return side, "heel" if name.startswith("Heel") else "forefoot"


def with_plates(events: Sequence[GaitEvent], felt: Sequence[GaitEvent]) -> tuple[GaitEvent, ...]:
    """Return events of markers, each replaced by that which a plate felt nearby."""
    return tuple(sorted((_as_felt(event, felt) for event in events), key=lambda event: event.time_s))


def _as_felt(event: GaitEvent, felt: Sequence[GaitEvent]) -> GaitEvent:
    near = [time_s for time_s in _times(felt, event.kind, event.side) if abs(time_s - event.time_s) < PLATE_NEAR_S]
    return replace(event, time_s=min(near, key=lambda time_s: abs(time_s - event.time_s), default=event.time_s))


def _without_unseen(recording: Recording) -> Recording:
    seen = all_seen(recording.markers_m).mean(axis=0) > SEEN_SHARE
    index = np.flatnonzero(seen)
    if not len(index):
        raise BadRecordingError(f"{recording.name} has no markers that are seen.")
    names = tuple(recording.marker_names[place] for place in index)
    return replace(recording, marker_names=names, markers_m=recording.markers_m[:, index], residual_m=None)


def _with_seen_frames(recording: Recording) -> Recording:
    """Return a recording without the frames at either end in which hardly any marker is seen."""
    seen = all_seen(recording.markers_m).mean(axis=1)
    good = np.flatnonzero(seen >= 0.5)
    if len(good) < FEWEST_FRAMES:
        raise BadRecordingError(f"{recording.name}: half of the markers are seen in {len(good)} frames only.")
    first = int(good[0])
    stop = int(good[-1]) + 1
    if first == 0 and stop == len(seen):
        return recording
    start_s = first / recording.rate_hz
    note = f"Frames {first + 1} to {stop} of {len(seen)} are used; in the others most markers are unseen."
    return replace(
        recording,
        markers_m=recording.markers_m[first:stop],
        residual_m=None if recording.residual_m is None else recording.residual_m[first:stop],
        plates=tuple(_from(plate, start_s) for plate in recording.plates),
        analog=_analog_from(recording.analog, start_s),
        events=tuple(replace(event, time_s=event.time_s - start_s) for event in recording.events),
        moments_nm_kg={name: values[first:stop] for name, values in recording.moments_nm_kg.items()},
        notes=(*recording.notes, note),
    )


def _from(plate: ForcePlate, start_s: float) -> ForcePlate:
    first = round(start_s * plate.rate_hz)
    return replace(plate, force_n=plate.force_n[first:], moment_nm=plate.moment_nm[first:], cop_m=plate.cop_m[first:])


def _analog_from(analog: AnalogChannels | None, start_s: float) -> AnalogChannels | None:
    return None if analog is None else replace(analog, values=analog.values[round(start_s * analog.rate_hz) :])


def _paths(recording: Recording) -> tuple[WalkingPaths | None, Recording]:
    """Return the paths of the feet, or None with a note in the recording that says why there are no events."""
    try:
        return walking_paths(recording), recording
    except BadRecordingError as error:
        return None, replace(recording, notes=(*recording.notes, f"No gait events were looked for: {error}"))
