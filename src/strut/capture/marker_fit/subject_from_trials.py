"""Subject from trials: the model of a person from height, mass and one or more prepared recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.gait_trial import GaitTrial, flat_feet
from strut.capture.marker_fit.body_geometry import BodyGeometry
from strut.capture.marker_fit.marker_priors import parameter_prior
from strut.capture.marker_fit.pose_solver import OnCaptureProgress, PosePrior
from strut.capture.marker_fit.subject_estimation import (
    EstimationData,
    SubjectParameters,
    chosen_frames,
    estimate_subject,
)
from strut.capture.marker_fit.subject_model import MeasuredLength, PlacedMarker, SubjectModel
from strut.capture.markers.marker_mapping import Landmark
from strut.errors import OutOfRangeError
from strut.recording import SIDES, Recording

SMALLEST_M = 1.20
TALLEST_M = 2.30
LIGHTEST_KG = 30.0
HEAVIEST_KG = 200.0
SAME_PERSON = 0.01  # of height and mass: what scales and clothes do
WELL_TOLD = 0.35  # of what was known before: how sure markers make a length that may judge a height
ODD_HEIGHT = 0.1  # legs of adults of one height differ by 3 or 4 %
STANDING_COUNT = 3.0  # frames of somebody who stands are all the same
HEEL_SKIN_M = 0.020  # from the centre of a marker behind the heel forward to where a heel rolls; chosen
BALL_SHARE = 0.79  # of the length of a foot in a shoe, from the heel to a marker on the second metatarsal; chosen
HEEL_RADIUS_M = 0.012  # half a marker and the skin behind the heel
SHAPE_SD_M = 0.010
SHORTEST_M = 0.01


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """What is told about a person; None where it is not."""

    height_m: float | None
    mass_kg: float | None
    sex: str = "male"

    def completed(self, recording: Recording) -> tuple[float, float]:
        """Return height and mass, from the file where they are not given; raises OutOfRangeError."""
        height = recording.height_m if self.height_m is None else self.height_m
        mass = recording.mass_kg if self.mass_kg is None else self.mass_kg
        return (
            _in_range("height", height, SMALLEST_M, TALLEST_M, "m", "--height 1.75"),
            _in_range("mass", mass, LIGHTEST_KG, HEAVIEST_KG, "kg", "--mass 70"),
        )

    def contradictions(self, height_m: float | None, mass_kg: float | None, outcome: str) -> tuple[str, ...]:
        """Return sentences about height and mass that are given and are not those of a file.

        Args:
            height_m: Of the file.
            mass_kg: Of the file.
            outcome: Whether what is given is used, and which file it is.
        """
        pairs = (("height", self.height_m, height_m, "m"), ("mass", self.mass_kg, mass_kg, "kg"))
        return tuple(
            f"A body {what} of {given:g} {unit} was given and is {outcome} tells {told:.4g} {unit}."
            for what, given, told, unit in pairs
            if _differ(given, told)
        )


def _differ(given: float | None, told: float | None) -> bool:
    """Return whether two values are known and are not of the same person."""
    return given is not None and told is not None and abs(given - told) > SAME_PERSON * told


def _in_range(what: str, value: float | None, least: float, most: float, unit: str, hint: str) -> float:
    if value is None:
        raise OutOfRangeError(f"The file does not tell the person's {what}; give it ({hint}).")
    if not least <= value <= most:
        raise OutOfRangeError(
            f"A body {what} of {value:g} {unit} is outside the range of adults, {least:g} to {most:g} {unit}."
        )
    return float(value)


def subject_from_trials(
    body: BodyGeometry,
    trials: Sequence[GaitTrial],
    facts: PersonFacts,
    prior: PosePrior,
    on_progress: OnCaptureProgress,
) -> tuple[SubjectModel, tuple[str, ...]]:
    """Return the person of some trials, and sentences about how it was found.

    Args:
        body: The tree.
        trials: The first one is that which is fitted; floor and pelvis are taken from it.
        facts: Height, mass and sex.
        prior: On the poses.
        on_progress: Told after every round.
    """
    height, mass = facts.completed(trials[0].recording)
    landmarks = {name: landmark for trial in trials for name, landmark in trial.landmarks.items()}
    known, notes = parameter_prior(body, height, landmarks, trials[0].recording)
    data = _data(body, trials, landmarks)
    found, rounds = estimate_subject(data, known, prior, on_progress)
    lengths = _lengths(body, found)
    markers = _markers(landmarks, found)
    places = {name: entry.at_m for name, entry in markers.items()}
    for shape in (foot_shape(places, side) for side in SIDES):
        lengths |= {name: MeasuredLength(m=value, sd_m=SHAPE_SD_M) for name, value in shape.items()}
    person = SubjectModel(
        name=trials[0].recording.name,
        height_m=height,
        mass_kg=mass,
        length=lengths,
        marker=markers,
        floor_m=found.floor_m,
        floor_sd_m=found.floor_sd_m,
        sex=facts.sex,
    )
    first = trials[0].recording
    contradicted = facts.contradictions(first.height_m, first.mass_kg, "used; the recording")
    told = (*contradicted, *_height_by_markers(height, known, found), *notes)
    return person, (*told, f"The model was estimated from {len(data.markers_m)} frames in {rounds} rounds.")


def _height_by_markers(height_m: float, known: SubjectParameters, found: SubjectParameters) -> list[str]:
    """Return a sentence if the lengths that markers tell best, those of the legs, are those of another height."""
    told = found.lengths_sd_m < WELL_TOLD * known.lengths_sd_m
    if not told.any():
        return []
    ratio = float(np.mean(found.lengths_m[told] / known.lengths_m[told]))
    if abs(ratio - 1.0) < ODD_HEIGHT:
        return []
    return [f"The markers look like those of a person of about {ratio * height_m:.2f} m, not of {height_m:.2f} m."]


def _data(body: BodyGeometry, trials: Sequence[GaitTrial], landmarks: Mapping[str, Landmark]) -> EstimationData:
    """Return chosen frames of all trials, with NaN for markers that a trial does not have."""
    parts = [_chosen(trial, list(landmarks)) for trial in trials]
    return EstimationData(
        body=body,
        segments=np.array([body.segments.index(one.segment) for one in landmarks.values()], dtype=np.intp),
        markers_m=np.concatenate([part.markers_m for part in parts]),
        weights=np.array([landmark.weight for landmark in landmarks.values()]),
        flat=np.concatenate([part.flat for part in parts]),
        independent=sum(part.independent for part in parts),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _ChosenFrames:
    markers_m: Array
    flat: npt.NDArray[np.bool_]
    independent: float


def _chosen(trial: GaitTrial, names: list[str]) -> _ChosenFrames:
    recording = trial.recording
    markers = np.full((len(recording.markers_m), len(names), 3), np.nan)
    markers[:, [names.index(name) for name in recording.marker_names]] = recording.markers_m
    frames, counted = chosen_frames(markers, recording.rate_hz)
    return _ChosenFrames(
        markers[frames], flat_feet(trial)[frames], counted if trial.events else min(counted, STANDING_COUNT)
    )


def foot_shape(places: Mapping[str, tuple[float, float, float]], side: str) -> dict[str, float]:
    """Return lengths of a foot that follow from its markers [m]; none without a marker on heel and ball.

    Args:
        places: Of the markers, in the foot's frame, by landmark.
        side: Right or Left.
    """
    heel = places.get(f"{side[0]}HEE")
    ball = places.get(f"{side[0]}TOE") or places.get(f"{side[0]}MT5")
    if heel is None or ball is None:
        return {}
    return {
        f"Foot{side}PosteriorPoint": max(-(heel[0] + HEEL_SKIN_M), SHORTEST_M),
        f"Foot{side}ForefootX": max(ball[0], SHORTEST_M),
        f"Foot{side}Length": float(np.clip((ball[0] - heel[0] + HEEL_RADIUS_M) / BALL_SHARE, 0.12, 0.40)),
    }


def _lengths(body: BodyGeometry, found: SubjectParameters) -> dict[str, MeasuredLength]:
    rows = zip(body.length_names, found.lengths_m.tolist(), found.lengths_sd_m.tolist(), strict=True)
    return {name: MeasuredLength(m=max(value, 1e-3), sd_m=sd) for name, value, sd in rows}


def _markers(landmarks: Mapping[str, Landmark], found: SubjectParameters) -> dict[str, PlacedMarker]:
    rows = zip(landmarks.items(), found.local_m.tolist(), found.local_sd_m.tolist(), strict=True)
    return {
        name: PlacedMarker(segment=landmark.segment, at_m=tuple(at), sd_m=tuple(sd))
        for (name, landmark), at, sd in rows
    }
