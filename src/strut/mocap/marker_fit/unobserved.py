"""Unobserved joints: find coordinates that no marker determines, and let them follow the observed ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.mocap.marker_fit.body_geometry import BodyGeometry, place_points, point_jacobian, pose_body
from strut.mocap.marker_fit.body_priors import pose_prior
from strut.mocap.marker_fit.pose_solver import MARKER_SD_M, PoseProblem
from strut.recording import are_seen

SAMPLES = 12  # frames in which the uncertainty is computed
UNOBSERVED_SHARE = 0.7  # a coordinate that keeps this share of its prior spread is unobserved; chosen by eye
WEAK_PRECISION = 1e-4  # in place of a prior that knows nothing, so that the covariance exists
ARM_SWING = 0.6  # swing of an unobserved arm over that of the opposite thigh; chosen by eye


def find_observed(problem: PoseProblem, q: Array) -> tuple[npt.NDArray[np.bool_], Array]:
    """Return which coordinates markers determine, and their standard deviations given the markers. Shapes (n_dof,)."""
    frames = np.unique(np.linspace(0, len(q) - 1, SAMPLES).astype(int))
    sampled = problem.select_frames(frames)
    pose = pose_body(sampled.body, q[frames], sampled.lengths_m)
    positions = place_points(pose, sampled.points)
    root_weight = np.sqrt(sampled.weights) / MARKER_SD_M * are_seen(sampled.markers_m)
    jacobian = point_jacobian(sampled.body, pose, sampled.points, positions)
    rows = (jacobian * root_weight[..., None, None]).reshape(len(frames), -1, q.shape[1])
    prior_precision = np.where(problem.prior.precision > 0.0, problem.prior.precision, WEAK_PRECISION)
    covariance = np.linalg.inv(np.swapaxes(rows, 1, 2) @ rows + np.diag(prior_precision))
    sd = np.sqrt(np.median(np.diagonal(covariance, axis1=1, axis2=2), axis=0))
    return sd < UNOBSERVED_SHARE / np.sqrt(prior_precision), sd


def fill_unobserved(body: BodyGeometry, q: Array, observed: npt.NDArray[np.bool_]) -> Array:
    """Return coordinates in which the unobserved ones follow the observed. Shape (T, n_dof).

    A trunk without markers stays upright and faces ahead; arms swing with the opposite legs; the rest keeps its mean.
    """
    names = list(body.dof_names)
    result = q.copy()
    mean = pose_prior(body).mean
    for index in np.flatnonzero(~observed):
        result[:, index] = mean[index] + _following_motion(names[index], q, names)
    return result


def _following_motion(name: str, q: Array, names: list[str]) -> Array:
    """Return the deviation of an unobserved coordinate from its mean. Shape (T,)."""
    if name in ("Lumbar_RY", "Lumbar_RX"):
        return np.asarray(-q[:, names.index(name.replace("Lumbar", "Pelvis"))])
    if name.startswith("Shoulder") and name.endswith("RY"):
        thigh = q[:, names.index(f"Hip{'Left' if 'Right' in name else 'Right'}_RY")]
        return np.asarray(ARM_SWING * (thigh - thigh.mean()))
    return np.zeros(len(q))
