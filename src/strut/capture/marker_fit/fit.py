"""Fit: recording, height and mass → a person's model, joint angles of every frame, and marker errors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.gait_trial import GaitTrial, contact_columns, prepare_trial
from strut.capture.marker_fit.body_geometry import BodyGeometry, body_points, lengths_array
from strut.capture.marker_fit.body_priors import human_geometry, pose_prior
from strut.capture.marker_fit.pose_solver import OnCaptureProgress, PosePrior, PoseProblem, no_progress, solve_poses
from strut.capture.marker_fit.published_fit import published_fit
from strut.capture.marker_fit.subject_from_trials import PersonFacts, subject_from_trials
from strut.capture.marker_fit.subject_model import SubjectModel, robot_of_subject
from strut.capture.marker_fit.unobserved import follow_observed, observed_coordinates
from strut.capture.markers.marker_mapping import MarkerSet
from strut.errors import BadRecordingError, MarkerSetError
from strut.maths.rotation import qpos_from_angles
from strut.motion import Motion
from strut.recording import Recording

Method = Literal["batched", "published"]
FEWEST_MARKERS = 6
OTHER_M = 0.05
OTHER_KG = 5.0  # by which heights and masses of one person do not differ between files


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
    on_progress: OnCaptureProgress | None = None,
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

    Example:
        >>> found = strut.fit(strut.read_recording("walk.c3d"), height_m=1.86, mass_kg=75.0)
        >>> strut.save_motion(found.motion, "walk.npz")

    Raises:
        MarkerSetError: If markers are missing; says which.
        BadRecordingError: If the recording is too short, or nobody walks in it although asked for.
        OutOfRangeError: If height or mass is not that of an adult.
    """
    body = human_geometry()
    tell = on_progress or no_progress
    trial = prepare_trial(recording, marker_set)
    if walking and not trial.events:
        raise BadRecordingError(f"{recording.name}: nobody walks in it (a standing trial?); give a walking trial.")
    prior = pose_prior(body)
    if not limits:
        far = np.full_like(prior.lower, 1e4)
        prior = replace(prior, lower=-far, upper=far)
    if subject is not None:
        told = PersonFacts(height_m, mass_kg).contradictions(
            subject.height_m, subject.mass_kg, "not used; the subject's file"
        )
        return _fitted(body, trial, subject, prior, method, told, tell)
    others = [] if standing is None else [prepare_trial(_of_same_person(standing, recording), marker_set)]
    facts = PersonFacts(height_m, mass_kg, sex)
    person, notes = subject_from_trials(body, [trial, *others], facts, prior, tell)
    return _fitted(body, trial, person, prior, method, notes, tell)


def _of_same_person(standing: Recording, walk: Recording) -> Recording:
    """Return a standing trial whose file does not tell another person than that of the walk."""
    told = ((standing.height_m, walk.height_m, OTHER_M, "m"), (standing.mass_kg, walk.mass_kg, OTHER_KG, "kg"))
    for own, other, most, unit in told:
        if own is not None and other is not None and abs(own - other) > most:
            raise BadRecordingError(
                f"{standing.name}: this file is of a person of {own:g} {unit}, {walk.name} of one of {other:g} {unit}; "
                "give a standing trial of the same person."
            )
    return standing


def _fitted(
    body: BodyGeometry,
    trial: GaitTrial,
    person: SubjectModel,
    prior: PosePrior,
    method: Method,
    notes: Sequence[str],
    on_progress: OnCaptureProgress,
) -> MarkerFit:
    problem, names = _problem(body, trial, person, prior)
    started = time.perf_counter()
    poses = (
        published_fit(problem, None, on_progress)
        if method == "published"
        else solve_poses(problem, trial.recording.rate_hz, on_progress)
    )
    solve_s = time.perf_counter() - started
    observed, spread = observed_coordinates(problem, poses.q)
    q = follow_observed(body, poses.q, observed)
    told = dict(zip(body.dof_names, observed.tolist(), strict=True))
    said = (*trial.recording.notes, *(fault.sentence for fault in trial.faults), *notes, *_unobserved_notes(told))
    motion = _motion(trial, person, q, told, float(np.nanmean(poses.error_m)))
    return MarkerFit(person, motion, trial, names, poses.error_m, told, spread, poses.iterations, solve_s, said)


def _problem(
    body: BodyGeometry, trial: GaitTrial, person: SubjectModel, prior: PosePrior
) -> tuple[PoseProblem, tuple[str, ...]]:
    """Return what the solver needs, and the markers that are both recorded and on the person."""
    names = tuple(name for name in trial.recording.marker_names if name in person.marker)
    if len(names) < FEWEST_MARKERS:
        raise MarkerSetError(f"{trial.recording.name}: only {len(names)} of its markers are in the subject's file.")
    worn = [person.marker[name] for name in names]
    points = body_points(body, [(entry.segment, entry.at_m) for entry in worn])
    weights = np.array([trial.landmarks[name].weight for name in names])
    markers = trial.recording.markers(names) - np.array([0.0, 0.0, person.floor_m])
    return PoseProblem(body, lengths_array(body, person.lengths_m), points, markers, weights, prior), names


def _unobserved_notes(observed: dict[str, bool]) -> tuple[str, ...]:
    """Return a sentence about joints of which no coordinate is told, and single coordinates of the others."""
    joints = {name.rpartition("_")[0] for name in observed}
    told = {name.rpartition("_")[0] for name, there in observed.items() if there}
    single = [name for name, there in observed.items() if not there and name.rpartition("_")[0] in told]
    silent = ", ".join([*sorted(joints - told), *single])
    return (f"No markers tell {silent}; these joints follow the others.",) if silent else ()


def _motion(trial: GaitTrial, person: SubjectModel, q: Array, observed: dict[str, bool], error_m: float) -> Motion:
    robot = robot_of_subject(person)
    meta = {
        "source": trial.recording.name,
        "subject": msgspec.to_builtins(robot.subject),
        "observed": observed,
        "events": [[event.kind, event.side, event.time_s] for event in trial.best_events],
        "belt_m_s": trial.belt_m_s.tolist(),
        "marker_error_mean_mm": 1e3 * error_m,
        "fingerprint": robot.fingerprint,
    }
    return Motion(
        robot=robot.name,
        time_s=trial.recording.time_s,
        qpos=qpos_from_angles(q),
        joint_names=robot.joint_names,
        contact=contact_columns(trial.best_events, trial, robot.foot_names),
        foot_names=robot.foot_names,
        meta=meta,
    )
