"""Fit: recording, height and mass → a person's model, joint angles of every frame, and marker errors."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from strut.capture.body_geometry import BodyGeometry, body_points, lengths_array
from strut.capture.body_priors import human_geometry, pose_prior
from strut.capture.foot_shape import SHAPE_SD_M, foot_shape
from strut.capture.gait_trial import GaitTrial, contact_columns, flat_feet, prepare_trial
from strut.capture.marker_mapping import MarkerSet
from strut.capture.marker_priors import parameter_prior
from strut.capture.pose_solver import OnProgress, PosePrior, PoseProblem, solve_poses
from strut.capture.published_fit import published_fit
from strut.capture.subject_estimation import Estimate, EstimationData, chosen_frames, estimate_subject
from strut.capture.subject_model import MeasuredLength, PlacedMarker, SubjectModel, robot_of_subject
from strut.capture.unobserved import follow_observed, observed_coordinates
from strut.engines.kinematic_tree import qpos_from_angles
from strut.errors import BadRecordingError, MarkerSetError, OutOfRangeError
from strut.motion import Motion
from strut.recording import Recording
from strut.robot import Array

Method = Literal["batched", "published"]
SMALLEST_M, TALLEST_M = 1.20, 2.30
LIGHTEST_KG, HEAVIEST_KG = 30.0, 200.0


@dataclass(frozen=True, slots=True, eq=False)
class MarkerFit:
    """A fitted trial.

    Args:
        subject: The person.
        motion: Joint angles, contacts; `meta` carries the subject's sizes, so that the model can be made again.
        trial: The recording as it was used.
        marker_names: Landmarks that were fitted.
        error_m: Distance of each marker from the recorded one; NaN where unseen. Shape (T, n).
        observed: Which coordinates markers tell; the others follow plausibly. By name.
        coordinates_sd: Uncertainty of each coordinate [m or rad]. Shape (n_dof,).
        iterations: Of each frame. Shape (T,).
        solve_s: Seconds that the poses took.
        notes: What was found and done.
    """

    subject: SubjectModel
    motion: Motion
    trial: GaitTrial
    marker_names: tuple[str, ...]
    error_m: Array
    observed: dict[str, bool]
    coordinates_sd: Array
    iterations: npt.NDArray[np.int_]
    solve_s: float
    notes: tuple[str, ...]

    @property
    def mean_error_m(self) -> float:
        """Over all markers and frames."""
        return float(np.nanmean(self.error_m))

    @property
    def worst_error_m(self) -> float:
        """The largest error of any marker in any frame."""
        return float(np.nanmax(self.error_m))

    @property
    def marker_means_m(self) -> dict[str, float]:
        """Mean error of each marker; unseen ones are left out."""
        means = {name: self.error_m[:, index] for index, name in enumerate(self.marker_names)}
        return {name: float(np.nanmean(error)) for name, error in means.items() if np.isfinite(error).any()}

    @property
    def frames_per_s(self) -> float:
        """How many frames were solved in a second."""
        return len(self.error_m) / max(self.solve_s, 1e-9)


def fit(
    recording: Recording,
    *,
    height_m: float | None = None,
    mass_kg: float | None = None,
    subject: SubjectModel | None = None,
    standing: Recording | None = None,
    marker_set: MarkerSet | None = None,
    method: Method = "batched",
    limits: bool = True,
    walking: bool = False,
    sex: str = "male",
    on_progress: OnProgress | None = None,
) -> MarkerFit:
    """Return joint angles of a recording, and the person's model where none is given.

    Args:
        recording: As read, in the laboratory's axes.
        height_m: Body height; that of the file if None.
        mass_kg: Body mass; that of the file if None.
        subject: A person known already; then nothing is estimated.
        standing: A standing trial of the same person, from which the model is estimated too.
        marker_set: Which markers are which landmarks; found if None.
        method: All frames at once, or frame after frame as published.
        limits: Whether joints stay within the ranges of anatomy.
        walking: Whether a trial in which nobody walks is refused.
        sex: Whose shares of mass, where no subject is given.
        on_progress: Told what is being done and which share of it.

    Raises:
        MarkerSetError: If markers are missing; says which.
        BadRecordingError: If the recording is too short, or nobody walks in it although asked for.
        OutOfRangeError: If height or mass is not that of an adult.
    """
    body = human_geometry()
    trial = prepare_trial(recording, marker_set)
    if walking and not trial.events:
        raise BadRecordingError(f"{recording.name}: nobody walks in it (a standing trial?); give a walking trial.")
    prior = pose_prior(body) if limits else _unbounded(pose_prior(body))
    notes: tuple[str, ...] = ()
    if subject is None:
        person, notes = _estimated(body, trial, standing, marker_set, height_m, mass_kg, sex, prior, on_progress)
    else:
        person = subject
    return _fitted(body, trial, person, prior, method, notes, on_progress)


def _fitted(
    body: BodyGeometry,
    trial: GaitTrial,
    person: SubjectModel,
    prior: PosePrior,
    method: Method,
    notes: Sequence[str],
    on_progress: OnProgress | None,
) -> MarkerFit:
    names = [name for name in trial.recording.marker_names if name in person.marker]
    if len(names) < 6:
        raise MarkerSetError(f"{trial.recording.name}: only {len(names)} of its markers are in the subject's file.")
    points = body_points(body, [(person.marker[name].segment, person.marker[name].at_m) for name in names])
    weights = np.array([trial.landmarks[name].weight for name in names])
    markers = trial.recording.markers(names) - np.array([0.0, 0.0, person.floor_m])
    problem = PoseProblem(body, lengths_array(body, person.lengths_m), points, markers, weights, prior)
    started = time.perf_counter()
    rate_hz = trial.recording.rate_hz
    poses = (
        published_fit(problem, None, on_progress)
        if method == "published"
        else solve_poses(problem, rate_hz, on_progress)
    )
    solve_s = time.perf_counter() - started
    observed, spread = observed_coordinates(problem, poses.q)
    q = follow_observed(body, poses.q, observed)
    told = {name: bool(there) for name, there in zip(body.dof_names, observed, strict=True)}
    silent = _silent(told)
    said = (*trial.recording.notes, *(fault.sentence for fault in trial.faults), *notes)
    if silent:
        said = (*said, f"No markers tell {', '.join(silent)}; these joints follow the others.")
    motion = _motion(trial, person, q, told)
    return MarkerFit(person, motion, trial, tuple(names), poses.error_m, told, spread, poses.iterations, solve_s, said)


def _silent(observed: dict[str, bool]) -> list[str]:
    """Return joints of which no coordinate is told, and single coordinates of the others."""
    joints: dict[str, list[str]] = {}
    for name in observed:
        joints.setdefault(name.rpartition("_")[0], []).append(name)
    found = list[str]()
    for joint, names in joints.items():
        untold = [name for name in names if not observed[name]]
        found += [joint] if len(untold) == len(names) else untold
    return found


def _motion(trial: GaitTrial, person: SubjectModel, q: Array, observed: dict[str, bool]) -> Motion:
    robot = robot_of_subject(person)
    table = robot.subject
    meta = {
        "source": trial.recording.name,
        "subject": {
            "name": person.name,
            "sex": person.sex,
            "height_m": table.height_m,
            "mass_kg": table.mass_kg,
            "lengths_m": dict(table.lengths_m),
            "masses_kg": dict(table.masses_kg),
        },
        "observed": observed,
        "events": [[event.kind, event.side, event.time_s] for event in trial.best_events],
        "belt_m_s": [] if trial.paths is None else trial.paths.belt_m_s.tolist(),
        "fingerprint": robot.fingerprint,
    }
    contact = contact_columns(trial.best_events, trial, robot.foot_names)
    return Motion(
        robot=robot.name,
        time_s=trial.recording.time_s,
        qpos=qpos_from_angles(q),
        joint_names=robot.joint_names,
        contact=contact,
        foot_names=robot.foot_names,
        meta=meta,
    )


def _estimated(
    body: BodyGeometry,
    trial: GaitTrial,
    standing: Recording | None,
    marker_set: MarkerSet | None,
    height_m: float | None,
    mass_kg: float | None,
    sex: str,
    prior: PosePrior,
    on_progress: OnProgress | None,
) -> tuple[SubjectModel, tuple[str, ...]]:
    """Return the person of a trial, and sentences about how it was found."""
    height = _given("height", height_m, trial.recording.height_m, (SMALLEST_M, TALLEST_M), "m", "--height 1.75")
    mass = _given("mass", mass_kg, trial.recording.mass_kg, (LIGHTEST_KG, HEAVIEST_KG), "kg", "--mass 70")
    trials = [trial] if standing is None else [trial, prepare_trial(standing, marker_set)]
    landmarks = {name: landmark for one in trials for name, landmark in one.landmarks.items()}
    known, notes = parameter_prior(body, height, landmarks, _widest(trials, landmarks))
    data = _data(body, trials, list(landmarks), np.array([one.weight for one in landmarks.values()]))
    found = estimate_subject(data, known, prior, on_progress)
    segments = [landmark.segment for landmark in landmarks.values()]
    person = _person(body, trial.recording.name, height, mass, sex, dict(zip(landmarks, segments, strict=True)), found)
    return person, (*notes, f"The model was estimated from {len(data.markers_m)} frames in {found.rounds} rounds.")


def _widest(trials: Sequence[GaitTrial], landmarks: Mapping[str, object]) -> Recording:
    return next(
        (one.recording for one in trials if set(landmarks) <= set(one.recording.marker_names)), trials[0].recording
    )


def _data(body: BodyGeometry, trials: Sequence[GaitTrial], names: list[str], weights: Array) -> EstimationData:
    """Return chosen frames of all trials, with NaN for markers that a trial does not have."""
    chunks, flats, independent = list[Array](), list[npt.NDArray[np.bool_]](), 0.0
    for trial in trials:
        recording = trial.recording
        markers = np.full((len(recording.markers_m), len(names), 3), np.nan)
        own = [names.index(name) for name in recording.marker_names]
        markers[:, own] = recording.markers_m
        frames, counted = chosen_frames(markers, recording.rate_hz)
        if not trial.events:
            counted = min(counted, 3.0)  # frames of somebody who stands are all the same
        chunks.append(markers[frames])
        flats.append(flat_feet(trial)[frames])
        independent += counted
    segments = {name: landmark.segment for trial in trials for name, landmark in trial.landmarks.items()}
    index = np.array([body.segments.index(segments[name]) for name in names], dtype=np.intp)
    return EstimationData(body, index, np.concatenate(chunks), weights, np.concatenate(flats), independent)


def _person(
    body: BodyGeometry, name: str, height_m: float, mass_kg: float, sex: str, segments: dict[str, str], found: Estimate
) -> SubjectModel:
    lengths = {
        key: MeasuredLength(m=float(max(value, 1e-3)), sd_m=float(sd))
        for key, value, sd in zip(body.length_names, found.lengths_m, found.lengths_sd_m, strict=True)
    }
    markers = {
        marker: PlacedMarker(segment=segment, at_m=_triple(at), sd_m=_triple(sd))
        for (marker, segment), at, sd in zip(segments.items(), found.local_m, found.local_sd_m, strict=True)
    }
    places = {marker: entry.at_m for marker, entry in markers.items()}
    for side in ("Right", "Left"):
        lengths |= {key: MeasuredLength(m=value, sd_m=SHAPE_SD_M) for key, value in foot_shape(places, side).items()}
    return SubjectModel(
        name=name,
        height_m=height_m,
        mass_kg=mass_kg,
        length=lengths,
        marker=markers,
        floor_m=found.floor_m,
        floor_sd_m=found.floor_sd_m,
        sex=sex,
    )


def _given(
    what: str, asked: float | None, told: float | None, room: tuple[float, float], unit: str, hint: str
) -> float:
    value = asked if asked is not None else told
    if value is None:
        raise OutOfRangeError(f"The file does not tell the person's {what}; give it ({hint}).")
    if not room[0] <= value <= room[1]:
        raise OutOfRangeError(
            f"A body {what} of {value:g} {unit} is outside the range of adults, {room[0]:g} to {room[1]:g} {unit}."
        )
    return float(value)


def _unbounded(prior: PosePrior) -> PosePrior:
    far = np.full_like(prior.lower, 1e4)
    return PosePrior(prior.mean, prior.precision, -far, far)


def _triple(values: Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
