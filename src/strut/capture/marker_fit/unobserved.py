"""Unobserved joints: which coordinates no marker tells, and what they do instead."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.capture.marker_fit.body_geometry import BodyGeometry, place_points, point_jacobian, pose_body
from strut.capture.marker_fit.body_priors import pose_prior
from strut.capture.marker_fit.pose_solver import MARKER_SD_M, PoseProblem
from strut.recording import all_seen

SAMPLES = 12  # frames in which the uncertainty is computed
UNTOLD = 0.7  # of its spread before, that a coordinate keeps if no marker tells it
ARM_SWING = 0.6  # of the opposite thigh's swing; arms of walkers without arm markers


def observed_coordinates(problem: PoseProblem, q: Array) -> tuple[npt.NDArray[np.bool_], Array]:
    """Return which coordinates markers tell, and the standard deviation of each given the markers. Shapes (n_dof,)."""
    frames = np.unique(np.linspace(0, len(q) - 1, SAMPLES).astype(int))
    part = problem.some(frames)
    some = q[frames]
    pose = pose_body(part.body, some, part.lengths_m)
    places = place_points(pose, part.points)
    seen = all_seen(part.markers_m)
    root = np.sqrt(part.weights) / MARKER_SD_M * seen
    rows = (point_jacobian(part.body, pose, part.points, places) * root[..., None, None]).reshape(
        len(some), -1, q.shape[1]
    )
    before = np.where(problem.prior.precision > 0.0, problem.prior.precision, 1e-4)
    covariance = np.linalg.inv(np.swapaxes(rows, 1, 2) @ rows + np.diag(before))
    spread = np.sqrt(np.median(np.diagonal(covariance, axis1=1, axis2=2), axis=0))
    return spread < UNTOLD / np.sqrt(before), spread


def follow_observed(body: BodyGeometry, q: Array, observed: npt.NDArray[np.bool_]) -> Array:
    """Return coordinates in which those that no marker tells follow the others. Shape (T, n_dof).

    A trunk without markers stays upright and keeps facing the way; arms swing with the opposite legs; the rest stays as
    usual.
    """
    names = list(body.dof_names)
    result = q.copy()
    usual = pose_prior(body).mean
    for index in np.flatnonzero(~observed):
        result[:, index] = usual[index] + _following(names[index], q, names)
    return result


def _following(name: str, q: Array, names: list[str]) -> Array:
    """Return what a silent coordinate does beside staying as usual. Shape (T,)."""
    if name in ("Lumbar_RY", "Lumbar_RX"):
        return np.asarray(-q[:, names.index(name.replace("Lumbar", "Pelvis"))])
    if name.startswith("Shoulder") and name.endswith("RY"):
        thigh = q[:, names.index(f"Hip{'Left' if 'Right' in name else 'Right'}_RY")]
        return np.asarray(ARM_SWING * (thigh - thigh.mean()))
    return np.zeros(len(q))
