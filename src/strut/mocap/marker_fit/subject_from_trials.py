"""Subject from trials: the model of a person from height, mass and one or more prepared recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.mocap.gait_trial import GaitTrial, flat_feet
from strut.mocap.marker_fit.body_geometry import BodyGeometry
from strut.mocap.marker_fit.marker_priors import parameter_prior
from strut.mocap.marker_fit.pose_solver import OnCaptureProgress, PosePrior
from strut.mocap.marker_fit.subject_estimation import (
    EstimationData,
    SubjectParameters,
    choose_frames,
    estimate_subject,
)
from strut.mocap.marker_fit.subject_model import MeasuredLength, PlacedMarker, SubjectModel
from strut.mocap.markers.marker_set import Landmark
from strut.recording import SIDES, Recording

HEIGHT_RANGE_M = (1.20, 2.30)  # of adults
MASS_RANGE_KG = (30.0, 200.0)
SAME_PERSON = 0.01  # height and mass of one person differ by this share between scales and clothes; chosen by eye
WELL_KNOWN = 0.35  # a length whose uncertainty shrank to this share of its prior may judge the height; chosen by eye
ODD_HEIGHT = 0.1  # legs of adults of one height differ by 3 or 4 %
STANDING_FRAMES = 3.0  # a standing trial counts as so many independent frames: all of them are alike
HEEL_SKIN_M = 0.020  # from the centre of a marker behind the heel forward to where a heel rolls; chosen by eye
BALL_SHARE = 0.79  # of the length of a shod foot, from heel to a marker on the second metatarsal; chosen by eye
HEEL_RADIUS_M = 0.012  # half a marker and the skin behind the heel; chosen by eye
FOOT_LENGTH_M = (0.12, 0.40)  # smallest and largest
SHAPE_SD_M = 0.010  # of the lengths of a foot from its markers; chosen by eye
MIN_FOOT_PART_M = 0.01
MIN_LENGTH_M = 1e-3


@dataclass(frozen=True, slots=True)
class PersonFacts:
    """Height, mass and sex as given by the user; None where they are not given."""

    height_m: float | None
    mass_kg: float | None
    sex: str = "male"

    def complete(self, recording: Recording) -> tuple[float, float]:
        """Return height and mass, from the recording where they are not given; raises OutOfRangeError."""
        height = recording.height_m if self.height_m is None else self.height_m
        mass = recording.mass_kg if self.mass_kg is None else self.mass_kg
        return (
            _check_range("height", height, HEIGHT_RANGE_M, "m", "--height 1.75"),
            _check_range("mass", mass, MASS_RANGE_KG, "kg", "--mass 70"),
        )

    def contradictions(self, height_m: float | None, mass_kg: float | None, outcome: str) -> tuple[str, ...]:
        """Return a sentence for height and for mass if the given value contradicts that of a file.

        Args:
            height_m: In the file.
            mass_kg: In the file.
            outcome: Whether the given value is used, and which file it is.
        """
        sentences = []
        pairs = (("height", self.height_m, height_m, "m"), ("mass", self.mass_kg, mass_kg, "kg"))
        for what, given, in_file, unit in pairs:
            if given is not None and in_file is not None and abs(given - in_file) > SAME_PERSON * in_file:
                sentences.append(
                    f"A body {what} of {given:g} {unit} was given and is {outcome} says {in_file:.4g} {unit}."
                )
        return tuple(sentences)


def _check_range(what: str, value: float | None, bounds: tuple[float, float], unit: str, hint: str) -> float:
    lower, upper = bounds
    if value is None:
        raise OutOfRangeError(f"The file does not contain the person's {what}; give it ({hint}).")
    if not lower <= value <= upper:
        raise OutOfRangeError(
            f"A body {what} of {value:g} {unit} is outside the range of adults, {lower:g} to {upper:g} {unit}."
        )
    return float(value)


def subject_from_trials(
    body: BodyGeometry,
    trials: Sequence[GaitTrial],
    facts: PersonFacts,
    prior: PosePrior,
    on_progress: OnCaptureProgress,
) -> tuple[SubjectModel, tuple[str, ...]]:
    """Return the person of some trials, and notes on the estimation.

    Args:
        body: The tree.
        trials: The first one is the trial to be fitted; floor and pelvis are taken from it.
        facts: Height, mass and sex.
        prior: Of the poses.
        on_progress: Called after every round.
    """
    first = trials[0].recording
    height, mass = facts.complete(first)
    landmarks = {name: landmark for trial in trials for name, landmark in trial.landmarks.items()}
    before, floor_notes = parameter_prior(body, height, landmarks, first)
    data = _estimation_data(body, trials, landmarks)
    after, rounds = estimate_subject(data, before, prior, on_progress)

    lengths = {
        name: MeasuredLength(m=max(value, MIN_LENGTH_M), sd_m=sd)
        for name, value, sd in zip(
            body.length_names, after.lengths_m.tolist(), after.lengths_sd_m.tolist(), strict=True
        )
    }
    markers = {
        name: PlacedMarker(segment=landmark.segment, at_m=tuple(at), sd_m=tuple(sd))
        for (name, landmark), at, sd in zip(
            landmarks.items(), after.local_m.tolist(), after.local_sd_m.tolist(), strict=True
        )
    }
    positions = {name: marker.at_m for name, marker in markers.items()}
    for side in SIDES:
        shape = foot_shape(positions, side)
        lengths |= {name: MeasuredLength(m=value, sd_m=SHAPE_SD_M) for name, value in shape.items()}
    person = SubjectModel(
        name=first.name,
        height_m=height,
        mass_kg=mass,
        length=lengths,
        marker=markers,
        floor_m=after.floor_m,
        floor_sd_m=after.floor_sd_m,
        sex=facts.sex,
    )
    notes = (
        *facts.contradictions(first.height_m, first.mass_kg, "used; the recording"),
        *_odd_height_notes(height, before, after),
        *floor_notes,
        f"The model was estimated from {len(data.markers_m)} frames in {rounds} rounds.",
    )
    return person, notes


def _odd_height_notes(height_m: float, before: SubjectParameters, after: SubjectParameters) -> list[str]:
    """Return a note if the lengths that markers determine best, those of the legs, belong to another height."""
    is_well_known = after.lengths_sd_m < WELL_KNOWN * before.lengths_sd_m
    if not is_well_known.any():
        return []
    ratio = float(np.mean(after.lengths_m[is_well_known] / before.lengths_m[is_well_known]))
    if abs(ratio - 1.0) < ODD_HEIGHT:
        return []
    return [f"The markers look like those of a person of about {ratio * height_m:.2f} m, not of {height_m:.2f} m."]


def _estimation_data(
    body: BodyGeometry, trials: Sequence[GaitTrial], landmarks: Mapping[str, Landmark]
) -> EstimationData:
    """Return some frames of all trials, with NaN for markers that a trial does not have."""
    markers_m = list[Array]()
    flat = list[npt.NDArray[np.bool_]]()
    independent = 0.0
    names = list(landmarks)
    for trial in trials:
        recording = trial.recording
        all_markers = np.full((len(recording.markers_m), len(names), 3), np.nan)
        all_markers[:, [names.index(name) for name in recording.marker_names]] = recording.markers_m
        frames, count = choose_frames(all_markers, recording.rate_hz)
        markers_m.append(all_markers[frames])
        flat.append(flat_feet(trial)[frames])
        independent += count if trial.events else min(count, STANDING_FRAMES)
    return EstimationData(
        body=body,
        segments=np.array([body.segments.index(landmark.segment) for landmark in landmarks.values()], dtype=np.intp),
        markers_m=np.concatenate(markers_m),
        weights=np.array([landmark.weight for landmark in landmarks.values()]),
        flat=np.concatenate(flat),
        independent=independent,
    )


def foot_shape(positions: Mapping[str, tuple[float, float, float]], side: str) -> dict[str, float]:
    """Return the lengths of a foot that follow from its markers [m]; none without a marker on heel and ball.

    Args:
        positions: Of the markers, in the frame of the foot, by landmark.
        side: Right or Left.
    """
    heel = positions.get(f"{side[0]}HEE")
    ball = positions.get(f"{side[0]}TOE") or positions.get(f"{side[0]}MT5")
    if heel is None or ball is None:
        return {}
    return {
        f"Foot{side}PosteriorPoint": max(-(heel[0] + HEEL_SKIN_M), MIN_FOOT_PART_M),
        f"Foot{side}ForefootX": max(ball[0], MIN_FOOT_PART_M),
        f"Foot{side}Length": float(np.clip((ball[0] - heel[0] + HEEL_RADIUS_M) / BALL_SHARE, *FOOT_LENGTH_M)),
    }
