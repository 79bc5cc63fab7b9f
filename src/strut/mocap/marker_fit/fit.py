"""Fit: recording, height and mass → the model of a person, joint angles of every frame, and marker errors."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import BadRecordingError, MarkerSetError
from strut.maths.rotation import qpos_from_angles
from strut.mocap.gait_trial import GaitTrial, contact_columns, prepare_trial
from strut.mocap.marker_fit.body_geometry import BodyGeometry, body_points, lengths_array
from strut.mocap.marker_fit.body_priors import human_geometry, pose_prior
from strut.mocap.marker_fit.pose_solver import OnCaptureProgress, PosePrior, PoseProblem, no_progress, solve_poses
from strut.mocap.marker_fit.published_fit import published_fit
from strut.mocap.marker_fit.subject_from_trials import PersonFacts, subject_from_trials
from strut.mocap.marker_fit.subject_model import SubjectModel, robot_of_subject
from strut.mocap.marker_fit.unobserved import fill_unobserved, find_observed
from strut.mocap.markers.marker_set import MarkerSet
from strut.motion import Motion
from strut.recording import Recording

Method = Literal["batched", "published"]
MIN_MARKERS = 6
MAX_HEIGHT_DIFFERENCE_M = 0.05  # between two files of one person; chosen by eye
MAX_MASS_DIFFERENCE_KG = 5.0  # between two files of one person; chosen by eye
_NO_BOUND = 1e4  # rad or m


@dataclass(frozen=True, slots=True, eq=False)
class MarkerFit:
    """A fitted trial.

    Args:
        subject: The person.
        motion: Joint angles, contacts; `meta` carries the subject's sizes, from which the model can be made again.
        trial: The prepared recording.
        marker_names: Landmarks that were fitted.
        error_m: Distance of each marker from the recorded one; NaN where unseen. Shape (T, n).
        observed: Whether markers determine each coordinate; the others follow them. By name.
        coordinates_sd: Standard deviation of each coordinate [m or rad]. Shape (n_dof,).
        iterations: Of each frame. Shape (T,).
        solve_s: Seconds that the poses took.
        notes: For the user.
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
        """Frames that were solved per second."""
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
    """Return joint angles of a recording, and the model of the person where none is given.

    Args:
        recording: As read, in the axes of the laboratory.
        height_m: Body height; that of the file if None.
        mass_kg: Body mass; that of the file if None.
        subject: The person, if known already; then nothing is estimated.
        standing: A standing trial of the same person, used for the estimation too.
        marker_set: Which markers are which landmarks; detected if None.
        method: All frames at once, or one frame after another as published.
        limits: Whether joints stay within anatomical ranges.
        walking: Whether to refuse a trial without a walk.
        sex: Selects the table of segment masses, where no subject is given: male or female.
        on_progress: Called with what is being done and the share that is done.

    Example:
        >>> result = strut.fit(strut.read_recording("walk.c3d"), height_m=1.86, mass_kg=75.0)
        >>> strut.save_motion(result.motion, "walk.npz")

    Raises:
        MarkerSetError: If markers are missing; names them.
        BadRecordingError: If the recording is too short, or contains no walk and `walking` is set.
        OutOfRangeError: If height or mass is not that of an adult.
    """
    body = human_geometry()
    report = on_progress or no_progress
    trial = prepare_trial(recording, marker_set)
    if walking and not trial.events:
        raise BadRecordingError(
            f"{recording.name}: the person does not walk (a standing trial?); give a walking trial."
        )
    prior = pose_prior(body)
    if not limits:
        no_bound = np.full_like(prior.lower, _NO_BOUND)
        prior = replace(prior, lower=-no_bound, upper=no_bound)
    facts = PersonFacts(height_m, mass_kg, sex)
    if subject is not None:
        notes = facts.contradictions(subject.height_m, subject.mass_kg, "not used; the subject's file")
        return _fit_poses(body, trial, subject, prior, method, notes, report)
    trials = [trial]
    if standing is not None:
        _check_same_person(standing, recording)
        trials.append(prepare_trial(standing, marker_set))
    person, notes = subject_from_trials(body, trials, facts, prior, report)
    return _fit_poses(body, trial, person, prior, method, notes, report)


def _check_same_person(standing: Recording, walk: Recording) -> None:
    """Raise BadRecordingError if height or mass in the file of a standing trial is that of another person."""
    for own, other, tolerance, unit in (
        (standing.height_m, walk.height_m, MAX_HEIGHT_DIFFERENCE_M, "m"),
        (standing.mass_kg, walk.mass_kg, MAX_MASS_DIFFERENCE_KG, "kg"),
    ):
        if own is not None and other is not None and abs(own - other) > tolerance:
            raise BadRecordingError(
                f"{standing.name}: this file is of a person of {own:g} {unit}, {walk.name} of one of {other:g} {unit}; "
                "give a standing trial of the same person."
            )


def _fit_poses(
    body: BodyGeometry,
    trial: GaitTrial,
    person: SubjectModel,
    prior: PosePrior,
    method: Method,
    notes: Sequence[str],
    on_progress: OnCaptureProgress,
) -> MarkerFit:
    problem, names = _pose_problem(body, trial, person, prior)
    started = time.perf_counter()
    if method == "published":
        poses = published_fit(problem, None, on_progress)
    else:
        poses = solve_poses(problem, trial.recording.rate_hz, on_progress)
    solve_s = time.perf_counter() - started
    is_observed, sd = find_observed(problem, poses.q)
    q = fill_unobserved(body, poses.q, is_observed)
    observed = dict(zip(body.dof_names, is_observed.tolist(), strict=True))
    return MarkerFit(
        subject=person,
        motion=_motion(trial, person, q, observed, float(np.nanmean(poses.error_m))),
        trial=trial,
        marker_names=names,
        error_m=poses.error_m,
        observed=observed,
        coordinates_sd=sd,
        iterations=poses.iterations,
        solve_s=solve_s,
        notes=(
            *trial.recording.notes,
            *(fault.sentence for fault in trial.faults),
            *notes,
            *_unobserved_notes(observed),
        ),
    )


def _pose_problem(
    body: BodyGeometry, trial: GaitTrial, person: SubjectModel, prior: PosePrior
) -> tuple[PoseProblem, tuple[str, ...]]:
    """Return the problem of the solver, and the markers that are both recorded and on the person."""
    names = tuple(name for name in trial.recording.marker_names if name in person.marker)
    if len(names) < MIN_MARKERS:
        raise MarkerSetError(f"{trial.recording.name}: only {len(names)} of its markers are in the subject's file.")
    placed = [person.marker[name] for name in names]
    problem = PoseProblem(
        body=body,
        lengths_m=lengths_array(body, person.lengths_m),
        points=body_points(body, [(marker.segment, marker.at_m) for marker in placed]),
        markers_m=trial.recording.markers(names) - np.array([0.0, 0.0, person.floor_m]),
        weights=np.array([trial.landmarks[name].weight for name in names]),
        prior=prior,
    )
    return problem, names


def _unobserved_notes(observed: dict[str, bool]) -> tuple[str, ...]:
    """Return a sentence that names joints without any observed coordinate, and single coordinates of the others."""
    joint_of = {name: name.rpartition("_")[0] for name in observed}
    observed_joints = {joint_of[name] for name, is_observed in observed.items() if is_observed}
    single = [name for name, is_observed in observed.items() if not is_observed and joint_of[name] in observed_joints]
    unobserved = ", ".join([*sorted(set(joint_of.values()) - observed_joints), *single])
    return (f"No markers determine {unobserved}; these joints follow the others.",) if unobserved else ()


def _motion(trial: GaitTrial, person: SubjectModel, q: Array, observed: dict[str, bool], error_m: float) -> Motion:
    robot = robot_of_subject(person)
    meta = {
        "source": trial.recording.name,
        "subject": msgspec.to_builtins(robot.subject),
        "observed": observed,
        "events": [[event.kind, event.side, event.time_s] for event in trial.events],
        "belt_m_s": trial.belt_m_s.tolist(),
        "marker_error_mean_mm": 1e3 * error_m,
        "fingerprint": robot.fingerprint,
    }
    return Motion(
        robot=robot.name,
        time_s=trial.recording.time_s,
        qpos=qpos_from_angles(q),
        joint_names=robot.joint_names,
        contact=contact_columns(trial.events, trial, robot.foot_names),
        foot_names=robot.foot_names,
        meta=meta,
    )
