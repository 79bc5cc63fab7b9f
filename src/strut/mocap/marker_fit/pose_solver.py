"""Pose solver: inverse kinematics from markers, all frames of a trial at once.

Damped Gauss-Newton (Levenberg-Marquardt) with projected bounds; every frame has its own damping and its own end. A
normal prior on each coordinate matters only where markers determine it badly. Key frames are solved first from the
position of the pelvis; all frames then start from a spline through them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.errors import BadRecordingError
from strut.mocap.marker_fit.body_geometry import BodyGeometry, BodyPoints, place_points, point_jacobian, pose_body
from strut.recording import are_seen
from strut.robot import BASE

MARKER_SD_M = 0.005  # of each coordinate of a marker: skin over bone; chosen by eye
MAX_ITERATIONS = 60
STEP_TOLERANCE = 1e-4  # rad or m; after such a step markers move by less than a hundredth of a millimetre
KEY_FRAME_DAMPING = 1e-2  # at the start, from the pelvis alone; chosen by eye
FRAME_DAMPING = 1e-5  # at the start, from a spline through key frames; chosen by eye
MAX_DAMPING = 1e8  # beyond it no step reduces the cost
KEY_SPACING_S = 0.08  # between key frames; chosen by eye
CHUNK = 400  # frames in memory at once
OnCaptureProgress = Callable[[str, float], None]  # called with what is being done, and the share that is done


def no_progress(_what: str, _share: float) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, eq=False)
class PosePrior:
    """Normal prior and bounds of the coordinates.

    Args:
        mean: Shape (n_dof,) or (T, n_dof).
        precision: One over the variance; 0 where nothing is known. Shape (n_dof,).
        lower: Shape (n_dof,).
        upper: Shape (n_dof,).
    """

    mean: Array
    precision: Array
    lower: Array
    upper: Array


@dataclass(frozen=True, slots=True, eq=False)
class PoseFit:
    """Coordinates (T, n_dof), marker errors [m] (T, n), NaN where unseen, and iterations of each frame (T,)."""

    q: Array
    error_m: Array
    iterations: npt.NDArray[np.int_]


@dataclass(frozen=True, slots=True, eq=False)
class PoseProblem:
    """A body of given lengths, its markers, and their recorded positions.

    Args:
        body: The tree.
        lengths_m: Shape (L,).
        points: Markers on segments.
        markers_m: Recorded; NaN where unseen. Shape (T, n, 3).
        weights: Of the markers. Shape (n,).
        prior: Of the coordinates.
    """

    body: BodyGeometry
    lengths_m: Array
    points: BodyPoints
    markers_m: Array
    weights: Array
    prior: PosePrior

    def select_frames(self, frames: npt.NDArray[np.intp] | slice) -> PoseProblem:
        """Return the problem of some of the frames."""
        mean = self.prior.mean if self.prior.mean.ndim == 1 else self.prior.mean[frames]
        return replace(self, markers_m=self.markers_m[frames], prior=replace(self.prior, mean=mean))


def solve_poses(problem: PoseProblem, rate_hz: float, on_progress: OnCaptureProgress = no_progress) -> PoseFit:
    """Return the poses of a whole trial: key frames from the pelvis alone, then all frames from a spline between."""
    frames = len(problem.markers_m)
    spacing = max(round(KEY_SPACING_S * rate_hz), 1)
    keys = np.unique(np.r_[np.arange(0, frames, spacing), frames - 1])
    key_problem = problem.select_frames(keys)
    key_fit = refine_poses(key_problem, initial_poses(key_problem))
    key_q = unwrap_pelvis(key_fit.q)
    initial_q = CubicSpline(keys, key_q)(np.arange(frames)) if len(keys) > 1 else key_q
    chunks = []
    for first in range(0, frames, CHUNK):
        part = slice(first, min(first + CHUNK, frames))
        chunks.append(refine_poses(problem.select_frames(part), initial_q[part], initial_damping=FRAME_DAMPING))
        on_progress("fit markers", part.stop / frames)
    q = np.concatenate([chunk.q for chunk in chunks])
    error = np.concatenate([chunk.error_m for chunk in chunks])
    iterations = np.concatenate([chunk.iterations for chunk in chunks])
    iterations[keys] += key_fit.iterations
    return PoseFit(unwrap_pelvis(q), error, iterations)


def refine_poses(problem: PoseProblem, initial_q: Array, *, initial_damping: float = KEY_FRAME_DAMPING) -> PoseFit:
    """Return the poses of some frames by damped Gauss-Newton steps from an initial guess. Shape (T, n_dof)."""
    prior = problem.prior
    q = np.clip(initial_q, prior.lower, prior.upper)
    damping = np.full(len(q), initial_damping)
    iterations = np.zeros(len(q), dtype=int)
    active = np.arange(len(q))  # frames that have not converged; the arrays below have their rows
    cost, hessian, gradient = _linearise(problem, q)
    for _ in range(MAX_ITERATIONS):
        step = _gauss_newton_step(hessian, gradient, damping[active], q[active], prior)
        trial_q = np.clip(q[active] + step, prior.lower, prior.upper)
        iterations[active] += 1
        has_converged = np.abs(trial_q - q[active]).max(axis=1) < STEP_TOLERANCE  # taken without evaluating the cost
        q[active[has_converged]] = trial_q[has_converged]
        goes_on = ~(has_converged | (damping[active] > MAX_DAMPING))
        active = active[goes_on]
        trial_q = trial_q[goes_on]
        cost = cost[goes_on]
        hessian = hessian[goes_on]
        gradient = gradient[goes_on]
        if not len(active):
            break
        trial_cost, trial_hessian, trial_gradient = _linearise(problem.select_frames(active), trial_q)
        is_better = trial_cost <= cost * (1.0 + 1e-12) + 1e-15
        q[active[is_better]] = trial_q[is_better]
        damping[active] = np.where(is_better, np.maximum(damping[active] * 0.1, 1e-7), damping[active] * 10.0)
        cost = np.where(is_better, trial_cost, cost)
        hessian = np.where(is_better[:, None, None], trial_hessian, hessian)
        gradient = np.where(is_better[:, None], trial_gradient, gradient)
    return PoseFit(q, marker_errors(problem, q), iterations)


def marker_errors(problem: PoseProblem, q: Array) -> Array:
    """Return the distances of markers from the recorded ones; NaN where unseen. Shape (T, n)."""
    positions = place_points(pose_body(problem.body, q, problem.lengths_m), problem.points)
    return np.asarray(np.linalg.norm(positions - problem.markers_m, axis=2))


def _linearise(problem: PoseProblem, q: Array) -> tuple[Array, Array, Array]:
    """Return cost (T,), Gauss-Newton Hessian (T, n, n) and gradient (T, n)."""
    pose = pose_body(problem.body, q, problem.lengths_m)
    positions = place_points(pose, problem.points)
    jacobian = point_jacobian(problem.body, pose, problem.points, positions)
    error = positions - problem.markers_m
    seen = are_seen(error)
    root_weight = np.sqrt(problem.weights) / MARKER_SD_M * seen
    residual = (np.where(seen[..., None], error, 0.0) * root_weight[..., None]).reshape(len(q), -1)
    rows = (jacobian * root_weight[..., None, None]).reshape(len(q), -1, problem.body.n_dof)
    from_mean = q - problem.prior.mean
    precision = problem.prior.precision
    hessian = np.swapaxes(rows, 1, 2) @ rows
    hessian[:, np.arange(q.shape[1]), np.arange(q.shape[1])] += precision
    gradient = (residual[:, None] @ rows)[:, 0] + precision * from_mean
    cost = 0.5 * (np.einsum("ti,ti->t", residual, residual) + (precision * from_mean**2).sum(axis=1))
    return cost, hessian, gradient


def _gauss_newton_step(hessian: Array, gradient: Array, damping: Array, q: Array, prior: PosePrior) -> Array:
    """Return damped Gauss-Newton steps; a coordinate stays at a bound that the gradient pushes it against."""
    is_fixed = ((q <= prior.lower) & (gradient > 0.0)) | ((q >= prior.upper) & (gradient < 0.0))
    is_free = ~is_fixed
    matrix = hessian * (is_free[:, :, None] & is_free[:, None])
    diagonal = np.arange(q.shape[1])
    matrix[:, diagonal, diagonal] += damping[:, None] * (matrix[:, diagonal, diagonal] + 1e-3) + is_fixed
    return np.asarray(-np.linalg.solve(matrix, (gradient * is_free)[..., None])[..., 0])


def initial_poses(problem: PoseProblem) -> Array:
    """Return the mean pose with the pelvis placed on the markers of pelvis and trunk. Shape (T, n_dof)."""
    body = problem.body
    q = np.broadcast_to(problem.prior.mean, (len(problem.markers_m), body.n_dof)).copy()
    trunk = [index for index, name in enumerate(body.segments) if name in ("Pelvis", "MiddleTrunk", "UpperTrunk")]
    used = np.flatnonzero(np.isin(problem.points.segment, trunk[:1]))
    if len(used) < 3:
        thighs = [index for index, name in enumerate(body.segments) if name.startswith("Thigh")]
        used = np.flatnonzero(np.isin(problem.points.segment, trunk + thighs))
    neutral = q[:1].copy()
    neutral[:, :BASE] = 0.0
    in_pelvis = place_points(pose_body(body, neutral, problem.lengths_m), problem.points)[0, used]
    is_placed = np.zeros(len(q), dtype=bool)
    for frame, recorded in enumerate(problem.markers_m[:, used]):
        seen = are_seen(recorded)
        if seen.sum() >= 3:
            rotation, translation = _align_rigidly(in_pelvis[seen], recorded[seen])
            q[frame, :3] = translation
            q[frame, 3:BASE] = Rotation.from_matrix(rotation).as_euler("YXZ")
            is_placed[frame] = True
    if not is_placed.any():
        raise BadRecordingError("In no frame are three markers of the pelvis seen, so the fit has no initial guess.")
    placed = np.flatnonzero(is_placed)
    nearest = placed[np.abs(np.arange(len(q))[:, None] - placed).argmin(axis=1)]
    q[:, :BASE] = q[nearest, :BASE]
    return q


def _align_rigidly(points: Array, targets: Array) -> tuple[Array, Array]:
    """Return the rotation and translation that bring points closest to targets (Kabsch, 1976). Shapes (n, 3)."""
    left, _, right = np.linalg.svd((targets - targets.mean(axis=0)).T @ (points - points.mean(axis=0)))
    rotation = left @ np.diag([1.0, 1.0, np.sign(np.linalg.det(left @ right))]) @ right
    return rotation, targets.mean(axis=0) - rotation @ points.mean(axis=0)


def unwrap_pelvis(q: Array) -> Array:
    """Return coordinates whose pelvis angles do not jump by a full turn. Shape (T, n_dof)."""
    result = q.copy()
    result[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
    return result
