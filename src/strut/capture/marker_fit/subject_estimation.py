"""Subject estimation: lengths, marker places and floor that explain a recording best, with priors from anthropometry.

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
from strut.capture.marker_fit.body_geometry import (
    BodyGeometry,
    BodyPoints,
    length_jacobian,
    place_points,
    point_jacobian,
    pose_body,
)
from strut.capture.marker_fit.body_priors import STATURE, joint_ranges
from strut.capture.marker_fit.pose_solver import (
    MARKER_SD_M,
    OnCaptureProgress,
    PosePrior,
    PoseProblem,
    solve_from,
    start_poses,
)
from strut.recording import SIDES, all_seen

FRAMES = 60  # poses in the adjustment
INDEPENDENT_S = 0.15  # errors of markers on skin are alike for so long
SOLE_SD_M = 0.004
MOST_ROUNDS = 25
SMALLEST_GAIN = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class EstimationData:
    """What is estimated from.

    Args:
        body: The tree.
        segments: Index of each marker's segment. Shape (n,).
        markers_m: Chosen frames, in world; NaN where unseen. Shape (K, n, 3).
        weights: Of the markers. Shape (n,).
        flat: Which foot stands flat in which frame, right and left. Shape (K, 2).
        independent: How many of the frames count as independent.
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
    """Weighted residuals and their derivatives by pose and by parameters: (K, m), (K, m, n_dof), (K, m, P)."""

    residual: Array
    by_pose: Array
    by_parameter: Array


def estimate_subject(
    data: EstimationData, prior: SubjectParameters, pose_prior: PosePrior, on_progress: OnCaptureProgress
) -> tuple[SubjectParameters, int]:
    """Return the parameters that explain the chosen frames best, how sure each of them is, and the number of rounds."""
    parameters = _packed(prior.lengths_m, prior.local_m, prior.floor_m)
    mean = parameters.copy()
    precision = _prior_precision(data, prior)
    q = solve_from(_problem(data, parameters, pose_prior), start_poses(_problem(data, parameters, pose_prior))).q
    value = np.inf
    for rounds in range(1, MOST_ROUNDS + 1):
        rows = _linearised_rows(data, parameters, q)
        matrix, gradient = _reduced(rows, pose_prior, q)
        away = parameters - mean
        new_value = 0.5 * (rows.residual**2).sum() + 0.5 * away @ precision @ away
        on_progress("estimate subject", rounds / MOST_ROUNDS)
        if value - new_value < SMALLEST_GAIN * new_value and rounds > 3:
            break
        value = new_value
        step = -np.linalg.solve(matrix + precision, gradient + precision @ away)
        parameters = parameters + step
        q = _refined_poses(data, parameters, q, pose_prior)
    covariance = np.linalg.inv(matrix + precision)
    lengths, local, floor = _unpacked(data, parameters)
    lengths_sd, local_sd, floor_sd = _unpacked(data, np.sqrt(np.diag(covariance)))
    return SubjectParameters(lengths, lengths_sd, local, local_sd, floor, floor_sd), rounds


def chosen_frames(markers_m: Array, rate_hz: float) -> tuple[npt.NDArray[np.intp], float]:
    """Return frames in which most markers are seen, evenly spread, and how many of them count as independent."""
    seen = all_seen(markers_m).sum(axis=1)
    good = np.flatnonzero(seen >= max(seen.max() - 2, 1))
    frames = good[np.unique(np.linspace(0, len(good) - 1, min(FRAMES, len(good))).astype(int))]
    return frames, float(min(len(frames), max(len(good) / rate_hz / INDEPENDENT_S, 2.0)))


def _packed(lengths_m: Array, local_m: Array, floor_m: float) -> Array:
    return np.concatenate([lengths_m, local_m.ravel(), [floor_m]])


def _unpacked(data: EstimationData, parameters: Array) -> tuple[Array, Array, float]:
    count = len(data.body.length_names)
    return parameters[:count], parameters[count:-1].reshape(-1, 3), float(parameters[-1])


def _problem(data: EstimationData, parameters: Array, prior: PosePrior) -> PoseProblem:
    lengths, local, _ = _unpacked(data, parameters)
    return PoseProblem(data.body, lengths, BodyPoints(data.segments, local), data.markers_m, data.weights, prior)


def _prior_precision(data: EstimationData, prior: SubjectParameters) -> Array:
    """Return the precision of all parameters: each alone, left like right, and lengths that add up to the height."""
    names = data.body.length_names
    table = joint_ranges().length
    spread = _packed(prior.lengths_sd_m, prior.local_sd_m, prior.floor_sd_m)
    precision = np.diag(spread**-2.0)
    for index, name in enumerate(names):
        if "Right" in name:
            other = names.index(name.replace("Right", "Left"))
            row = np.zeros(len(spread))
            row[index] = 1.0
            row[other] = -1.0
            precision += np.outer(row, row) / table.side_sd_m**2
    row = np.zeros(len(spread))
    row[[names.index(name) for name in STATURE]] = 1.0
    precision += np.outer(row, row) / table.stature_sd_m**2
    return precision


def _linearised_rows(data: EstimationData, parameters: Array, q: Array) -> _Rows:
    """Return rows of markers and of soles that lie on the floor."""
    lengths, local, floor = _unpacked(data, parameters)
    body = data.body
    points = BodyPoints(data.segments, local)
    pose = pose_body(body, q, lengths)
    places = place_points(pose, points)
    frames, count = places.shape[:2]
    off = places - data.markers_m
    seen = all_seen(off)
    share = np.sqrt(data.independent / frames)
    root = np.sqrt(data.weights) / MARKER_SD_M * seen * share
    by_parameter = np.zeros((frames, count, 3, len(parameters)))
    by_parameter[..., : len(lengths)] = length_jacobian(body, pose, points)
    for index in range(count):
        start = len(lengths) + 3 * index
        by_parameter[:, index, :, start : start + 3] = pose.rotation[:, data.segments[index]]
    marker_rows = _Rows(
        (np.where(seen[..., None], off, 0.0) * root[..., None]).reshape(frames, -1),
        (point_jacobian(body, pose, points, places) * root[..., None, None]).reshape(frames, 3 * count, -1),
        (by_parameter * root[..., None, None]).reshape(frames, 3 * count, -1),
    )
    sole_rows = _sole_rows(data, lengths, floor, q, len(parameters), share)
    return _Rows(*(np.concatenate(pair, axis=1) for pair in zip(marker_rows, sole_rows, strict=True)))


def _sole_rows(data: EstimationData, lengths: Array, floor: float, q: Array, width: int, share: float) -> _Rows:
    """Return heights of heel and ball of feet that stand flat, over the floor."""
    body = data.body
    names = data.body.length_names
    index = [body.segments.index(f"Foot{side}") for side in SIDES for _ in range(2)]
    height = [names.index(f"Foot{side}Height") for side in SIDES for _ in range(2)]
    along = [names.index(f"Foot{side}{end}") for side in SIDES for end in ("PosteriorPoint", "ForefootX")]
    sign = np.array([-1.0, 1.0, -1.0, 1.0])
    local = np.column_stack([sign * lengths[along], np.zeros(4), -lengths[height]])
    points = BodyPoints(np.array(index, dtype=np.intp), local)
    pose = pose_body(body, q, lengths)
    places = place_points(pose, points)
    root = np.repeat(data.flat, 2, axis=1) * share / SOLE_SD_M
    by_parameter = np.zeros((len(q), 4, width))
    by_parameter[..., : len(lengths)] = length_jacobian(body, pose, points)[:, :, 2]
    up = pose.rotation[:, points.segment, 2]  # of each foot's axes: (K, 4, 3)
    for row in range(4):
        by_parameter[:, row, height[row]] -= up[:, row, 2]
        by_parameter[:, row, along[row]] += sign[row] * up[:, row, 0]
    by_parameter[..., -1] = -1.0
    return _Rows(
        (places[..., 2] - floor) * root,
        point_jacobian(body, pose, points, places)[:, :, 2] * root[..., None],
        by_parameter * root[..., None],
    )


def _reduced(rows: _Rows, prior: PosePrior, q: Array) -> tuple[Array, Array]:
    """Return Gauss-Newton matrix (P, P) and gradient (P,) of the parameters, with the poses eliminated."""
    own, pose_gradient = _pose_equations(rows, prior, q, damping=1e-9)
    cross = np.swapaxes(rows.by_pose, 1, 2) @ rows.by_parameter
    solved = np.linalg.solve(own, np.concatenate([cross, pose_gradient[..., None]], axis=2))
    direct = np.tensordot(rows.by_parameter, rows.by_parameter, axes=([0, 1], [0, 1]))
    matrix = direct - np.tensordot(cross, solved[..., :-1], axes=([0, 1], [0, 1]))
    gradient = np.tensordot(rows.by_parameter, rows.residual, axes=([0, 1], [0, 1]))
    gradient = gradient - np.tensordot(cross, solved[..., -1], axes=([0, 1], [0, 1]))
    return matrix, gradient


def _pose_equations(rows: _Rows, prior: PosePrior, q: Array, *, damping: float) -> tuple[Array, Array]:
    """Return Gauss-Newton matrix (K, n_dof, n_dof) and gradient (K, n_dof) of the poses."""
    matrix = np.swapaxes(rows.by_pose, 1, 2) @ rows.by_pose
    diagonal = np.arange(q.shape[1])
    matrix[:, diagonal, diagonal] += prior.precision + damping
    return matrix, (rows.residual[:, None] @ rows.by_pose)[:, 0] + prior.precision * (q - prior.mean)


def _refined_poses(data: EstimationData, parameters: Array, q: Array, prior: PosePrior) -> Array:
    """Return poses after the parameters changed: markers and soles, a few Gauss-Newton steps."""
    for _ in range(3):
        rows = _linearised_rows(data, parameters, q)
        matrix, gradient = _pose_equations(rows, prior, q, damping=1e-6)
        step = -np.linalg.solve(matrix, gradient[..., None])[..., 0]
        q = np.clip(q + np.clip(step, -0.3, 0.3), prior.lower, prior.upper)
    return q
