"""Subject estimation: segment lengths, marker places and floor from a recording and anthropometric priors.

One bundle adjustment: the poses of some frames are solved for given parameters, then the parameters take a Gauss-Newton
step of the problem from which the poses have been eliminated (variable projection, Golub and Pereyra 1973). The same
reduced matrix gives the uncertainty of every parameter. While a foot stands flat, its sole lies on the floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.mocap.marker_fit.body_geometry import (
    BodyGeometry,
    BodyPoints,
    length_jacobian,
    place_points,
    point_jacobian,
    pose_body,
)
from strut.mocap.marker_fit.body_priors import STATURE, joint_ranges
from strut.mocap.marker_fit.pose_solver import (
    MARKER_SD_M,
    OnCaptureProgress,
    PosePrior,
    PoseProblem,
    initial_poses,
    refine_poses,
)
from strut.recording import SIDES, are_seen

FRAMES = 60  # poses in the adjustment; chosen by eye
INDEPENDENT_S = 0.15  # errors of skin markers are correlated for so long; chosen by eye
SOLE_SD_M = 0.004  # height of a flat sole over the floor; chosen by eye
MAX_ROUNDS = 25
MIN_ROUNDS = 4
MIN_GAIN = 1e-4  # the adjustment ends when a round reduces the cost by a smaller share
POSE_STEPS = 3  # Gauss-Newton steps of the poses per round
MAX_POSE_STEP = 0.3  # rad or m


@dataclass(frozen=True, slots=True, eq=False)
class EstimationData:
    """Frames of a recording, or of several, from which a subject is estimated.

    Args:
        body: The tree.
        segments: Index of each marker's segment. Shape (n,).
        markers_m: In world; NaN where unseen. Shape (K, n, 3).
        weights: Of the markers. Shape (n,).
        flat: Which foot stands flat in which frame, right and left. Shape (K, 2).
        independent: Number of frames that count as independent.
    """

    body: BodyGeometry
    segments: npt.NDArray[np.intp]
    markers_m: Array
    weights: Array
    flat: npt.NDArray[np.bool_]
    independent: float


class SubjectParameters(NamedTuple):
    """Means and standard deviations of lengths (L,), marker places (n, 3) and floor, before or after a recording."""

    lengths_m: Array
    lengths_sd_m: Array
    local_m: Array
    local_sd_m: Array
    floor_m: float
    floor_sd_m: float


class _Rows(NamedTuple):
    """Weighted residuals (K, m), and their derivatives with respect to pose (K, m, n_dof) and parameters (K, m, P)."""

    residual: Array
    by_pose: Array
    by_parameter: Array


def estimate_subject(
    data: EstimationData, prior: SubjectParameters, pose_prior: PosePrior, on_progress: OnCaptureProgress
) -> tuple[SubjectParameters, int]:
    """Return the parameters that best explain the frames, with standard deviations, and the number of rounds."""
    prior_mean = _pack(prior.lengths_m, prior.local_m, prior.floor_m)
    precision = _prior_precision(data, prior)
    parameters = prior_mean.copy()
    problem = _pose_problem(data, parameters, pose_prior)
    q = refine_poses(problem, initial_poses(problem)).q
    cost = np.inf
    for rounds in range(1, MAX_ROUNDS + 1):
        rows = _linearise(data, parameters, q)
        matrix, gradient = _eliminate_poses(rows, pose_prior, q)
        from_mean = parameters - prior_mean
        new_cost = 0.5 * (rows.residual**2).sum() + 0.5 * from_mean @ precision @ from_mean
        on_progress("estimate subject", rounds / MAX_ROUNDS)
        if cost - new_cost < MIN_GAIN * new_cost and rounds >= MIN_ROUNDS:
            break
        cost = new_cost
        parameters = parameters - np.linalg.solve(matrix + precision, gradient + precision @ from_mean)
        q = _update_poses(data, parameters, q, pose_prior)
    covariance = np.linalg.inv(matrix + precision)
    lengths, local, floor = _unpack(data, parameters)
    lengths_sd, local_sd, floor_sd = _unpack(data, np.sqrt(np.diag(covariance)))
    return SubjectParameters(lengths, lengths_sd, local, local_sd, floor, floor_sd), rounds


def choose_frames(markers_m: Array, rate_hz: float) -> tuple[npt.NDArray[np.intp], float]:
    """Return evenly spread frames in which most markers are seen, and how many of them count as independent."""
    seen = are_seen(markers_m).sum(axis=1)
    good = np.flatnonzero(seen >= max(seen.max() - 2, 1))
    frames = good[np.unique(np.linspace(0, len(good) - 1, min(FRAMES, len(good))).astype(int))]
    return frames, float(min(len(frames), max(len(good) / rate_hz / INDEPENDENT_S, 2.0)))


def _pack(lengths_m: Array, local_m: Array, floor_m: float) -> Array:
    return np.concatenate([lengths_m, local_m.ravel(), [floor_m]])


def _unpack(data: EstimationData, parameters: Array) -> tuple[Array, Array, float]:
    count = len(data.body.length_names)
    return parameters[:count], parameters[count:-1].reshape(-1, 3), float(parameters[-1])


def _pose_problem(data: EstimationData, parameters: Array, prior: PosePrior) -> PoseProblem:
    lengths, local, _ = _unpack(data, parameters)
    return PoseProblem(data.body, lengths, BodyPoints(data.segments, local), data.markers_m, data.weights, prior)


def _prior_precision(data: EstimationData, prior: SubjectParameters) -> Array:
    """Return the precision of all parameters: each alone, left equal to right, lengths that add up to the height."""
    names = data.body.length_names
    table = joint_ranges().length
    sd = _pack(prior.lengths_sd_m, prior.local_sd_m, prior.floor_sd_m)
    precision = np.diag(sd**-2.0)
    for index, name in enumerate(names):
        if "Right" in name:
            row = np.zeros(len(sd))
            row[index] = 1.0
            row[names.index(name.replace("Right", "Left"))] = -1.0
            precision += np.outer(row, row) / table.side_sd_m**2
    row = np.zeros(len(sd))
    row[[names.index(name) for name in STATURE]] = 1.0
    precision += np.outer(row, row) / table.stature_sd_m**2
    return precision


def _linearise(data: EstimationData, parameters: Array, q: Array) -> _Rows:
    """Return the rows of markers and of soles on the floor."""
    lengths, local, floor = _unpack(data, parameters)
    body = data.body
    points = BodyPoints(data.segments, local)
    pose = pose_body(body, q, lengths)
    positions = place_points(pose, points)
    frames, count = positions.shape[:2]
    error = positions - data.markers_m
    seen = are_seen(error)
    independent_share = np.sqrt(data.independent / frames)
    root_weight = np.sqrt(data.weights) / MARKER_SD_M * seen * independent_share
    by_parameter = np.zeros((frames, count, 3, len(parameters)))
    by_parameter[..., : len(lengths)] = length_jacobian(body, pose, points)
    for index in range(count):
        start = len(lengths) + 3 * index
        by_parameter[:, index, :, start : start + 3] = pose.rotation[:, data.segments[index]]
    by_pose = point_jacobian(body, pose, points, positions)
    marker_rows = _Rows(
        (np.where(seen[..., None], error, 0.0) * root_weight[..., None]).reshape(frames, -1),
        (by_pose * root_weight[..., None, None]).reshape(frames, 3 * count, -1),
        (by_parameter * root_weight[..., None, None]).reshape(frames, 3 * count, -1),
    )
    sole_rows = _sole_rows(data, lengths, floor, q, len(parameters), independent_share)
    return _Rows(*(np.concatenate(pair, axis=1) for pair in zip(marker_rows, sole_rows, strict=True)))


def _sole_rows(data: EstimationData, lengths: Array, floor: float, q: Array, width: int, share: float) -> _Rows:
    """Return the rows of heel and ball of flat feet: their heights over the floor."""
    body = data.body
    names = data.body.length_names
    segment = [body.segments.index(f"Foot{side}") for side in SIDES for _ in range(2)]
    height = [names.index(f"Foot{side}Height") for side in SIDES for _ in range(2)]
    along = [names.index(f"Foot{side}{end}") for side in SIDES for end in ("PosteriorPoint", "ForefootX")]
    sign = np.array([-1.0, 1.0, -1.0, 1.0])  # the heel is behind the ankle, the ball ahead of it
    local = np.column_stack([sign * lengths[along], np.zeros(4), -lengths[height]])
    points = BodyPoints(np.array(segment, dtype=np.intp), local)
    pose = pose_body(body, q, lengths)
    positions = place_points(pose, points)
    root_weight = np.repeat(data.flat, 2, axis=1) * share / SOLE_SD_M
    by_parameter = np.zeros((len(q), 4, width))
    by_parameter[..., : len(lengths)] = length_jacobian(body, pose, points)[:, :, 2]
    up = pose.rotation[:, points.segment, 2]  # vertical components of each foot's axes: (K, 4, 3)
    for row in range(4):
        by_parameter[:, row, height[row]] -= up[:, row, 2]
        by_parameter[:, row, along[row]] += sign[row] * up[:, row, 0]
    by_parameter[..., -1] = -1.0
    by_pose = point_jacobian(body, pose, points, positions)[:, :, 2]
    return _Rows(
        (positions[..., 2] - floor) * root_weight,
        by_pose * root_weight[..., None],
        by_parameter * root_weight[..., None],
    )


def _eliminate_poses(rows: _Rows, prior: PosePrior, q: Array) -> tuple[Array, Array]:
    """Return Gauss-Newton matrix (P, P) and gradient (P,) of the parameters, with the poses eliminated."""
    pose_matrix, pose_gradient = _pose_equations(rows, prior, q, damping=1e-9)
    cross = np.swapaxes(rows.by_pose, 1, 2) @ rows.by_parameter
    solution = np.linalg.solve(pose_matrix, np.concatenate([cross, pose_gradient[..., None]], axis=2))
    direct = np.tensordot(rows.by_parameter, rows.by_parameter, axes=([0, 1], [0, 1]))
    matrix = direct - np.tensordot(cross, solution[..., :-1], axes=([0, 1], [0, 1]))
    gradient = np.tensordot(rows.by_parameter, rows.residual, axes=([0, 1], [0, 1]))
    gradient = gradient - np.tensordot(cross, solution[..., -1], axes=([0, 1], [0, 1]))
    return matrix, gradient


def _pose_equations(rows: _Rows, prior: PosePrior, q: Array, *, damping: float) -> tuple[Array, Array]:
    """Return Gauss-Newton matrix (K, n_dof, n_dof) and gradient (K, n_dof) of the poses."""
    matrix = np.swapaxes(rows.by_pose, 1, 2) @ rows.by_pose
    diagonal = np.arange(q.shape[1])
    matrix[:, diagonal, diagonal] += prior.precision + damping
    return matrix, (rows.residual[:, None] @ rows.by_pose)[:, 0] + prior.precision * (q - prior.mean)


def _update_poses(data: EstimationData, parameters: Array, q: Array, prior: PosePrior) -> Array:
    """Return the poses after the parameters changed, by a few Gauss-Newton steps on markers and soles."""
    for _ in range(POSE_STEPS):
        rows = _linearise(data, parameters, q)
        matrix, gradient = _pose_equations(rows, prior, q, damping=1e-6)
        step = -np.linalg.solve(matrix, gradient[..., None])[..., 0]
        q = np.clip(q + np.clip(step, -MAX_POSE_STEP, MAX_POSE_STEP), prior.lower, prior.upper)
    return q
